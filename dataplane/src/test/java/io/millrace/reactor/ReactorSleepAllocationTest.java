package io.millrace.reactor;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.bindings.Errno;
import io.millrace.bindings.Native;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.Files;
import io.millrace.block.file.ChildJvm;
import io.millrace.testing.AllocationWindows;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * What a reactor's thread allocates when it looks for ready descriptors and waits for them. In a JVM with the small
 * compiler alone, which removes no allocation: the other one hides what it can.
 */
class ReactorSleepAllocationTest
{
    private static final long PATIENCE_S = 60;

    @Test
    void shouldAllocateNothingPerPollAndPerWait() throws Exception
    {
        assertAllocatesNothing(Waits.class);
    }

    /** The kernel makes workers for the rings of a thread by interrupting its wait. */
    @Test
    void shouldAllocateNothingPerWaitThatIsInterrupted() throws Exception
    {
        assertAllocatesNothing(InterruptedWaits.class);
    }

    private static void assertAllocatesNothing(final Class<?> main) throws Exception
    {
        final Process child = new ProcessBuilder(ChildJvm.command(main)).redirectErrorStream(true).start();
        try
        {
            assertEquals("0 bytes", new String(child.getInputStream().readAllBytes()).strip());
            assertTrue(child.waitFor(PATIENCE_S, TimeUnit.SECONDS));
            assertEquals(0, child.exitValue());
        }
        finally
        {
            child.destroyForcibly().waitFor();
        }
    }

    /** Prints what a window of polls and waits has allocated: the first clean one, or the last. */
    static final class Waits
    {
        private static final int CALLS_PER_WINDOW = 2_000;
        private static final int WINDOWS_MIN = 100;
        private static final int EVENTS_MAX = 4;
        private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();

        private Waits()
        {
        }

        /**
         * Runs windows until one is clean.
         *
         * @param args none.
         */
        public static void main(final String[] args)
        {
            final int epollFd = Epoll.create(Epoll.EPOLL_CLOEXEC);
            final AllocationWindows windows = new AllocationWindows(1, WINDOWS_MIN);
            try (Arena arena = Arena.ofConfined())
            {
                final long events = arena.allocate(64L * EVENTS_MAX, 8).address();
                final long scratch = arena.allocate(16, 8).address();
                // Linux 5.11; a reactor does not ask again when it has failed.
                final boolean waitsExactly = Epoll.waitForNs(epollFd, events, EVENTS_MAX, scratch, 0) >= 0;
                while (!windows.isOver())
                {
                    final long before = THREADS.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < CALLS_PER_WINDOW; i++)
                    {
                        Epoll.poll(epollFd, events, EVENTS_MAX);
                        Epoll.waitFor(epollFd, events, EVENTS_MAX, 0);
                        if (waitsExactly)
                        {
                            Epoll.waitForNs(epollFd, events, EVENTS_MAX, scratch, 0);
                        }
                    }
                    windows.end(THREADS.getCurrentThreadAllocatedBytes() - before);
                }
            }
            Files.close(epollFd);
            System.out.println(windows.bytes() + " bytes");
        }
    }

    /** As {@link Waits}, of waits that end by a signal: one that the JVM ignores, as long as the wait may last. */
    static final class InterruptedWaits
    {
        private static final int WAITS_PER_WINDOW = 50;
        private static final int WINDOWS_MIN = 100;
        private static final int EVENTS_MAX = 4;
        private static final int LONG_MS = 60_000;
        private static final long SIGPIPE = 13;
        private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        private static final MethodHandle GETTID = Native.link("gettid", FunctionDescriptor.of(JAVA_LONG));
        private static final MethodHandle TGKILL =
            Native.link("tgkill", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

        private InterruptedWaits()
        {
        }

        /**
         * Runs windows until one is clean.
         *
         * @param args none.
         * @throws Throwable never.
         */
        public static void main(final String[] args) throws Throwable
        {
            final long waiter = (int)(long)GETTID.invokeExact();
            final Thread interrupter = new Thread(() -> interrupt(waiter));
            interrupter.setDaemon(true);
            interrupter.start();
            final int epollFd = Epoll.create(Epoll.EPOLL_CLOEXEC);
            final AllocationWindows windows = new AllocationWindows(1, WINDOWS_MIN);
            try (Arena arena = Arena.ofConfined())
            {
                final long events = arena.allocate(64L * EVENTS_MAX, 8).address();
                final long scratch = arena.allocate(16, 8).address();
                // Linux 5.11; a reactor does not ask again when it has failed.
                final boolean waitsExactly = -Errno.ENOSYS != Epoll.waitForNs(epollFd, events, EVENTS_MAX, scratch, 0);
                while (!windows.isOver())
                {
                    final long before = THREADS.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < WAITS_PER_WINDOW; i++)
                    {
                        check(Epoll.waitFor(epollFd, events, EVENTS_MAX, LONG_MS));
                        check(waitsExactly ?
                            Epoll.waitForNs(epollFd, events, EVENTS_MAX, scratch, LONG_MS * 1_000_000L) : -Errno.EINTR);
                    }
                    windows.end(THREADS.getCurrentThreadAllocatedBytes() - before);
                }
            }
            System.out.println(windows.bytes() + " bytes");
            System.exit(0);
        }

        private static void check(final int ready)
        {
            if (-Errno.EINTR != ready)
            {
                throw new AssertionError("a wait ended with " + ready);
            }
        }

        private static void interrupt(final long waiter)
        {
            final long process = ProcessHandle.current().pid();
            try
            {
                while (0 == (int)(long)TGKILL.invokeExact(process, waiter, SIGPIPE))
                {
                    LockSupport.parkNanos(200_000);
                }
            }
            catch (final Throwable t)
            {
                throw Native.broken(t);
            }
        }
    }
}

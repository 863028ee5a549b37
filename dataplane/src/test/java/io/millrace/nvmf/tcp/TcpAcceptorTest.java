package io.millrace.nvmf.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.Native;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TcpAcceptorTest
{
    private static final long RLIMIT_NOFILE = 7;
    private static final FunctionDescriptor RLIMIT_CALL = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle GETRLIMIT = Native.linkErrno("getrlimit", RLIMIT_CALL);
    private static final MethodHandle SETRLIMIT = Native.linkErrno("setrlimit", RLIMIT_CALL);

    @Test
    void shouldPauseWithoutSpinningWhenDescriptorsRunOut() throws IOException
    {
        try (TargetFixture target = new TargetFixture();
            Arena arena = Arena.ofConfined();
            TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost other = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.NONE))
        {
            // What is loaded on first use is loaded now, while there are descriptors.
            final String shortage = Errno.describe(Errno.EMFILE);
            final byte[] data = TcpIoTest.random(TargetFixture.BLOCK_BYTES, 1);
            other.writeInCapsule(1, 0, 1, data);
            other.read(1, 0, 1, TargetFixture.BLOCK_BYTES);
            final long limits = arena.allocate(2L * Long.BYTES, Long.BYTES).address();
            call(GETRLIMIT, limits);
            final long soft = NativeMemory.getLong(limits);
            final List<Closeable> fillers = new ArrayList<>();
            final TestHost host;
            final long startNs = System.nanoTime();
            try
            {
                NativeMemory.putLong(limits, highestDescriptor() + 1);
                call(SETRLIMIT, limits);
                takeEveryDescriptor(fillers);
                // One descriptor is left, which the host's own socket takes.
                fillers.removeLast().close();
                host = TestHost.open(target.address());
                TargetFixture.await("accepting to pause", () -> target.transport().counters().acceptPauses() > 1);
                // Those who are connected do not notice.
                other.writeInCapsule(1, 0, 1, data);
                assertArrayEquals(data, other.read(2, 0, 1, data.length));
            }
            finally
            {
                NativeMemory.putLong(limits, soft);
                call(SETRLIMIT, limits);
                for (final Closeable filler : fillers)
                {
                    filler.close();
                }
            }
            final long pauses = target.transport().counters().acceptPauses();
            final long tookNs = System.nanoTime() - startNs;
            assertTrue(pauses <= 1 + tookNs / TcpAcceptor.PAUSE_NS,
                () -> "paused " + pauses + " times in " + tookNs + " ns: it spins");
            host.initialize(Digests.NONE, 0);
            host.close();
            assertEquals(3, target.transport().counters().accepted());
            assertEquals(1, target.messages().size(), target.messages().toString());
            assertTrue(target.messages().getFirst().contains(shortage), target.messages().toString());
        }
    }

    @Test
    void shouldRefuseWhatAReactorDoesNotTakeAndCloseWhatHasGoneBeforeItDid()
    {
        try (TargetFixture target = new TargetFixture())
        {
            final TcpPollGroup group = target.transport().group(0);
            final CountDownLatch gate = new CountDownLatch(1);
            final CountDownLatch entered = new CountDownLatch(1);
            target.reactor(0).execute(() ->
            {
                entered.countDown();
                awaitGate(gate);
            });
            awaitGate(entered);
            final List<Integer> waiting = new ArrayList<>();
            for (int i = 0; i <= TcpAcceptor.BACKLOG; i++)
            {
                // No socket, as good as one whose host has gone: the kernel tells no address of it.
                final int fd = Files.eventfd(0, Files.EFD_CLOEXEC);
                assertTrue(fd >= 0);
                group.assignedCount().incrementAndGet();
                if (!group.handOver(fd))
                {
                    group.assignedCount().decrementAndGet();
                    assertEquals(0, Files.close(fd));
                    break;
                }
                waiting.add(fd);
            }
            assertEquals(TcpAcceptor.BACKLOG, waiting.size());
            gate.countDown();
            TargetFixture.await("all to be closed",
                () -> TcpAcceptor.BACKLOG == target.transport().counters().closed());
            assertEquals(0, target.transport().connectionCount());
        }
    }

    private static void awaitGate(final CountDownLatch gate)
    {
        try
        {
            assertTrue(gate.await(20, TimeUnit.SECONDS));
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }

    private static void call(final MethodHandle function, final long limits)
    {
        try
        {
            assertEquals(0, (int)(long)function.invokeExact(Native.capture(), RLIMIT_NOFILE, limits));
        }
        catch (final RuntimeException | Error e)
        {
            throw e;
        }
        catch (final Throwable t)
        {
            throw new AssertionError(t);
        }
    }

    private static void takeEveryDescriptor(final List<Closeable> fillers)
    {
        try
        {
            while (true)
            {
                fillers.add(new FileInputStream("/dev/null"));
            }
        }
        catch (final IOException e)
        {
            assertTrue(e.getMessage().contains("Too many open files"), e.getMessage());
        }
    }

    private static int highestDescriptor()
    {
        int highest = 0;
        for (final String name : Objects.requireNonNull(new File("/proc/self/fd").list()))
        {
            highest = Math.max(highest, Integer.parseInt(name));
        }
        return highest;
    }
}

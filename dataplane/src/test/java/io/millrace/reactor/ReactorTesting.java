package io.millrace.reactor;

import static org.junit.jupiter.api.Assertions.fail;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import java.lang.foreign.Arena;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * What the tests of reactors share.
 */
final class ReactorTesting
{
    static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

    private static final long SCRATCH = Arena.global().allocate(Long.BYTES, Long.BYTES).address();

    private ReactorTesting()
    {
    }

    static void await(final String what, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                fail("waited in vain: " + what);
            }
            LockSupport.parkNanos(20_000);
        }
    }

    static void pass(final long durationNs)
    {
        final long deadlineNs = System.nanoTime() + durationNs;
        while (System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(deadlineNs - System.nanoTime());
        }
    }

    static void awaitSleep(final Reactor reactor)
    {
        await("reactor sleeps", reactor::isSleeping);
    }

    static Reactor started(final String name)
    {
        return started(ReactorConfig.of(name, -1), ReactorErrorHandler.standard());
    }

    static Reactor started(final ReactorConfig config, final ReactorErrorHandler errors)
    {
        final Reactor reactor = new Reactor(config, errors);
        reactor.start();
        return reactor;
    }

    static int eventDescriptor(final boolean ready)
    {
        return NativeException.check("eventfd",
            Files.eventfd(ready ? 1 : 0, Files.EFD_CLOEXEC | Files.EFD_NONBLOCK));
    }

    static synchronized void makeReady(final int fd)
    {
        NativeMemory.putLong(SCRATCH, 1);
        NativeException.check("write", Files.write(fd, SCRATCH, Long.BYTES));
    }

    static synchronized void drain(final int fd)
    {
        NativeException.check("read", Files.read(fd, SCRATCH, Long.BYTES));
    }

    /** Keeps what goes wrong instead of stopping the process. */
    static final class Errors implements ReactorErrorHandler
    {
        final ConcurrentLinkedQueue<Throwable> ofCommands = new ConcurrentLinkedQueue<>();
        volatile Throwable broken;
        volatile Object brokenSource;

        @Override
        public void onCommandError(final Reactor reactor, final Runnable command, final Throwable error)
        {
            ofCommands.add(error);
        }

        @Override
        public void onBrokenInvariant(final Reactor reactor, final Object source, final Throwable error)
        {
            brokenSource = source;
            broken = error;
        }
    }
}

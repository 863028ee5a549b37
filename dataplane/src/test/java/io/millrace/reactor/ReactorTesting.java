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

    /** Who waits for the reactor is back as soon as it is done, while it makes ready for its next sleep. */
    private static final long SPIN_NS = 100_000;
    /** Half of the longest sleep. */
    private static final long UNWOKEN_NS = TimeUnit.MILLISECONDS.toNanos(500);

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

    /**
     * Waits for what a reactor was woken for. However slow the machine is, a reactor that was signalled is not asleep
     * any more: one that still sleeps after this long, with its work before it, was not.
     */
    static void awaitWoken(final Reactor reactor, final BooleanSupplier isDone)
    {
        final long startNs = System.nanoTime();
        while (!isDone.getAsBoolean() && System.nanoTime() - startNs < SPIN_NS)
        {
            Thread.onSpinWait();
        }
        await("woken", () ->
        {
            final boolean isAsleep = System.nanoTime() - startNs > UNWOKEN_NS && reactor.isSleeping();
            final boolean done = isDone.getAsBoolean();
            if (isAsleep && !done)
            {
                fail("sleeps on: it was not woken");
            }
            return done;
        });
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

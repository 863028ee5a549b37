package io.millrace.reactor;

import io.millrace.reactor.ReactorConfig.IdleMode;

/**
 * A reactor without a thread: a simulation runs its cycles, one after the other, on the thread of {@link #thread}.
 */
public final class SimulatedReactor implements AutoCloseable
{
    private final Reactor reactor;
    private final Kernel kernel;
    private Throwable failure;
    private long wakeNs;
    private boolean isAsleep;

    /**
     * Makes a reactor that is running.
     *
     * @param name   of the reactor.
     * @param spinNs without work before it sleeps.
     * @param kernel of the simulation.
     */
    public SimulatedReactor(final String name, final long spinNs, final Kernel kernel)
    {
        this.kernel = kernel;
        reactor = new Reactor(new ReactorConfig(name, -1, IdleMode.SLEEP, spinNs), new ReactorErrorHandler()
        {
            @Override
            public void onCommandError(final Reactor failed, final Runnable command, final Throwable error)
            {
                fail(error);
            }

            @Override
            public void onBrokenInvariant(final Reactor failed, final Object source, final Throwable error)
            {
                fail(error);
            }
        }, kernel);
        reactor.enter();
    }

    /**
     * {@return a thread on which a simulation runs reactors}
     *
     * @param task to run.
     * @param name of the thread.
     */
    public static Thread thread(final Runnable task, final String name)
    {
        return new ReactorThread(task, name);
    }

    private void fail(final Throwable error)
    {
        failure = null == failure ? error : failure;
    }

    public Reactor reactor()
    {
        return reactor;
    }

    public boolean isAsleep()
    {
        return isAsleep;
    }

    /**
     * {@return when it wakes up by itself; while it is asleep}
     */
    public long wakeNs()
    {
        return wakeNs;
    }

    /**
     * {@return whether it sleeps, nobody has signalled it, and there is work for it: it was not woken}
     */
    public boolean isOverslept()
    {
        if (!isAsleep || !reactor.isSleeping())
        {
            return false;
        }
        ReactorThread.run(reactor);
        try
        {
            return !reactor.canSleep();
        }
        finally
        {
            ReactorThread.run(null);
        }
    }

    /**
     * Runs a cycle, or the end of a sleep.
     *
     * @throws AssertionError when something on it has failed.
     */
    public void turn()
    {
        ReactorThread.run(reactor);
        try
        {
            if (isAsleep)
            {
                isAsleep = false;
                reactor.sleep(1);
            }
            else
            {
                final long timeoutNs = reactor.cycle();
                isAsleep = timeoutNs > 0;
                wakeNs = reactor.nowNs() + timeoutNs;
            }
        }
        catch (final Throwable t)
        {
            fail(t);
        }
        finally
        {
            ReactorThread.run(null);
        }
        if (null != failure)
        {
            throw new AssertionError("reactor " + reactor.config().name() + " failed: " + failure, failure);
        }
    }

    /** Runs a task as if it was the reactor's own, at once. */
    public void run(final Runnable task)
    {
        ReactorThread.run(reactor);
        try
        {
            task.run();
        }
        finally
        {
            ReactorThread.run(null);
        }
    }

    @Override
    public void close()
    {
        reactor.close();
    }
}

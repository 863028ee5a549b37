package io.millrace.reactor;

import io.millrace.bindings.NativeException;
import java.util.function.BooleanSupplier;

/**
 * A reactor without a thread of its own: it runs on the thread that waits for what it does, while that waits. For
 * set-up that does one thing after the other, where each would otherwise cost two switches between threads. To be
 * driven and closed by one thread, which is no reactor's; any thread may give it commands and wake it, and they wait
 * until it is driven again.
 */
public final class DrivenReactor implements AutoCloseable
{
    private final Reactor reactor;

    /**
     * Makes a reactor that is running.
     *
     * @param config       configuration; without a CPU, since the thread is the caller's.
     * @param errorHandler notified of commands that throw.
     * @throws IllegalArgumentException when the configuration names a CPU.
     * @throws NativeException          when the kernel gives the reactor no descriptors.
     */
    public DrivenReactor(final ReactorConfig config, final ReactorErrorHandler errorHandler)
    {
        if (config.cpu() >= 0)
        {
            throw new IllegalArgumentException("reactor " + config.name() + " is driven by threads of others and " +
                "cannot be pinned to CPU " + config.cpu() + ": give it none");
        }
        reactor = new Reactor(config, errorHandler);
        reactor.enter();
    }

    /**
     * {@return the reactor, which must not be started}
     */
    public Reactor reactor()
    {
        return reactor;
    }

    /**
     * Runs cycles until a condition holds; it sleeps as its configuration has it. An interrupt is noticed within a
     * second.
     *
     * @param until     the condition, which what runs on the reactor brings about, or a thread that wakes it.
     * @param timeoutNs how long at most; positive.
     * @return whether the condition holds.
     * @throws InterruptedException  when the calling thread was interrupted.
     * @throws IllegalStateException on a thread of any reactor.
     */
    public boolean drive(final BooleanSupplier until, final long timeoutNs) throws InterruptedException
    {
        Reactor.checkMayBlock("the wait for reactor " + reactor.config().name());
        final long endNs = reactor.clockNs() + timeoutNs;
        reactor.driver(Thread.currentThread());
        try
        {
            while (!until.getAsBoolean())
            {
                final long sleepNs = reactor.cycle();
                if (sleepNs > 0)
                {
                    // A poller may have brought it about that counts nothing.
                    reactor.sleep(until.getAsBoolean() ? 1 : Math.clamp(endNs - reactor.nowNs(), 1, sleepNs));
                }
                if (Thread.interrupted())
                {
                    throw new InterruptedException();
                }
                if (endNs - reactor.nowNs() <= 0)
                {
                    return until.getAsBoolean();
                }
            }
            return true;
        }
        finally
        {
            reactor.driver(null);
        }
    }

    /** Ends it; commands since it was driven last do not run. A second call does nothing. */
    @Override
    public void close()
    {
        reactor.rejectCommands();
        reactor.close();
    }
}

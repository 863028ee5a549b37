package io.millrace.block.nvme;

import io.millrace.reactor.Reactor;
import java.util.concurrent.locks.LockSupport;

/**
 * Deadline of a wait on the controller's own thread. Never used on a reactor, whose clock is
 * {@link io.millrace.reactor.Reactor#nowNs()}.
 */
final class Deadline
{
    private static final long PAUSE_NS = 20_000;

    private final long endNs;

    private Deadline(final long endNs)
    {
        this.endNs = endNs;
    }

    /**
     * {@return the point in time so far ahead}
     *
     * @param timeoutNs from now on.
     */
    static Deadline in(final long timeoutNs)
    {
        return new Deadline(System.nanoTime() + timeoutNs);
    }

    /**
     * {@return whether it has come}
     */
    boolean isPast()
    {
        return System.nanoTime() - endNs >= 0;
    }

    /**
     * {@return how long it takes to come; 0 when it has}
     */
    long leftNs()
    {
        return Math.max(0, endNs - System.nanoTime());
    }

    /** Pauses the thread briefly. */
    static void pause()
    {
        Reactor.checkMayBlock("a pause");
        LockSupport.parkNanos(PAUSE_NS);
    }
}

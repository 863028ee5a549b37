package io.millrace.nvmf;

import io.millrace.reactor.Reactor;

/**
 * How long admin commands may keep a reactor from I/O in one of its cycles: one in any case, others until
 * {@link #BUDGET_NS} have gone. Some look at every namespace or subsystem there is, and a host may send as many at once
 * as its queue holds. Those whose turn it is not wait with their capsules. Single-threaded.
 */
final class AdminTurn
{
    static final long BUDGET_NS = 200_000;

    private final Reactor reactor;
    private long spentNs;

    /**
     * Nothing of the first cycle is spent.
     *
     * @param reactor that carries the commands out.
     */
    AdminTurn(final Reactor reactor)
    {
        this.reactor = reactor;
    }

    /**
     * {@return whether one more may begin in this cycle}
     */
    boolean hasTime()
    {
        return spentNs < BUDGET_NS;
    }

    /**
     * {@return whether one has begun in this cycle}
     */
    boolean isBegun()
    {
        return 0 != spentNs;
    }

    /**
     * {@return the clock, for {@link #end}}
     */
    long begin()
    {
        return reactor.clockNs();
    }

    /**
     * A command was carried out.
     *
     * @param startNs of {@link #begin}.
     */
    void end(final long startNs)
    {
        spentNs += Math.max(1, reactor.clockNs() - startNs);
    }

    /** The next cycle begins. */
    void next()
    {
        spentNs = 0;
    }
}

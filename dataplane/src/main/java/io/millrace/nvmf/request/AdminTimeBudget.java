package io.millrace.nvmf.request;

import io.millrace.reactor.Reactor;

/**
 * How long admin commands may keep a reactor from I/O in one of its cycles: one in any case, others until
 * {@link #BUDGET_NS} have gone. Some look at every namespace or subsystem there is, and a host may send as many at once
 * as its queue holds. Those whose turn it is not wait with their capsules, or, when they have begun and go on with a
 * buffer or the next part of an answer, in a line here, which comes first in the next cycle. Single-threaded.
 */
public final class AdminTimeBudget
{
    /** Time of a cycle for admin commands; one runs in any case. */
    public static final long BUDGET_NS = 200_000;

    private final Reactor reactor;
    private final RequestQueue waiting = new RequestQueue();
    private long spentNs;

    /**
     * Creates a budget of which nothing is used.
     *
     * @param reactor that executes the commands.
     */
    public AdminTimeBudget(final Reactor reactor)
    {
        this.reactor = reactor;
    }

    /**
     * {@return whether one more command may begin in this cycle}
     */
    public boolean hasTime()
    {
        return spentNs < BUDGET_NS;
    }

    /**
     * {@return whether a command has begun in this cycle}
     */
    public boolean isBegun()
    {
        return 0 != spentNs;
    }

    /**
     * {@return the clock, for {@link #end}}
     */
    public long begin()
    {
        return reactor.clockNs();
    }

    /**
     * A command was executed.
     *
     * @param startNs of {@link #begin}.
     */
    public void end(final long startNs)
    {
        spentNs += Math.max(1, reactor.clockNs() - startNs);
    }

    /**
     * {@return whether a command waits for its turn}
     */
    public boolean isAnyWaiting()
    {
        return 0 != waiting.size();
    }

    /**
     * Puts a command in the queue that has begun and cannot go on in this cycle.
     *
     * @param request of the command, in no other line.
     */
    public void await(final Request request)
    {
        request.phase(RequestPhase.AWAITING_NEXT_TURN);
        waiting.add(request);
    }

    /**
     * Takes a command out of the line.
     *
     * @param request that waits in it.
     */
    public void cancel(final Request request)
    {
        waiting.remove(request);
    }

    /** The next cycle begins: those who wait here go on as far as there is time. */
    public void next()
    {
        spentNs = 0;
        while (0 != waiting.size() && hasTime())
        {
            final Request request = waiting.first();
            waiting.remove(request);
            request.owner().resume(request);
        }
    }
}

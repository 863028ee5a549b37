package io.millrace.nvmf;

import io.millrace.nvmf.request.AdminTimeBudget;

/**
 * The time of reactors for admin commands, for tests of transports.
 */
public final class AdminTurns
{
    private AdminTurns()
    {
    }

    /**
     * Leaves nothing of it for the rest of the cycle.
     *
     * @param pollGroup of the reactor, whose thread calls this.
     */
    public static void spend(final PollGroup pollGroup)
    {
        pollGroup.resources().adminTimeBudget().end(pollGroup.reactor().clockNs() - AdminTimeBudget.BUDGET_NS);
    }
}

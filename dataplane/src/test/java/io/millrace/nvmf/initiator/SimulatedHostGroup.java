package io.millrace.nvmf.initiator;

/**
 * The end of a poll group in a simulation, which waits for nothing.
 */
public final class SimulatedHostGroup
{
    private SimulatedHostGroup()
    {
    }

    /** On its reactor, between two turns. */
    public static void leave(final HostPollGroup group)
    {
        group.leave();
    }
}

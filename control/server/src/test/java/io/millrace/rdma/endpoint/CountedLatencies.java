package io.millrace.rdma.endpoint;

import io.millrace.bindings.verbs.Verbs;

/** Counts latencies as connections do. */
public final class CountedLatencies
{
    private CountedLatencies()
    {
    }

    /**
     * Counts RDMA WRITE requests.
     *
     * @param counters    of their device.
     * @param latenciesNs that they had.
     */
    public static void writes(final DeviceCounters counters, final long... latenciesNs)
    {
        for (final long latencyNs : latenciesNs)
        {
            counters.onTimed(Verbs.IBV_WR_RDMA_WRITE, latencyNs);
        }
    }
}

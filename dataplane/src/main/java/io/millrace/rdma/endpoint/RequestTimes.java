package io.millrace.rdma.endpoint;

/**
 * When the outstanding requests of a send queue were posted, by the clock of the reactor's cycles. A latency ends with
 * the cycle that finds the completion; that of a request without a completion is known when it was posted in the same
 * cycle as the later request that reports it, as an RDMA WRITE before its SEND is. Reactor's thread; nothing is
 * allocated.
 */
final class RequestTimes
{
    private final DeviceCounters counters;
    private final int mask;
    private final int[] opcodes;
    private final long[] postedNs;

    /**
     * Knows none.
     *
     * @param counters of the latencies.
     * @param depth    most requests outstanding.
     */
    RequestTimes(final DeviceCounters counters, final int depth)
    {
        this.counters = counters;
        final int capacity = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
        mask = capacity - 1;
        opcodes = new int[capacity];
        postedNs = new long[capacity];
    }

    /** A request was posted. */
    void onPosted(final int sequence, final int opcode, final long nowNs)
    {
        opcodes[sequence & mask] = opcode;
        postedNs[sequence & mask] = nowNs;
    }

    /**
     * A request has succeeded, and all before it.
     *
     * @param first the oldest one outstanding.
     * @param last  the one that was reported.
     * @param nowNs of this cycle.
     */
    void onSucceeded(final int first, final int last, final long nowNs)
    {
        final long lastNs = postedNs[last & mask];
        for (int sequence = first; sequence - last <= 0; sequence++)
        {
            if (lastNs == postedNs[sequence & mask])
            {
                counters.onTimed(opcodes[sequence & mask], nowNs - lastNs);
            }
        }
    }
}

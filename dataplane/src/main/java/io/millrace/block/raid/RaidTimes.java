package io.millrace.block.raid;

/**
 * How often {@link ArrayWork} does what waits, and how long others wait. Immutable.
 *
 * @param clearNs      between two looks for regions of the write-intent bitmap that nobody writes any more.
 * @param checkpointNs between two superblocks with the progress of a rebuild.
 * @param closeNs      after which a channel that closes gives up members that do not end a write.
 * @param hedgeNs      that a read takes at least before others are asked, too.
 * @param retryNs      after which work that was stopped by a block that cannot be computed is tried again.
 */
record RaidTimes(long clearNs, long checkpointNs, long closeNs, long hedgeNs, long retryNs)
{
    private static final long CLOSE_NS = 10_000_000_000L;
    private static final long HEDGE_NS = 250_000;
    private static final long RETRY_NS = 60_000_000_000L;

    /** Of arrays in service. */
    static final RaidTimes DEFAULT = new RaidTimes(2_000_000_000L, 5_000_000_000L);

    RaidTimes(final long clearNs, final long checkpointNs)
    {
        this(clearNs, checkpointNs, CLOSE_NS);
    }

    RaidTimes(final long clearNs, final long checkpointNs, final long closeNs)
    {
        this(clearNs, checkpointNs, closeNs, HEDGE_NS);
    }

    RaidTimes(final long clearNs, final long checkpointNs, final long closeNs, final long hedgeNs)
    {
        this(clearNs, checkpointNs, closeNs, hedgeNs, RETRY_NS);
    }
}

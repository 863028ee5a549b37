package io.millrace.block.raid;

/**
 * How often {@link ArrayWork} does what waits. Immutable.
 *
 * @param clearNs      between two looks for regions of the write-intent bitmap that nobody writes any more.
 * @param checkpointNs between two superblocks with the progress of a rebuild.
 */
record RaidTimes(long clearNs, long checkpointNs)
{
    /** Of arrays in service. */
    static final RaidTimes DEFAULT = new RaidTimes(2_000_000_000L, 5_000_000_000L);
}

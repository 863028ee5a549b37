package io.millrace.block.raid;

/**
 * How often {@link ArrayWork} does what waits, and how fast. Immutable.
 *
 * @param clearNs       between two looks for regions of the write-intent bitmap that nobody writes any more.
 * @param checkpointNs  between two superblocks with the progress of a rebuild.
 * @param copyBytesPerS of a rebuild or a resync.
 */
record RaidTimes(long clearNs, long checkpointNs, long copyBytesPerS)
{
    /** Of arrays in service. */
    static final RaidTimes DEFAULT = new RaidTimes(2_000_000_000L, 5_000_000_000L, 256L << 20);
}

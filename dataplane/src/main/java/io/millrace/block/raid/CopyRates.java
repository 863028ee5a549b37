package io.millrace.block.raid;

/**
 * Bounds of the rate of a rebuild, a resync or a scrub. Immutable.
 *
 * @param minBytesPerS of each member, also beside hosts; above 0.
 * @param maxBytesPerS of each member, also without hosts; at least the other.
 */
public record CopyRates(long minBytesPerS, long maxBytesPerS)
{
    /** When none are given. */
    public static final CopyRates DEFAULT = new CopyRates(16L << 20, 1L << 30);
}

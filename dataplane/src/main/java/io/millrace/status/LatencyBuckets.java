package io.millrace.status;

/**
 * Buckets of latencies: by eights of each power of two of a microsecond, from 1 µs to 67 s, and by eights of the first
 * microsecond below. A bucket is at most an eighth as wide as its lower bound, so its middle is within 6.25 % of every
 * latency in it (below 1 µs, within 62.5 ns). What is longer is in the last bucket. Stateless.
 */
public final class LatencyBuckets
{
    /** Log2 of the buckets in each power of two. */
    public static final int SUB_BUCKET_BITS = 3;
    /** Width of the narrowest bucket. */
    public static final long UNIT_NS = 125;
    /** How many there are: 8 below 1 µs, and 8 for each of 26 powers of two. */
    public static final int COUNT = 216;

    private static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;
    /** Shifts a number of units of which the highest bit is bit n to the left of the point by n - 3. */
    private static final int SHIFT_BASE = Long.SIZE - 1 - SUB_BUCKET_BITS;

    private LatencyBuckets()
    {
    }

    /**
     * {@return the bucket of a latency, from 0}
     *
     * @param latencyNs any; negative is taken as 0.
     */
    public static int index(final long latencyNs)
    {
        final long units = latencyNs / UNIT_NS;
        if (units < SUB_BUCKETS)
        {
            return Math.max(0, (int)units);
        }
        final int shift = SHIFT_BASE - Long.numberOfLeadingZeros(units);
        return Math.min(COUNT - 1, (shift << SUB_BUCKET_BITS) + (int)(units >>> shift));
    }

    /**
     * {@return the latency at which a bucket begins}
     *
     * @param index of the bucket.
     */
    public static long lowerBoundNs(final int index)
    {
        return 0 == index ? 0 : upperBoundNs(index - 1);
    }

    /**
     * {@return the latency that is above all of a bucket, the last one's too though it holds what is longer}
     *
     * @param index of the bucket.
     */
    public static long upperBoundNs(final int index)
    {
        if (index < 0 || index >= COUNT)
        {
            throw new IllegalArgumentException("bucket " + index + " is not within 0 to " + (COUNT - 1));
        }
        if (index < SUB_BUCKETS)
        {
            return (index + 1) * UNIT_NS;
        }
        final int shift = (index >> SUB_BUCKET_BITS) - 1;
        return ((long)(SUB_BUCKETS + 1 + (index & (SUB_BUCKETS - 1))) << shift) * UNIT_NS;
    }
}

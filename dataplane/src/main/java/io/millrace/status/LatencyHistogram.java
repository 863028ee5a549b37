package io.millrace.status;

import java.util.Arrays;

/**
 * Latencies by {@link LatencyBuckets}. Immutable.
 */
public final class LatencyHistogram
{
    /** No latency. */
    public static final LatencyHistogram EMPTY = new LatencyHistogram(new long[LatencyBuckets.COUNT], 0, 0);

    private final long[] counts;
    private final long count;
    private final long sumNs;
    private final long longestNs;

    private LatencyHistogram(final long[] counts, final long sumNs, final long longestNs)
    {
        this.counts = counts;
        this.sumNs = sumNs;
        this.longestNs = longestNs;
        count = Arrays.stream(counts).sum();
    }

    /**
     * Made of numbers that were counted.
     *
     * @param counts    of the buckets, from the first on; copied.
     * @param sumNs     of all latencies.
     * @param longestNs of them.
     * @return the histogram.
     */
    public static LatencyHistogram of(final long[] counts, final long sumNs, final long longestNs)
    {
        return new LatencyHistogram(Arrays.copyOf(counts, LatencyBuckets.COUNT), sumNs, longestNs);
    }

    /**
     * {@return how many latencies there are}
     */
    public long count()
    {
        return count;
    }

    /**
     * {@return how many are in a bucket}
     *
     * @param bucket from 0.
     */
    public long count(final int bucket)
    {
        return counts[bucket];
    }

    /**
     * {@return sum of all}
     */
    public long sumNs()
    {
        return sumNs;
    }

    /**
     * {@return the longest; of a difference, at most as long as the last bucket's end}
     */
    public long longestNs()
    {
        return longestNs;
    }

    /**
     * {@return the average; 0 when there is none}
     */
    public long meanNs()
    {
        return 0 == count ? 0 : sumNs / count;
    }

    /**
     * {@return a latency that so many are not above: the middle of its bucket, never above the longest; 0 when there is
     *     none}
     *
     * @param percentile from 0 to 100.
     */
    public long percentileNs(final double percentile)
    {
        long left = Math.max(1, (long)Math.ceil(count * percentile / 100));
        for (int i = 0; i < counts.length; i++)
        {
            left -= counts[i];
            if (left <= 0)
            {
                return Math.min(longestNs,
                    (LatencyBuckets.lowerBoundNs(i) + LatencyBuckets.upperBoundNs(i)) / 2);
            }
        }
        return longestNs;
    }

    /**
     * {@return these latencies and others}
     *
     * @param other to add.
     */
    public LatencyHistogram plus(final LatencyHistogram other)
    {
        final long[] sums = new long[LatencyBuckets.COUNT];
        Arrays.setAll(sums, (i) -> counts[i] + other.counts[i]);
        return new LatencyHistogram(sums, sumNs + other.sumNs, Math.max(longestNs, other.longestNs));
    }

    /**
     * {@return the latencies that came after an earlier reading of the same; these when it is not an earlier one}
     *
     * @param earlier reading.
     */
    public LatencyHistogram minus(final LatencyHistogram earlier)
    {
        final long[] differences = new long[LatencyBuckets.COUNT];
        int last = -1;
        for (int i = 0; i < counts.length; i++)
        {
            differences[i] = counts[i] - earlier.counts[i];
            if (differences[i] < 0)
            {
                return this;
            }
            last = differences[i] > 0 ? i : last;
        }
        return new LatencyHistogram(differences, Math.max(0, sumNs - earlier.sumNs),
            last < 0 ? 0 : Math.min(longestNs, LatencyBuckets.COUNT - 1 == last ? Long.MAX_VALUE :
                LatencyBuckets.upperBoundNs(last)));
    }
}

package io.millrace.bench;

/**
 * Latencies in buckets that are an eighth of their power of two wide. Single-threaded; nothing is allocated per entry.
 */
final class LatencyBuckets
{
    private static final int FRACTION_BITS = 3;
    private static final int FRACTION_MASK = (1 << FRACTION_BITS) - 1;
    private static final int PERCENT = 100;

    private final long[] counts = new long[Long.SIZE << FRACTION_BITS];
    private long count;
    private long sumNs;

    void add(final long latencyNs)
    {
        count++;
        sumNs += latencyNs;
        counts[index(latencyNs)]++;
    }

    double averageNs()
    {
        return (double)sumNs / count;
    }

    /**
     * {@return upper bound of the bucket in which a percentile lies}
     *
     * @param percent from 0 to 100.
     */
    long percentileNs(final int percent)
    {
        long left = (count * percent + PERCENT - 1) / PERCENT;
        int index = 0;
        while (left > counts[index])
        {
            left -= counts[index];
            index++;
        }
        return boundNs(index);
    }

    private static int index(final long latencyNs)
    {
        final long value = Math.max(latencyNs, 1 << FRACTION_BITS);
        final int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
        return power << FRACTION_BITS | (int)(value >>> power - FRACTION_BITS) & FRACTION_MASK;
    }

    private static long boundNs(final int index)
    {
        final int power = index >>> FRACTION_BITS;
        return (1L << power) + ((index & FRACTION_MASK) + 1L << Math.max(0, power - FRACTION_BITS));
    }
}

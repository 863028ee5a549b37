package io.millrace.status;

import io.millrace.rdma.endpoint.DeviceCounters;
import java.util.List;

/**
 * Latencies of one kind of requests of an RDMA device. Immutable.
 *
 * @param buckets how many there are in each of {@link DeviceCounters#BUCKETS}.
 * @param sumNs   all of them, added up.
 */
public record RdmaLatencies(List<Long> buckets, long sumNs)
{
    /** Copies the list. */
    public RdmaLatencies
    {
        buckets = List.copyOf(buckets);
    }

    /**
     * {@return how many there are}
     */
    public long count()
    {
        return buckets.stream().mapToLong(Long::longValue).sum();
    }

    /**
     * {@return the average; 0 when there is none}
     */
    public long meanNs()
    {
        final long count = count();
        return 0 == count ? 0 : sumNs / count;
    }

    /**
     * {@return a latency that so many are not above, as if those of a bucket were spread evenly over it, which is
     *     within a factor of two; where the last bucket begins, when it is in that; 0 when there is none}
     *
     * @param percentile from 0 to 100.
     */
    public long percentileNs(final double percentile)
    {
        final long rank = Math.max(1, (long)Math.ceil(count() * percentile / 100));
        long below = 0;
        for (int i = 0; i < buckets.size(); i++)
        {
            final long inBucket = buckets.get(i);
            if (below + inBucket >= rank)
            {
                final long fromNs = lowerBoundNs(i);
                return buckets.size() - 1 == i ? fromNs :
                    fromNs + (DeviceCounters.upperBoundNs(i) - fromNs) * (rank - below) / inBucket;
            }
            below += inBucket;
        }
        return 0;
    }

    /**
     * {@return what the latencies of a bucket are above; 0 for the first}
     *
     * @param bucket from 0.
     */
    public static long lowerBoundNs(final int bucket)
    {
        return 0 == bucket ? 0 : DeviceCounters.upperBoundNs(bucket - 1);
    }
}

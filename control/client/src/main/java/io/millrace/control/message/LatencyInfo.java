package io.millrace.control.message;

import io.millrace.control.codec.IoKind;
import java.util.List;
import java.util.Objects;

/**
 * What was done to a namespace, or by a host, with one kind of command. A namespace counts since its first I/O after it
 * was added, a host since its first I/O, as long as the data plane remembers it.
 *
 * @param name        NQN of the subsystem, or of the host.
 * @param nsid        of the namespace; 0: this is of a host.
 * @param ioKind      of the commands.
 * @param count       of those that succeeded.
 * @param lengthBytes of their data.
 * @param errors      commands that failed.
 * @param sumNs       of the latencies of those that succeeded, from arrival until the socket had the answer.
 * @param longestNs   of them.
 * @param buckets     that are not empty, ascending, at most {@link #BUCKETS_MAX}.
 */
public record LatencyInfo(
    String name,
    int nsid,
    IoKind ioKind,
    long count,
    long lengthBytes,
    long errors,
    long sumNs,
    long longestNs,
    List<LatencyBucket> buckets)
    implements Resource
{
    /** Most buckets that one record carries. */
    public static final int BUCKETS_MAX = 128;

    /**
     * Refuses null and what does not fit.
     */
    public LatencyInfo
    {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(ioKind, "ioKind");
        buckets = List.copyOf(buckets);
        if (buckets.size() > BUCKETS_MAX)
        {
            throw new IllegalArgumentException(buckets.size() + " buckets are more than " + BUCKETS_MAX);
        }
    }

    /**
     * {@return whether it is of a host, not of a namespace}
     */
    public boolean isHost()
    {
        return 0 == nsid;
    }

    /**
     * {@return a latency that so many are not above: the middle of its bucket, never above the longest; 0 when there is
     *     none}
     *
     * @param percentile from 0 to 100.
     */
    public long percentileNs(final double percentile)
    {
        final long total = buckets.stream().mapToLong(LatencyBucket::count).sum();
        long left = Math.max(1, (long)Math.ceil(total * percentile / 100));
        for (final LatencyBucket bucket : buckets)
        {
            left -= bucket.count();
            if (left <= 0)
            {
                return Math.min(longestNs, (bucket.fromNs() + bucket.belowNs()) / 2);
            }
        }
        return longestNs;
    }
}

package io.millrace.control.agent;

import io.millrace.control.codec.IoKind;
import io.millrace.control.message.LatencyBucket;
import io.millrace.control.message.LatencyInfo;
import io.millrace.status.IoOperation;
import io.millrace.status.IoStatus;
import io.millrace.status.LatencyBuckets;
import io.millrace.status.LatencyHistogram;
import io.millrace.status.OperationStatus;
import io.millrace.status.StatusSnapshot;
import java.util.ArrayList;
import java.util.List;

/**
 * Maps latency measurements of a data plane to records. Stateless.
 */
final class Latencies
{
    /** Measurements of one kind of command. */
    record Part(IoStatus io, IoOperation operation)
    {
    }

    private Latencies()
    {
    }

    /**
     * {@return measurements that are not empty}
     *
     * @param snapshot of the data plane.
     * @param only     NQN of a subsystem or host; null for all.
     */
    static List<Part> of(final StatusSnapshot snapshot, final String only)
    {
        final List<Part> parts = new ArrayList<>();
        add(parts, snapshot.namespaces(), only);
        add(parts, snapshot.hosts(), only);
        return parts;
    }

    private static void add(final List<Part> parts, final List<IoStatus> all, final String only)
    {
        for (final IoStatus io : all)
        {
            for (final IoOperation operation : IoOperation.values())
            {
                if ((null == only || only.equals(io.name())) && !io.operation(operation).isEmpty())
                {
                    parts.add(new Part(io, operation));
                }
            }
        }
    }

    static LatencyInfo info(final Part part)
    {
        final OperationStatus done = part.io().operation(part.operation());
        final LatencyHistogram latencies = done.latencies();
        return new LatencyInfo(part.io().name(), part.io().nsid(), kind(part.operation()), latencies.count(),
            done.bytes(), done.errors(), latencies.sumNs(), latencies.longestNs(), buckets(latencies));
    }

    private static IoKind kind(final IoOperation operation)
    {
        return switch (operation)
        {
            case READ -> IoKind.READ;
            case WRITE -> IoKind.WRITE;
            case OTHER -> IoKind.OTHER;
        };
    }

    /** If a record cannot hold all buckets, pairs are merged: twice as wide, within the same power of two. */
    private static List<LatencyBucket> buckets(final LatencyHistogram latencies)
    {
        final List<LatencyBucket> buckets = buckets(latencies, 1);
        return buckets.size() <= LatencyInfo.BUCKETS_MAX ? buckets : buckets(latencies, 2);
    }

    private static List<LatencyBucket> buckets(final LatencyHistogram latencies, final int width)
    {
        final List<LatencyBucket> buckets = new ArrayList<>();
        for (int first = 0; first < LatencyBuckets.COUNT; first += width)
        {
            long count = 0;
            for (int i = first; i < first + width; i++)
            {
                count += latencies.count(i);
            }
            if (count > 0)
            {
                buckets.add(new LatencyBucket(LatencyBuckets.lowerBoundNs(first),
                    LatencyBuckets.upperBoundNs(first + width - 1), count));
            }
        }
        return buckets;
    }
}

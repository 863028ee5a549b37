package io.millrace.manager.metrics;

import static java.util.Map.entry;

import io.millrace.control.message.CounterInfo;
import io.millrace.rdma.endpoint.DeviceCounters;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.ReactorCounters;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Which metric a value of the status file is. What is none, or is told in another record, has no entry; a test holds
 * that each has an entry or a reason. Stateless.
 */
final class StatusMetrics
{
    private static final double NS_PER_S = 1e9;
    /** Connections come and go: their names would make time series without end. */
    private static final String CONNECTION = "connection";

    /** Of the data plane. */
    static final Map<DataPlaneCounters.Value, Metric> DATA_PLANE = Map.ofEntries(
        entry(DataPlaneCounters.Value.ACCEPTED, Metric.CONNECTIONS_ACCEPTED),
        entry(DataPlaneCounters.Value.REFUSED, Metric.CONNECTIONS_REFUSED),
        entry(DataPlaneCounters.Value.CLOSED, Metric.CONNECTIONS_CLOSED),
        entry(DataPlaneCounters.Value.ACCEPT_PAUSES, Metric.ACCEPT_PAUSES),
        entry(DataPlaneCounters.Value.CONNECT_TIMEOUTS, Metric.CONNECT_TIMEOUTS),
        entry(DataPlaneCounters.Value.HEADER_DIGEST_ERRORS, Metric.HEADER_DIGEST_ERRORS),
        entry(DataPlaneCounters.Value.DATA_DIGEST_ERRORS, Metric.DATA_DIGEST_ERRORS),
        entry(DataPlaneCounters.Value.STALLED_CAPSULES, Metric.STALLED_CAPSULES),
        entry(DataPlaneCounters.Value.COPIED_LOANS, Metric.COPIED_LOANS),
        entry(DataPlaneCounters.Value.HOST_TERMINATIONS, Metric.HOST_TERMINATIONS),
        entry(DataPlaneCounters.Value.DATA_TIMEOUTS, Metric.DATA_TIMEOUTS),
        entry(DataPlaneCounters.Value.SEND_TIMEOUTS, Metric.SEND_TIMEOUTS),
        entry(DataPlaneCounters.Value.REFUSED_PENDING, Metric.CONNECTIONS_REFUSED_PENDING),
        entry(DataPlaneCounters.Value.REFUSED_CONNECTS, Metric.CONNECTS_REFUSED),
        entry(DataPlaneCounters.Value.PENDING_CONNECTIONS, Metric.CONNECTIONS_PENDING),
        entry(DataPlaneCounters.Value.REFUSED_DISCOVERY, Metric.DISCOVERY_REFUSED),
        entry(DataPlaneCounters.Value.DISCOVERY_CONNECTIONS, Metric.DISCOVERY_CONNECTIONS),
        entry(DataPlaneCounters.Value.DEFERRED_CAPSULES, Metric.DEFERRED_CAPSULES));
    /** Of each reactor. */
    static final Map<ReactorCounters.Value, Metric> REACTOR = Map.of(
        ReactorCounters.Value.SLEEPS, Metric.REACTOR_SLEEPS,
        ReactorCounters.Value.REQUEST_WAITS, Metric.REQUEST_WAITS);

    /** Of each RDMA device. */
    static final Map<DeviceCounters.Value, RdmaMetric> RDMA = rdma();

    /**
     * A metric of an RDMA device.
     *
     * @param metric of the value.
     * @param label  operation or status; empty when it has none.
     */
    record RdmaMetric(Metric metric, String label)
    {
    }

    /** Buckets of latencies of RDMA devices, by the name of their counter. */
    private static final Map<String, Bucket> RDMA_BUCKETS = buckets();

    private record Bucket(DeviceCounters.Timed timed, int index)
    {
    }

    private StatusMetrics()
    {
    }

    private static Map<String, Bucket> buckets()
    {
        final Map<String, Bucket> buckets = new HashMap<>();
        for (final DeviceCounters.Timed timed : DeviceCounters.Timed.values())
        {
            for (int i = 0; i < DeviceCounters.BUCKETS; i++)
            {
                buckets.put(timed.bucketName(i), new Bucket(timed, i));
            }
        }
        return buckets;
    }

    private static Map<DeviceCounters.Value, RdmaMetric> rdma()
    {
        final Map<DeviceCounters.Value, RdmaMetric> metrics = new EnumMap<>(DeviceCounters.Value.class);
        for (final DeviceCounters.Value value : DeviceCounters.Value.values())
        {
            metrics.put(value, switch (value)
            {
                case SENDS -> new RdmaMetric(Metric.RDMA_OPERATIONS, "send");
                case SENT_BYTES -> new RdmaMetric(Metric.RDMA_BYTES, "send");
                case RECEIVES -> new RdmaMetric(Metric.RDMA_OPERATIONS, "receive");
                case RECEIVED_BYTES -> new RdmaMetric(Metric.RDMA_BYTES, "receive");
                case READS -> new RdmaMetric(Metric.RDMA_OPERATIONS, "read");
                case READ_BYTES -> new RdmaMetric(Metric.RDMA_BYTES, "read");
                case WRITES -> new RdmaMetric(Metric.RDMA_OPERATIONS, "write");
                case WRITTEN_BYTES -> new RdmaMetric(Metric.RDMA_BYTES, "write");
                case ATOMICS -> new RdmaMetric(Metric.RDMA_OPERATIONS, "atomic");
                case OTHERS -> new RdmaMetric(Metric.RDMA_OPERATIONS, "other");
                case QUEUE_PAIRS -> new RdmaMetric(Metric.RDMA_QUEUE_PAIRS, "");
                case CONNECTIONS -> new RdmaMetric(Metric.RDMA_CONNECTIONS, "");
                case SEND_NS -> new RdmaMetric(Metric.RDMA_LATENCY, "send");
                case READ_NS -> new RdmaMetric(Metric.RDMA_LATENCY, "read");
                case WRITE_NS -> new RdmaMetric(Metric.RDMA_LATENCY, "write");
                case ATOMIC_NS -> new RdmaMetric(Metric.RDMA_LATENCY, "atomic");
                case REMOVALS -> new RdmaMetric(Metric.RDMA_REMOVALS, "");
                default -> new RdmaMetric(Metric.RDMA_ERRORS, value.status().verbsName());
            });
        }
        return metrics;
    }

    /** Adds a value, unless it is none that this version knows. */
    static void add(final Samples samples, final String plane, final CounterInfo info)
    {
        if (info.isOfHolder())
        {
            holder(samples, plane, info);
        }
        else if (CounterInfo.DATA_PLANE.equals(info.group()))
        {
            DATA_PLANE.forEach((value, metric) ->
            {
                if (value.name().equals(info.counter()))
                {
                    samples.add(metric, info.value(), plane);
                }
            });
        }
        else if (CounterInfo.RDMA_DEVICE.equals(info.group()))
        {
            rdma(samples, plane, info);
        }
        else if (CounterInfo.SPDK_BDEV.equals(info.group()))
        {
            for (final BdevCounter counter : BdevCounter.values())
            {
                if (counter.name().equals(info.counter()))
                {
                    counter.add(samples, info.value(), plane, info.subject());
                }
            }
        }
        else if (CounterInfo.REACTOR.equals(info.group()))
        {
            REACTOR.forEach((value, metric) ->
            {
                if (value.name().equals(info.counter()))
                {
                    samples.add(metric, info.value(), plane, info.reactor());
                }
            });
        }
    }

    private static void rdma(final Samples samples, final String plane, final CounterInfo info)
    {
        RDMA.forEach((value, rdma) ->
        {
            if (value.name().equals(info.counter()))
            {
                if (Metric.RDMA_LATENCY == rdma.metric())
                {
                    samples.addSeconds(
                        rdma.metric(), info.value() / NS_PER_S, plane, info.subject(), rdma.label());
                }
                else if (rdma.label().isEmpty())
                {
                    samples.add(rdma.metric(), info.value(), plane, info.subject());
                }
                else
                {
                    samples.add(rdma.metric(), info.value(), plane, info.subject(), rdma.label());
                }
            }
        });
        final Bucket bucket = RDMA_BUCKETS.get(info.counter());
        if (null != bucket)
        {
            samples.addBucket(Metric.RDMA_LATENCY, bucket.index(), info.value(), plane, info.subject(),
                RDMA.get(bucket.timed().sum()).label());
        }
    }

    private static void holder(final Samples samples, final String plane, final CounterInfo info)
    {
        if (CONNECTION.equals(info.group()))
        {
            return;
        }
        final String[] labels = {plane, info.reactor(), info.group(), info.subject()};
        switch (info.counter())
        {
            case CounterInfo.HELD_BYTES -> samples.add(Metric.HOLDER_BYTES, info.value(), labels);
            case CounterInfo.WAITING -> samples.add(Metric.HOLDER_WAITING, info.value(), labels);
            case CounterInfo.LONGEST_HOLD_NS -> samples.add(Metric.HOLDER_LONGEST, info.value() / NS_PER_S, labels);
            default ->
            {
                // Of a later version.
            }
        }
    }
}

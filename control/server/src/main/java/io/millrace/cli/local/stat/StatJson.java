package io.millrace.cli.local.stat;

import io.millrace.status.BufferHolderStatus;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.DeviceCounters;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.DeviceErrorStatus;
import io.millrace.status.ErrorStatus;
import io.millrace.status.IoOperation;
import io.millrace.status.IoStatus;
import io.millrace.status.LatencyBuckets;
import io.millrace.status.LatencyHistogram;
import io.millrace.status.OperationStatus;
import io.millrace.status.QueuePairStatus;
import io.millrace.status.RdmaDeviceStatus;
import io.millrace.status.RdmaLatencies;
import io.millrace.status.ReactorCounters;
import io.millrace.status.ReactorStatus;
import io.millrace.status.StatusSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A status file for programs: everything in it, as maps and lists. Stateless.
 */
final class StatJson
{
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

    private StatJson()
    {
    }

    static Map<String, Object> of(final StatView view)
    {
        final StatusSnapshot snapshot = view.snapshot();
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("file", view.file().toString());
        map.put("program", snapshot.program());
        map.put("process-id", snapshot.processId());
        map.put("state", view.state().name().toLowerCase(Locale.ROOT));
        map.put("started-at", time(snapshot.startEpochMs()));
        map.put("stopped-at", time(snapshot.stopEpochMs()));
        map.put("written-at", time(snapshot.writtenEpochMs()));
        map.put("lost-records", snapshot.lost());
        final Map<String, Object> dataPlane = new LinkedHashMap<>();
        for (final DataPlaneCounters.Value value : DataPlaneCounters.Value.values())
        {
            dataPlane.put(hyphenated(value.name()), snapshot.dataPlane(value));
        }
        map.put("data-plane", dataPlane);
        map.put("reactors", snapshot.reactors().stream().map(StatJson::reactor).toList());
        map.put("namespaces", snapshot.namespaces().stream().map(StatJson::namespace).toList());
        map.put("hosts", snapshot.hosts().stream().map(StatJson::host).toList());
        map.put("queue-pairs", snapshot.queuePairs().stream().map(StatJson::queuePair).toList());
        map.put("buffer-holders", snapshot.bufferHolders().stream().map(StatJson::bufferHolder).toList());
        map.put("device-errors", snapshot.deviceErrors().stream().map(StatJson::deviceError).toList());
        map.put("rdma-devices", snapshot.rdmaDevices().stream().map(StatJson::rdmaDevice).toList());
        map.put("errors", snapshot.errors().stream().map(StatJson::error).toList());
        return map;
    }

    private static Map<String, Object> reactor(final ReactorStatus reactor)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("index", reactor.index());
        map.put("name", reactor.name());
        map.put("cpu", reactor.cpu());
        map.put("written-at", time(reactor.writtenEpochMs()));
        for (final ReactorCounters.Value value : ReactorCounters.Value.values())
        {
            map.put(hyphenated(value.name()), reactor.value(value));
        }
        return map;
    }

    private static Map<String, Object> namespace(final IoStatus io)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("subsystem-nqn", io.name());
        map.put("nsid", io.nsid());
        map.put("since", time(io.sinceEpochMs()));
        map.put("media-errors", io.mediaErrors());
        operations(map, io);
        return map;
    }

    private static Map<String, Object> host(final IoStatus io)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("host-nqn", io.name());
        map.put("since", time(io.sinceEpochMs()));
        operations(map, io);
        return map;
    }

    private static void operations(final Map<String, Object> map, final IoStatus io)
    {
        for (final IoOperation operation : IoOperation.values())
        {
            map.put(operation.name().toLowerCase(Locale.ROOT), operation(io.operation(operation)));
        }
    }

    private static Map<String, Object> operation(final OperationStatus operation)
    {
        final LatencyHistogram latencies = operation.latencies();
        final Map<String, Object> latency = new LinkedHashMap<>();
        latency.put("sum", latencies.sumNs());
        latency.put("mean", latencies.meanNs());
        for (final double percentile : PERCENTILES)
        {
            latency.put("p" + StatPrinter.number(percentile), latencies.percentileNs(percentile));
        }
        latency.put("max", latencies.longestNs());
        final List<Object> buckets = new ArrayList<>();
        for (int i = 0; i < LatencyBuckets.COUNT; i++)
        {
            if (latencies.count(i) > 0)
            {
                final Map<String, Object> bucket = new LinkedHashMap<>();
                bucket.put("from", LatencyBuckets.lowerBoundNs(i));
                bucket.put("below", LatencyBuckets.upperBoundNs(i));
                bucket.put("count", latencies.count(i));
                buckets.add(bucket);
            }
        }
        latency.put("buckets", buckets);
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("count", operation.count());
        map.put("bytes", operation.bytes());
        map.put("errors", operation.errors());
        map.put("latency-ns", latency);
        return map;
    }

    private static Map<String, Object> queuePair(final QueuePairStatus queuePair)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("host-nqn", queuePair.hostNqn());
        map.put("subsystem-nqn", queuePair.nqn());
        map.put("controller-id", queuePair.controllerId());
        map.put("queue-id", queuePair.queueId());
        map.put("reactor", queuePair.reactor());
        map.put("since", time(queuePair.sinceEpochMs()));
        map.put("depth", queuePair.depth());
        map.put("commands", queuePair.commands());
        map.put("outstanding", queuePair.outstanding());
        map.put("bytes-read", queuePair.bytesRead());
        map.put("bytes-written", queuePair.bytesWritten());
        map.put("errors", queuePair.errors());
        return map;
    }

    private static Map<String, Object> bufferHolder(final BufferHolderStatus holder)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("reactor", holder.reactor());
        map.put("kind", holder.kind());
        map.put("name", holder.name());
        map.put("held-bytes", holder.heldBytes());
        map.put("waiting", holder.waiting());
        map.put("longest-hold-ns", holder.longestHoldNs());
        return map;
    }

    private static Map<String, Object> rdmaDevice(final RdmaDeviceStatus device)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", device.name());
        final Map<String, Object> errors = new LinkedHashMap<>();
        for (final DeviceCounters.Value value : DeviceCounters.Value.values())
        {
            if (CompletionStatus.SUCCESS == value.status())
            {
                map.put(hyphenated(value.name()), device.value(value));
            }
            else
            {
                errors.put(value.status().verbsName(), device.value(value));
            }
        }
        map.put("errors", errors);
        final Map<String, Object> latencies = new LinkedHashMap<>();
        for (final DeviceCounters.Timed timed : DeviceCounters.Timed.values())
        {
            latencies.put(timed.name().toLowerCase(Locale.ROOT), rdmaLatencies(device.latencies(timed)));
        }
        map.put("latency-ns", latencies);
        return map;
    }

    private static Map<String, Object> rdmaLatencies(final RdmaLatencies latencies)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("count", latencies.count());
        map.put("mean", latencies.meanNs());
        map.put("p50", latencies.percentileNs(50));
        map.put("p99", latencies.percentileNs(99));
        final List<Object> buckets = new ArrayList<>();
        for (int i = 0; i < DeviceCounters.BUCKETS; i++)
        {
            if (latencies.buckets().get(i) > 0)
            {
                final Map<String, Object> bucket = new LinkedHashMap<>();
                bucket.put("above", RdmaLatencies.lowerBoundNs(i));
                bucket.put("to", DeviceCounters.BUCKETS - 1 == i ? null : DeviceCounters.upperBoundNs(i));
                bucket.put("count", latencies.buckets().get(i));
                buckets.add(bucket);
            }
        }
        map.put("buckets", buckets);
        return map;
    }

    private static Map<String, Object> deviceError(final DeviceErrorStatus error)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("device", error.device());
        map.put("operation", error.operation());
        map.put("status", error.status());
        map.put("cause", error.cause().isEmpty() ? null : error.cause());
        map.put("errno", 0 == error.errno() ? null : error.errno());
        map.put("count", error.count());
        map.put("first-seen", time(error.firstEpochMs()));
        map.put("last-seen", time(error.lastEpochMs()));
        map.put("first-lba", error.firstLba());
        map.put("last-lba", error.lastLba());
        return map;
    }

    private static Map<String, Object> error(final ErrorStatus error)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("count", error.count());
        map.put("first", time(error.firstEpochMs()));
        map.put("last", time(error.lastEpochMs()));
        map.put("message", error.text());
        return map;
    }

    private static String time(final long epochMs)
    {
        return 0 == epochMs ? null : Instant.ofEpochMilli(epochMs).toString();
    }

    /** POOL_USED_BYTES becomes pool-used-bytes. */
    private static String hyphenated(final String constant)
    {
        return constant.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

package io.millrace.manager.metrics;

import io.millrace.control.codec.Health;
import io.millrace.control.codec.IoKind;
import io.millrace.control.codec.State;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DeviceErrorInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.LatencyInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.ReactorInfo;
import io.millrace.control.message.Resource;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Makes metrics of what data planes tell, when somebody scrapes. Any thread, as its supplier is.
 *
 * @param records of all data planes; whoever gives them sees to it that data planes are not asked too often.
 * @param counts  of scrapes.
 */
record MetricsCollector(Supplier<List<PlaneRecords>> records, ScrapeCounts counts) implements MultiCollector
{
    private static final double NS_PER_S = 1e9;

    @Override
    public MetricSnapshots collect()
    {
        final Samples samples = new Samples();
        for (final PlaneRecords plane : records.get())
        {
            samples.add(Metric.UP, plane.connected() ? 1 : 0, plane.name());
            for (final Resource resource : plane.resources())
            {
                add(samples, plane.name(), resource);
            }
        }
        for (final ScrapeResult each : ScrapeResult.values())
        {
            samples.add(Metric.SCRAPES, counts.total(each), each.label());
        }
        return samples.snapshots();
    }

    private static void add(final Samples samples, final String plane, final Resource resource)
    {
        switch (resource)
        {
            case final DataPlaneInfo info -> dataPlane(samples, plane, info);
            case final ReactorInfo info -> reactor(samples, plane, info);
            case final NamespaceInfo info -> namespace(samples, plane, info);
            case final ControllerInfo info ->
                samples.add(Metric.CONTROLLERS, 1, plane, info.nqn(), info.hostNqn());
            case final DeviceErrorInfo info -> samples.add(Metric.DEVICE_ERRORS, info.count(), plane, info.device(),
                info.operation(), info.status(), info.cause());
            case final ArrayInfo info -> ArrayMetrics.add(samples, plane, info);
            case final DeviceInfo info -> ArrayMetrics.add(samples, plane, info);
            case final CounterInfo info -> StatusMetrics.add(samples, plane, info);
            case final LatencyInfo info -> latencies(samples, plane, info);
            case final ManagedInfo info -> managed(samples, plane, info);
            default ->
            {
                // The others are lists of what there is, not numbers.
            }
        }
    }

    private static void dataPlane(final Samples samples, final String plane, final DataPlaneInfo info)
    {
        samples.add(Metric.INFO, 1, plane, info.version(), info.dataPlaneId().toString())
            .add(Metric.UPTIME, info.upNs() / NS_PER_S, plane)
            .add(Metric.MEMORY, info.memoryBytes(), plane);
        addKnown(samples, Metric.DMA, info.hugepageBytes(), plane, "huge");
        addKnown(samples, Metric.DMA, Resource.UNKNOWN == info.dmaBytes() ?
            Resource.UNKNOWN : info.dmaBytes() - info.hugepageBytes(), plane, "other");
        for (final State state : State.values())
        {
            if (State.NULL_VAL != state && State.SBE_UNKNOWN != state)
            {
                samples.add(Metric.STATE, state == info.state() ? 1 : 0, plane, word(state));
            }
        }
    }

    private static void reactor(final Samples samples, final String plane, final ReactorInfo info)
    {
        final String name = info.name();
        samples.add(Metric.REACTOR_SECONDS, info.busyNs() / NS_PER_S, plane, name, "busy")
            .add(Metric.REACTOR_SECONDS, info.idleNs() / NS_PER_S, plane, name, "idle")
            .add(Metric.REACTOR_CYCLES, info.cycles(), plane, name)
            .add(Metric.REACTOR_LONGEST, info.longestCycleNs() / NS_PER_S, plane, name)
            .add(Metric.REACTOR_CONNECTIONS, info.connections(), plane, name)
            .add(Metric.REACTOR_REQUESTS, info.requests(), plane, name)
            .add(Metric.POOL, info.poolBytes(), plane, name)
            .add(Metric.POOL_USED, info.poolUsedBytes(), plane, name);
        addKnown(samples, Metric.POOL_WAITING, info.poolWaiting(), plane, name);
        addKnown(samples, Metric.POOL_PEAK, info.poolPeakBytes(), plane, name);
        addKnown(samples, Metric.POOL_QUARANTINED, info.poolQuarantinedBytes(), plane, name);
        addKnown(samples, Metric.POOL_WAITS, info.poolWaits(), plane, name);
    }

    private static void namespace(final Samples samples, final String plane, final NamespaceInfo info)
    {
        final String[] labels = {plane, info.nqn(), Integer.toString(info.nsid())};
        samples.add(Metric.NAMESPACE_SIZE, info.sizeBytes(), labels)
            .add(Metric.NAMESPACE_READS, info.reads(), labels)
            .add(Metric.NAMESPACE_READ_BYTES, info.readBytes(), labels)
            .add(Metric.NAMESPACE_WRITES, info.writes(), labels)
            .add(Metric.NAMESPACE_WRITTEN_BYTES, info.writtenBytes(), labels);
        addKnown(samples, Metric.NAMESPACE_OTHERS, info.others(), labels);
        addKnown(samples, Metric.NAMESPACE_ERRORS, info.errors(), labels);
    }

    private static void latencies(final Samples samples, final String plane, final LatencyInfo info)
    {
        if (IoKind.SBE_UNKNOWN == info.ioKind() || IoKind.NULL_VAL == info.ioKind())
        {
            return;
        }
        if (info.isHost())
        {
            final String[] labels = {plane, info.name(), word(info.ioKind())};
            samples.add(Metric.HOST_ERRORS, info.errors(), labels).add(Metric.HOST_LATENCY, info, labels);
            if (IoKind.OTHER != info.ioKind())
            {
                samples.add(Metric.HOST_BYTES, info.lengthBytes(), labels);
            }
            return;
        }
        samples.add(switch (info.ioKind())
        {
            case READ -> Metric.NAMESPACE_READ_LATENCY;
            case WRITE -> Metric.NAMESPACE_WRITE_LATENCY;
            default -> Metric.NAMESPACE_OTHER_LATENCY;
        }, info, plane, info.name(), Integer.toString(info.nsid()));
    }

    private static void managed(final Samples samples, final String plane, final ManagedInfo info)
    {
        for (final Health health : Health.values())
        {
            if (Health.NULL_VAL != health && Health.SBE_UNKNOWN != health)
            {
                samples.add(Metric.HEALTH, health == info.health() ? 1 : 0, plane, word(health));
            }
        }
        samples.add(Metric.DRIFT_STEPS, info.driftSteps(), plane)
            .add(Metric.DESIRED_VERSION, info.desiredVersion(), plane)
            .add(Metric.APPLIED_VERSION, info.appliedVersion(), plane)
            .add(Metric.TERM, info.term(), plane)
            .add(Metric.REFUSED, info.refusal().isEmpty() ? 0 : 1, plane)
            .add(Metric.LAST_SEEN, info.seenEpochNs() / NS_PER_S, plane);
    }

    /** A count that an older data plane does not tell is left out. */
    private static void addKnown(final Samples samples, final Metric metric, final long value, final String... labels)
    {
        if (Resource.UNKNOWN != value)
        {
            samples.add(metric, value, labels);
        }
    }

    private static String word(final Enum<?> constant)
    {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}

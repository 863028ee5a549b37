package io.millrace.control.message;

import io.millrace.control.codec.Kind;
import java.util.Map;

/**
 * The kind of each type of resource, declared here alone. Stateless.
 */
final class ResourceKinds
{
    private static final Map<Class<? extends Resource>, Kind> KINDS = Map.ofEntries(
        Map.entry(DataPlaneInfo.class, Kind.DATA_PLANE),
        Map.entry(ReactorInfo.class, Kind.REACTOR),
        Map.entry(DeviceInfo.class, Kind.DEVICE),
        Map.entry(SubsystemInfo.class, Kind.SUBSYSTEM),
        Map.entry(NamespaceInfo.class, Kind.NAMESPACE),
        Map.entry(HostInfo.class, Kind.HOST),
        Map.entry(ListenerInfo.class, Kind.LISTENER),
        Map.entry(ControllerInfo.class, Kind.CONTROLLER),
        Map.entry(VersionInfo.class, Kind.VERSION),
        Map.entry(AuditInfo.class, Kind.AUDIT),
        Map.entry(ManagedInfo.class, Kind.MANAGED),
        Map.entry(AnaInfo.class, Kind.ANA),
        Map.entry(QosInfo.class, Kind.QOS),
        Map.entry(QueuePairInfo.class, Kind.QUEUE_PAIR),
        Map.entry(LatencyInfo.class, Kind.LATENCY),
        Map.entry(PlanStepInfo.class, Kind.PLAN),
        Map.entry(LeadershipInfo.class, Kind.LEADERSHIP),
        Map.entry(DriftInfo.class, Kind.DRIFT),
        Map.entry(DeviceErrorInfo.class, Kind.ERROR),
        Map.entry(CounterInfo.class, Kind.COUNTER),
        Map.entry(ArrayInfo.class, Kind.ARRAY));

    private ResourceKinds()
    {
    }

    /** Of a type of resources; throws IllegalArgumentException for {@link Resource} itself, which has no kind. */
    static Kind of(final Class<? extends Resource> type)
    {
        final Kind kind = KINDS.get(type);
        if (null == kind)
        {
            throw new IllegalArgumentException(type.getSimpleName() + " is of no kind: list one, such as DeviceInfo");
        }
        return kind;
    }
}

package io.millrace.control.message;

import io.millrace.control.codec.Kind;

/**
 * Something of a data plane that can be listed. A value that a data plane of an older version does not send is {@link
 * #UNKNOWN}; an enum value of a newer one is that enum's {@code SBE_UNKNOWN}.
 */
public sealed interface Resource
    permits DataPlaneInfo, ReactorInfo, DeviceInfo, SubsystemInfo, NamespaceInfo, HostInfo, ListenerInfo,
    ControllerInfo, VersionInfo, AuditInfo, ManagedInfo, AnaInfo, LatencyInfo, QosInfo,
    QueuePairInfo, PlanStepInfo, LeadershipInfo, DriftInfo, DeviceErrorInfo, CounterInfo, ArrayInfo
{
    /** Instead of a count that an older data plane does not send. */
    int UNKNOWN = -1;

    /**
     * {@return its kind, as List and events name it}
     */
    default Kind kind()
    {
        return ResourceKinds.of(getClass());
    }

    /**
     * {@return the kind that a list of resources of a type asks for}
     *
     * @param type of the resources.
     * @throws IllegalArgumentException for {@link Resource} itself, which has no kind.
     */
    static Kind kindOf(final Class<? extends Resource> type)
    {
        return ResourceKinds.of(type);
    }
}

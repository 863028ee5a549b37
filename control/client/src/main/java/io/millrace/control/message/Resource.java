package io.millrace.control.message;

import io.millrace.control.codec.Kind;

/**
 * Something of a data plane that can be listed. A value that a data plane of an older version does not send is {@link
 * #UNKNOWN}; an enum value of a newer one is that enum's {@code SBE_UNKNOWN}.
 */
public sealed interface Resource
    permits DataPlaneInfo, ReactorInfo, DeviceInfo, SubsystemInfo, NamespaceInfo, HostInfo, ListenerInfo,
    ControllerInfo, VersionInfo, AuditInfo, ManagedInfo, AnaInfo, LatencyInfo, QosInfo,
    QueuePairInfo, PlanStepInfo, LeadershipInfo, DriftInfo, DeviceErrorInfo, CounterInfo
{
    /** Instead of a count that an older data plane does not send. */
    int UNKNOWN = -1;

    /**
     * {@return its kind, as List and events name it}
     */
    default Kind kind()
    {
        return switch (this)
        {
            case DataPlaneInfo _ -> Kind.DATA_PLANE;
            case ReactorInfo _ -> Kind.REACTOR;
            case DeviceInfo _ -> Kind.DEVICE;
            case SubsystemInfo _ -> Kind.SUBSYSTEM;
            case NamespaceInfo _ -> Kind.NAMESPACE;
            case HostInfo _ -> Kind.HOST;
            case ListenerInfo _ -> Kind.LISTENER;
            case ControllerInfo _ -> Kind.CONTROLLER;
            case VersionInfo _ -> Kind.VERSION;
            case AuditInfo _ -> Kind.AUDIT;
            case ManagedInfo _ -> Kind.MANAGED;
            case AnaInfo _ -> Kind.ANA;
            case QosInfo _ -> Kind.QOS;
            case QueuePairInfo _ -> Kind.QUEUE_PAIR;
            case LatencyInfo _ -> Kind.LATENCY;
            case PlanStepInfo _ -> Kind.PLAN;
            case LeadershipInfo _ -> Kind.LEADERSHIP;
            case DriftInfo _ -> Kind.DRIFT;
            case DeviceErrorInfo _ -> Kind.ERROR;
            case CounterInfo _ -> Kind.COUNTER;
        };
    }
}

package io.millrace.control.agent;

import io.millrace.block.DeviceStatus;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DeviceErrorInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.QosInfo;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.QueuePairInfo;
import io.millrace.control.message.ReactorInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.service.Listing;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.snapshot.ConnectionSnapshot;
import io.millrace.dataplane.snapshot.DataPlaneSnapshot;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.dataplane.snapshot.HostSnapshot;
import io.millrace.dataplane.snapshot.ListenerSnapshot;
import io.millrace.dataplane.snapshot.ReactorSnapshot;
import io.millrace.dataplane.snapshot.SubsystemSnapshot;
import io.millrace.nvmf.ControllerSnapshot;
import io.millrace.nvmf.ana.AnaSnapshot;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.qos.QosSnapshot;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.status.DeviceErrorStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Maps snapshots of a data plane to records. The agent's thread.
 */
final class Lists
{
    /** Remedy of whoever asks a data plane for what its manager has. */
    static final String LACKING = " has no %s, its manager does: start one with 'millrace manager', or name it with " +
        "--control";

    private static final long NS_PER_MS = 1_000_000L;

    private final DataPlane dataPlane;
    private final String name;
    private final String version;
    private final Incarnations incarnations;

    Lists(final DataPlane dataPlane, final String name, final String version, final Incarnations incarnations)
    {
        this.incarnations = incarnations;
        this.dataPlane = dataPlane;
        this.name = name;
        this.version = version;
    }

    /** Returns the records of a List; throws OperationException if the named resource does not exist. */
    Listing<?> of(final Command.List list)
    {
        if (Command.List.ACTUAL != list.version())
        {
            throw new ControlException(Code.UNSUPPORTED, "a data plane" + LACKING.formatted("desired state"));
        }
        final String only = list.name().isEmpty() ? null : list.name();
        return switch (list.kind())
        {
            case DATA_PLANE -> new Listing<>(List.of(dataPlane.snapshot()), this::dataPlane);
            case REACTOR -> new Listing<>(dataPlane.reactorSnapshots(), Lists::reactor);
            case DEVICE -> new Listing<>(null == only ?
                dataPlane.devices().list() : List.of(dataPlane.devices().get(only)),
                (each) -> incarnations.of(device(each)));
            case SUBSYSTEM -> new Listing<>(null == only ?
                dataPlane.subsystems().list() : List.of(dataPlane.subsystems().get(only)), Lists::subsystem);
            case NAMESPACE -> new Listing<>(dataPlane.namespaces().list(only), Lists::namespace);
            case HOST -> new Listing<>(dataPlane.hosts().list(only), Lists::host);
            case LISTENER -> new Listing<>(dataPlane.listeners().list(), Lists::listener);
            case ANA -> new Listing<>(dataPlane.anaStates().list(only), Lists::ana);
            case QOS -> new Listing<>(dataPlane.qos().list(only), Lists::qos);
            case QUEUE_PAIR -> new Listing<>(dataPlane.connections().list(only), Lists::queuePair);
            case LATENCY -> new Listing<>(Latencies.of(dataPlane.statusSnapshot(), only), Latencies::info);
            case CONTROLLER -> new Listing<>(dataPlane.controllers().list(only), Lists::controller);
            case ERROR -> new Listing<>(deviceErrors(only), Lists::deviceError);
            case ARRAY -> new Listing<>(null == only ?
                dataPlane.arrays().list() : List.of(dataPlane.arrays().get(only)), ArrayRecords::of);
            case COUNTER -> new Listing<>(Counters.of(dataPlane.statusSnapshot()), (counter) -> counter);
            case VERSION, AUDIT, MANAGED, PLAN, DRIFT, LEADERSHIP -> throw new ControlException(Code.UNSUPPORTED,
                "a data plane" + LACKING.formatted(switch (list.kind())
                {
                    case VERSION -> "versions of a desired state";
                    case AUDIT -> "audit log";
                    case MANAGED -> "list of data planes";
                    case DRIFT -> "drift from a desired state";
                    default -> "plans of a desired state";
                }));
            case SBE_UNKNOWN, NULL_VAL -> throw new IllegalArgumentException(
                "kind of resource is unknown to this data plane; use a client of its version");
        };
    }

    /** The actual state in the form of a desired state. */
    DesiredState state()
    {
        final List<Resource> all = new ArrayList<>();
        for (final Kind kind : DesiredState.KINDS)
        {
            all.addAll(of(new Command.List(kind, "")).resources());
        }
        return DesiredState.of(all);
    }

    private List<DeviceErrorStatus> deviceErrors(final String only)
    {
        if (null != only)
        {
            // Throws if the device does not exist.
            dataPlane.devices().get(only);
        }
        return dataPlane.deviceErrors().stream().filter((each) -> null == only || only.equals(each.device())).toList();
    }

    private static Resource deviceError(final DeviceErrorStatus error)
    {
        return new DeviceErrorInfo(error.device(), error.operation(), error.status(), error.cause(), error.errno(),
            error.count(), error.firstEpochMs() * NS_PER_MS, error.lastEpochMs() * NS_PER_MS, error.firstLba(),
            error.lastLba());
    }

    private Resource dataPlane(final DataPlaneSnapshot snapshot)
    {
        return new DataPlaneInfo(snapshot.id(), State.valueOf(snapshot.state().name()), snapshot.upNs(),
            snapshot.memoryBytes(), snapshot.controllers(), snapshot.processId(), snapshot.dmaBytes(),
            snapshot.hugeBytes(), name, version, snapshot.memoryNote());
    }

    private static Resource reactor(final ReactorSnapshot snapshot)
    {
        return new ReactorInfo(snapshot.index(), snapshot.cpu(), snapshot.busyNs(), snapshot.idleNs(),
            snapshot.cycles(), snapshot.longestCycleNs(), snapshot.connections(), snapshot.requests(),
            snapshot.poolBytes(), snapshot.poolUsedBytes(), snapshot.poolWaiting(),
            snapshot.poolPeakBytes(), snapshot.poolWaits(), snapshot.poolQuarantinedBytes(), snapshot.name());
    }

    private static Resource queuePair(final ConnectionSnapshot snapshot)
    {
        return new QueuePairInfo(snapshot.nqn(), snapshot.hostNqn(), snapshot.controllerId(), snapshot.queueId(),
            snapshot.reactor(), snapshot.depth(), snapshot.openCommands(), snapshot.remote(), snapshot.local(),
            snapshot.device().name(), snapshot.device().port(), snapshot.device().gidIndex());
    }

    static DeviceInfo device(final DeviceSnapshot snapshot)
    {
        final DeviceConfig config = snapshot.config();
        final DeviceType type = DeviceTypes.of(config.type());
        final Map<String, Object> values = new HashMap<>(config.properties().values());
        if (null != type.growable())
        {
            values.put(type.growable().key(), snapshot.geometry().sizeBytes());
        }
        final Map<String, String> properties = type.texts(values);
        final DeviceStatus status = snapshot.status();
        return new DeviceInfo(new DeviceSpec(config.name(), config.type(), properties),
            snapshot.geometry().sizeBytes(), snapshot.geometry().blockSizeBytes(), snapshot.users(),
            snapshot.members(), DeviceState.valueOf(snapshot.state().name()),
            DeviceHealth.valueOf(status.health().name()), status.reason(),
            null == status.progress() ? "" : status.progress().operation(),
            null == status.progress() ? Resource.UNKNOWN : status.progress().perMille());
    }

    private static Resource subsystem(final SubsystemSnapshot snapshot)
    {
        return new SubsystemInfo(snapshot.nqn(), snapshot.allowAnyHost(), snapshot.namespaces(),
            snapshot.controllers(), snapshot.serial(), snapshot.model());
    }

    private static Resource namespace(final NamespaceSnapshot snapshot)
    {
        return new NamespaceInfo(snapshot.subsystemNqn(), snapshot.nsid(), snapshot.uuid(), snapshot.sizeBytes(),
            snapshot.blockSizeBytes(), snapshot.reads(), snapshot.readBytes(), snapshot.writes(),
            snapshot.writtenBytes(), snapshot.others(), snapshot.errors(), snapshot.device(),
            snapshot.anaGroup());
    }

    private static Resource host(final HostSnapshot snapshot)
    {
        return new HostInfo(snapshot.nqn(), snapshot.hostNqn());
    }

    private static Resource listener(final ListenerSnapshot snapshot)
    {
        final TransportAddress address = snapshot.address();
        return new ListenerInfo(Transport.valueOf(address.transportType().name()), address.address(), address.port(),
            snapshot.discoveryOnly(), snapshot.listening(), ListenerProvider.valueOf(snapshot.provider().name()));
    }

    private static Resource ana(final AnaSnapshot snapshot)
    {
        final TransportAddress listener = snapshot.listener();
        return new AnaInfo(snapshot.subsystemNqn(),
            null == listener ? Transport.TCP : Transport.valueOf(listener.transportType().name()),
            null == listener ? "" : listener.address(), null == listener ? 0 : listener.port(), snapshot.group(),
            AnaState.valueOf(snapshot.state().name()), snapshot.changes(), snapshot.namespaces());
    }

    private static Resource qos(final QosSnapshot snapshot)
    {
        final QosLimits limits = snapshot.limits();
        return new QosInfo(new QosSpec(snapshot.subsystemNqn(), snapshot.nsid(), snapshot.hostNqn(), limits.readIops(),
            limits.writeIops(), limits.iops(), limits.readBytesPerSecond(), limits.writeBytesPerSecond(),
            limits.bytesPerSecond(), limits.burstMs()), snapshot.throttledReads(), snapshot.throttledWrites(),
            snapshot.waiting(), snapshot.waitNs());
    }

    private static Resource controller(final ControllerSnapshot snapshot)
    {
        return new ControllerInfo(snapshot.subsystemNqn(), snapshot.controllerId(), snapshot.hostNqn(),
            snapshot.ioQueues(), snapshot.keepAliveMs(), snapshot.state());
    }
}

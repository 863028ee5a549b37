package io.millrace.cli.control.view;

import static io.millrace.cli.control.view.View.Column.of;

import io.millrace.cli.control.view.View.Column;
import io.millrace.console.Quantity;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceSetting;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.AuditInfo;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DeviceErrorInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.ListenerInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.QosInfo;
import io.millrace.control.message.QueuePairInfo;
import io.millrace.control.message.ReactorInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.VersionInfo;
import io.millrace.control.state.NetworkAddress;
import io.millrace.control.state.QosLimits;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How each kind of resource is shown. Stateless.
 */
public final class Views
{
    /** Devices, with their settings: in the table those that differ from their defaults, for programs all. */
    public static final View<DeviceInfo> DEVICES = new View<>(Kind.DEVICE, "devices", DeviceInfo.class, List.of(
        of("NAME", "name", DeviceInfo::name),
        of("TYPE", "type", DeviceInfo::type),
        size(">SIZE", "size-bytes", DeviceInfo::sizeBytes),
        of(">BLOCK", "block-size-bytes", (each) -> positive(each.blockSizeBytes())),
        of("STATE", "state", (d) -> DeviceState.NULL_VAL == d.state() ? null : SettingType.word(d.state())),
        of("HEALTH", "health", (d) -> DeviceHealth.NULL_VAL == d.health() ? null : SettingType.word(d.health())),
        of(null, "reason", (d) -> d.reason().isEmpty() ? null : d.reason()),
        of(null, "operation", (d) -> d.operation().isEmpty() ? null : d.operation()),
        of(null, "progress-per-mille", (d) -> known(d.progressPerMille())),
        of(">USERS", "users", (d) -> known(d.users())),
        new Column<>("SETTINGS", "members", (d) -> String.join(" ", d.members()), Views::settings)))
        .with(Views::values);

    /** Distinct errors of devices: how often, when and where they occurred. */
    public static final View<DeviceErrorInfo> DEVICE_ERRORS = new View<>(
        Kind.ERROR, "errors of devices", DeviceErrorInfo.class, List.of(
        of("DEVICE", "device", DeviceErrorInfo::device),
        of("OPERATION", "operation", DeviceErrorInfo::operation),
        of("STATUS", "status", DeviceErrorInfo::status),
        of("CAUSE", "cause", (e) -> e.cause().isEmpty() ? null : e.cause()),
        of(">COUNT", "count", DeviceErrorInfo::count),
        time("FIRST SEEN", "first-seen", DeviceErrorInfo::firstEpochNs),
        time("LAST SEEN", "last-seen", DeviceErrorInfo::lastEpochNs),
        of(">FIRST LBA", "first-lba", DeviceErrorInfo::firstLba),
        of(">LAST LBA", "last-lba", DeviceErrorInfo::lastLba),
        of(null, "errno", (e) -> 0 == e.errno() ? null : e.errno())));

    /** Arrays, with members and scrubs. */
    public static final View<ArrayInfo> ARRAYS = new View<>(Kind.ARRAY, "arrays", ArrayInfo.class, List.of(
        of("NAME", "name", ArrayInfo::name),
        new Column<>("LEVEL", "level", ArrayInfo::level, (a) -> 0 == a.parityStrips() ? a.level() : a.title()),
        bytes(">SIZE", "size-bytes", ArrayInfo::sizeBytes),
        of("MEMBERS", "in-sync", ArrayValues::members),
        of("STATE", "health", (a) -> SettingType.word(a.health())),
        of("OPERATION", "operation", (a) -> a.operation().isEmpty() ? null : a.operation()),
        new Column<>(">PROGRESS", "progress-per-mille", (a) -> known(a.progressPerMille()),
            (a) -> Resource.UNKNOWN == a.progressPerMille() ? "-" : a.progressPerMille() / 10 + " %"),
        of(null, "left-ms", (a) -> known(a.leftMs())),
        of(null, "reason", (a) -> a.reason().isEmpty() ? null : a.reason()),
        of(null, "uuid", (a) -> a.arrayId().toString()),
        of(null, "parity-strips", (a) -> positive(a.parityStrips())),
        of(null, "strip-size-bytes", ArrayInfo::stripBytes),
        of(null, "member-bytes", ArrayInfo::memberBytes),
        of(null, "room-bytes", ArrayInfo::roomBytes))).with(ArrayValues::of);

    /** Subsystems. */
    public static final View<SubsystemInfo> SUBSYSTEMS = new View<>(
        Kind.SUBSYSTEM, "subsystems", SubsystemInfo.class, List.of(
        of("NQN", "nqn", SubsystemInfo::nqn),
        of("ANY HOST", "allow-any-host", SubsystemInfo::allowAnyHost),
        of(">NAMESPACES", "namespaces", SubsystemInfo::namespaces),
        of(">CONNECTED", "controllers", (s) -> known(s.controllers())),
        of("SERIAL", "serial", SubsystemInfo::serial),
        of("MODEL", "model", SubsystemInfo::model)));

    /** Namespaces, with their I/O since they were added. */
    public static final View<NamespaceInfo> NAMESPACES = new View<>(
        Kind.NAMESPACE, "namespaces", NamespaceInfo.class, List.of(
        of("SUBSYSTEM", "subsystem", NamespaceInfo::nqn),
        of(">NSID", "nsid", NamespaceInfo::nsid),
        of("DEVICE", "device", NamespaceInfo::device),
        size(">SIZE", "size-bytes", NamespaceInfo::sizeBytes),
        of(">BLOCK", "block-size-bytes", (each) -> positive(each.blockSizeBytes())),
        count(">READS", "reads", NamespaceInfo::reads),
        bytes(">READ", "read-bytes", NamespaceInfo::readBytes),
        count(">WRITES", "writes", NamespaceInfo::writes),
        bytes(">WRITTEN", "written-bytes", NamespaceInfo::writtenBytes),
        count(">ERRORS", "errors", NamespaceInfo::errors),
        of(">ANA GROUP", "ana-group", (n) -> known(n.anaGroup())),
        of(null, "others", (n) -> known(n.others())),
        of(null, "uuid", (n) -> n.uuid().toString())));

    /** Hosts that subsystems allow. */
    public static final View<HostInfo> HOSTS = new View<>(Kind.HOST, "hosts", HostInfo.class, List.of(
        of("SUBSYSTEM", "subsystem", HostInfo::nqn),
        of("HOST", "host", HostInfo::hostNqn)));

    /** Listeners. */
    public static final View<ListenerInfo> LISTENERS = new View<>(
        Kind.LISTENER, "listeners", ListenerInfo.class, List.of(
        of("TRANSPORT", "transport", (l) -> SettingType.word(l.transport())),
        of("ADDRESS", "address", (l) -> NetworkAddress.canonical(l.address())),
            new Column<>(">PORT", "port", (l) -> Transport.VFIO_USER == l.transport() ? null : l.port(),
                (l) -> Transport.VFIO_USER == l.transport() ? "-" : Integer.toString(l.port())),
            new Column<>("SERVES", "discovery-only", ListenerInfo::discoveryOnly,
                (l) -> l.discoveryOnly() ? "discovery" : "all"),
            new Column<>("STATE", "listening", ListenerInfo::listening,
                (l) -> l.listening() ? "listening" : "waiting"),
        of("PROVIDER", "provider", (l) -> SettingType.word(l.provider()))));

    /** ANA states of listeners; equal states of groups without namespaces share a line of the table. */
    public static final View<AnaInfo> ANA = new View<>(Kind.ANA, "ANA states", AnaInfo.class, List.of(
        of("SUBSYSTEM", "subsystem", AnaInfo::nqn),
        new Column<>("LISTENER", "listener", (a) -> a.address().isEmpty() ? null : listenerOf(a), Views::listenerOf),
        of(">GROUP", "group", AnaInfo::group),
        of("STATE", "state", Views::stateOf),
        of(">NAMESPACES", "namespaces", AnaInfo::namespaces),
        of(">CHANGES", "changes", (a) -> known(a.changes()))), AnaGroupRanges::table);

    /** Limits of namespaces and hosts, and how much I/O waited for them. */
    public static final View<QosInfo> QOS = new View<>(Kind.QOS, "limits", QosInfo.class, List.of(
        of("SUBSYSTEM", "subsystem", (q) -> q.limits().nqn()),
        new Column<>("LIMITED", "nsid", (q) -> 0 == q.limits().nsid() ? null : q.limits().nsid(),
            (q) -> 0 == q.limits().nsid() ? q.limits().hostNqn() : "namespace " + q.limits().nsid()),
        new Column<>("LIMITS", "iops", (q) -> limit(q.limits().iops()), (q) -> QosLimits.text(q.limits())),
        count(">WAITED", "throttled", (q) -> Resource.UNKNOWN == q.throttledReads() ? Resource.UNKNOWN :
            q.throttledReads() + q.throttledWrites()),
        count(">WAITING", "waiting", QosInfo::waiting),
        new Column<>(">AVG WAIT", "wait-ns", (q) -> known(q.waitNs()), Views::averageWait),
        of(null, "host", (q) -> q.limits().hostNqn().isEmpty() ? null : q.limits().hostNqn()),
        of(null, "read-iops", (q) -> limit(q.limits().readIops())),
        of(null, "write-iops", (q) -> limit(q.limits().writeIops())),
        of(null, "bytes-per-second", (q) -> limit(q.limits().bytesPerSecond())),
        of(null, "read-bytes-per-second", (q) -> limit(q.limits().readBytesPerSecond())),
        of(null, "write-bytes-per-second", (q) -> limit(q.limits().writeBytesPerSecond())),
        of(null, "burst-ms", (q) -> q.limits().burstMs()),
        of(null, "throttled-reads", (q) -> known(q.throttledReads())),
        of(null, "throttled-writes", (q) -> known(q.throttledWrites()))));

    /** Controllers of connected hosts. */
    public static final View<ControllerInfo> CONTROLLERS = new View<>(
        Kind.CONTROLLER, "hosts connected", ControllerInfo.class, List.of(
        of("SUBSYSTEM", "subsystem", ControllerInfo::nqn),
        of(">ID", "controller-id", ControllerInfo::controllerId),
        of("HOST", "host", ControllerInfo::hostNqn),
        of(">QUEUES", "io-queues", ControllerInfo::ioQueues),
            new Column<>(">KEEP ALIVE", "keep-alive-ms", ControllerInfo::keepAliveMs,
                (c) -> 0 == c.keepAliveMs() ? "none" : Quantity.duration(c.keepAliveMs() * 1_000_000L)),
        of("STATE", "state", ControllerInfo::state)));

    /** Queue pairs of controllers. */
    public static final View<QueuePairInfo> CONNECTIONS = new View<>(
        Kind.QUEUE_PAIR, "connections", QueuePairInfo.class, List.of(
        of("SUBSYSTEM", "subsystem", QueuePairInfo::nqn),
        of(">ID", "controller-id", QueuePairInfo::controllerId),
            new Column<>(">QUEUE", "queue-id", QueuePairInfo::queueId,
                (q) -> 0 == q.queueId() ? "admin" : Integer.toString(q.queueId())),
        of(">REACTOR", "reactor", QueuePairInfo::reactor),
        of(">OUTSTANDING", "outstanding-commands", QueuePairInfo::outstandingCommands),
        of(">DEPTH", "depth", QueuePairInfo::depth),
        of("HOST", "host", QueuePairInfo::hostNqn),
        of("ADDRESS", "address", QueuePairInfo::address),
        of("LOCAL", "local-address", QueuePairInfo::localAddress),
            new Column<>("DEVICE", "rdma-device", (q) -> q.rdmaDevice().isEmpty() ? null : q.rdmaDevice(),
                (q) -> q.rdmaDevice().isEmpty() ? "-" : q.rdmaDevice() + "/" + q.rdmaPort()),
        of(null, "rdma-port", (q) -> q.rdmaDevice().isEmpty() ? null : q.rdmaPort()),
            new Column<>(">GID", "gid-index", (q) -> q.gidIndex() < 0 ? null : q.gidIndex(),
                (q) -> q.gidIndex() < 0 ? "-" : Integer.toString(q.gidIndex()))));

    /** Reactors: load, and use of their buffer pools. */
    public static final View<ReactorInfo> REACTORS = new View<>(Kind.REACTOR, "reactors", ReactorInfo.class, List.of(
        of(">INDEX", "index", ReactorInfo::index),
        of("NAME", "name", ReactorInfo::name),
        new Column<>(">CPU", "cpu", (r) -> r.cpu() < 0 ? null : r.cpu(),
            (r) -> r.cpu() < 0 ? "any" : Integer.toString(r.cpu())),
        new Column<>(">BUSY", "busy-ns", ReactorInfo::busyNs, Views::busy),
        of(">CONNECTIONS", "connections", ReactorInfo::connections),
        of(">REQUESTS", "requests", ReactorInfo::requests),
        bytes(">POOL", "pool-bytes", ReactorInfo::poolBytes),
        bytes(">USED", "pool-used-bytes", ReactorInfo::poolUsedBytes),
        new Column<>(">PEAK", "pool-peak-bytes", (r) -> known(r.poolPeakBytes()),
            (r) -> r.poolPeakBytes() < 0 ? "-" : Quantity.bytes(r.poolPeakBytes())),
        new Column<>(">QUARANTINED", "pool-quarantined-bytes", (r) -> known(r.poolQuarantinedBytes()),
            (r) -> r.poolQuarantinedBytes() < 0 ? "-" : Quantity.bytes(r.poolQuarantinedBytes())),
        of(">WAITING", "pool-waiting", (r) -> known(r.poolWaiting())),
        of(">WAITS", "pool-waits", (r) -> known(r.poolWaits())),
        new Column<>(">LONGEST CYCLE", "longest-cycle-ns", ReactorInfo::longestCycleNs,
            (r) -> Quantity.duration(r.longestCycleNs())),
        of(null, "idle-ns", ReactorInfo::idleNs),
        of(null, "cycles", ReactorInfo::cycles)));

    /** Data planes, as they report themselves. */
    public static final View<DataPlaneInfo> DATA_PLANES = new View<>(
        Kind.DATA_PLANE, "data planes", DataPlaneInfo.class, List.of(
        of("NAME", "name", DataPlaneInfo::name),
        of("STATE", "state", (d) -> SettingType.word(d.state())),
            new Column<>(">UP", "up-ns", DataPlaneInfo::upNs, (d) -> Quantity.duration(d.upNs())),
        of(">CONNECTED", "controllers", DataPlaneInfo::controllers),
        size(">MEMORY", "memory-bytes", DataPlaneInfo::memoryBytes),
        knownSize("dma-bytes", DataPlaneInfo::dmaBytes),
        knownSize("hugepage-bytes", DataPlaneInfo::hugepageBytes),
        of(null, "memory-note", DataPlaneInfo::memoryNote),
        of(">PROCESS", "process-id", (d) -> known(d.processId())),
        of("VERSION", "version", DataPlaneInfo::version),
        of(null, "id", (d) -> d.dataPlaneId().toString())));

    /** Data planes, as their manager sees them. */
    public static final View<ManagedInfo> MANAGED = new View<>(Kind.MANAGED, "data planes", ManagedInfo.class, List.of(
        of("NAME", "name", ManagedInfo::name),
        of("HEALTH", "health", (m) -> SettingType.word(m.health())),
        of(">VERSION", "desired-version", ManagedInfo::desiredVersion),
        new Column<>(">APPLIED", "applied-version", (m) -> 0 == m.appliedVersion() ? null : m.appliedVersion(),
            (m) -> 0 == m.appliedVersion() ? "-" : Long.toString(m.appliedVersion())),
        of(">DRIFT", "drift", ManagedInfo::driftSteps),
        time("LAST SEEN", "last-seen", ManagedInfo::seenEpochNs),
        of("ADDRESS", "address", ManagedInfo::address),
        of("MESSAGE", "message", (m) -> m.refusal().isEmpty() ? m.text() : m.refusal()),
        of(null, "connected", ManagedInfo::isConnected),
        of(null, "term", ManagedInfo::term),
        of(null, "refusal", ManagedInfo::refusal)));

    /** Steps from the state of data planes to their desired state. */
    public static final View<DriftInfo> DRIFT = new View<>(Kind.DRIFT, "differences", DriftInfo.class, List.of(
        of("DATA PLANE", "data-plane", DriftInfo::dataPlane),
        of("WITHHELD", "withheld", DriftInfo::isWithheld),
        of("DESTRUCTIVE", "destructive", DriftInfo::isDestructive),
        of("STEP", "step", DriftInfo::step),
        of("REASON", "reason", DriftInfo::reason)));

    /** Versions of the desired state. */
    public static final View<VersionInfo> VERSIONS = new View<>(Kind.VERSION, "versions", VersionInfo.class, List.of(
        of(">VERSION", "version", VersionInfo::version),
        time("CREATED", "created", VersionInfo::epochNs),
        of(">DEVICES", "devices", VersionInfo::devices),
        of(">SUBSYSTEMS", "subsystems", VersionInfo::subsystems),
        of(">NAMESPACES", "namespaces", VersionInfo::namespaces),
        of(">HOSTS", "hosts", VersionInfo::hosts),
        of(">LISTENERS", "listeners", VersionInfo::listeners),
        of("AUTHOR", "author", VersionInfo::author),
        of("COMMENT", "comment", VersionInfo::comment),
        of(null, "data-plane", VersionInfo::dataPlane)));

    /** Entries of the audit log. */
    public static final View<AuditInfo> AUDIT = new View<>(Kind.AUDIT, "entries", AuditInfo.class, List.of(
        of(">NUMBER", "sequence", AuditInfo::sequence),
        time("TIME", "time", AuditInfo::epochNs),
        of("DATA PLANE", "data-plane", AuditInfo::dataPlane),
        of("CLIENT", "client", AuditInfo::client),
        of("COMMAND", "command", AuditInfo::command),
        of("RESULT", "result", (a) -> SettingType.word(a.code())),
        new Column<>(">VERSION", "version", (a) -> 0 == a.version() ? null : a.version(),
            (a) -> 0 == a.version() ? "-" : Long.toString(a.version())),
        new Column<>("MESSAGE", "message", AuditInfo::text, (a) -> Code.OK == a.code() ? "" : a.text()),
        of(null, "role", (a) -> SettingType.word(a.role()))));

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final long NS_PER_S = 1_000_000_000L;

    private Views()
    {
    }

    /** A number of a record, without boxing. */
    @FunctionalInterface
    private interface Amount<T>
    {
        long of(T resource);
    }

    /** A size that a manager may not know, as that of a remote namespace: 0 then. */
    private static <T> Column<T> size(final String heading, final String key, final Amount<T> value)
    {
        return new Column<>(heading, key, (each) -> positive(value.of(each)),
            (each) -> null == positive(value.of(each)) ? "-" : Units.size(value.of(each)));
    }

    private static Long positive(final long amount)
    {
        return amount > 0 ? amount : null;
    }

    /** A size that an older data plane does not send; not in the table. */
    private static <T> Column<T> knownSize(final String key, final Amount<T> value)
    {
        return new Column<>(null, key, (each) -> known(value.of(each)),
            (each) -> null == known(value.of(each)) ? "-" : Units.size(value.of(each)));
    }

    private static <T> Column<T> bytes(final String heading, final String key, final Amount<T> value)
    {
        return new Column<>(heading, key, (each) -> known(value.of(each)),
            (each) -> null == known(value.of(each)) ? "-" : Quantity.bytes(value.of(each)));
    }

    private static <T> Column<T> count(final String heading, final String key, final Amount<T> value)
    {
        return new Column<>(heading, key, (each) -> known(value.of(each)),
            (each) -> null == known(value.of(each)) ? "-" : Quantity.count(value.of(each)));
    }

    private static <T> Column<T> time(final String heading, final String key, final Amount<T> epochNs)
    {
        return new Column<>(heading, key, (each) -> 0 == epochNs.of(each) ? null : instant(epochNs.of(each)).toString(),
            (each) -> 0 == epochNs.of(each) ? "never" : local(epochNs.of(each)));
    }

    /**
     * {@return a time of the control protocol, to the millisecond, as programs read it}
     *
     * @param epochNs nanoseconds since the Unix epoch.
     */
    public static Instant instant(final long epochNs)
    {
        return Instant.ofEpochSecond(epochNs / NS_PER_S, epochNs % NS_PER_S).truncatedTo(ChronoUnit.MILLIS);
    }

    /**
     * {@return a time of the control protocol in the time zone of this machine, to the second, as people read it}
     *
     * @param epochNs nanoseconds since the Unix epoch.
     */
    public static String local(final long epochNs)
    {
        return TIME.format(instant(epochNs).atZone(ZoneId.systemDefault()));
    }

    private static Long known(final long value)
    {
        return Resource.UNKNOWN == value ? null : value;
    }

    private static String busy(final ReactorInfo reactor)
    {
        final long totalNs = reactor.busyNs() + reactor.idleNs();
        return (0 == totalNs ? 0 : Math.round(100.0 * reactor.busyNs() / totalNs)) + " %";
    }

    private static Long limit(final long value)
    {
        return 0 == value ? null : value;
    }

    private static String averageWait(final QosInfo qos)
    {
        final long waited = qos.throttledReads() + qos.throttledWrites() - qos.waiting();
        return waited <= 0 ? "-" : Quantity.duration(qos.waitNs() / waited);
    }

    static String stateOf(final AnaInfo state)
    {
        return SettingType.word(state.state());
    }

    static String listenerOf(final AnaInfo state)
    {
        return state.address().isEmpty() ? "any other" :
            NetworkAddress.text(state.transport(), NetworkAddress.canonical(state.address()), state.port());
    }

    /** Settings that have not their defaults, but for the sizes. */
    private static String settings(final DeviceInfo device)
    {
        final String text = device.spec().properties().entrySet().stream().filter((each) -> !isSize(each.getKey()))
            .map((each) -> each.getKey() + '=' + readable(device.type(), each.getKey(), each.getValue()))
            .collect(Collectors.joining(" "));
        return text.isEmpty() ? "-" : text;
    }

    /** Of a list of groups, each of which has an equals sign of its own, begin and end are shown. */
    private static String readable(final String type, final String key, final String value)
    {
        final DeviceType known = DeviceTypes.find(type);
        final DeviceSetting<?> setting = null == known ? null : known.find(key);
        return null != setting && DeviceSetting.Form.GROUPS == setting.form() ?
            '[' + value.replace(" ", "; ") + ']' : value;
    }

    private static boolean isSize(final String key)
    {
        return DeviceSpec.SIZE.equals(key) || DeviceSpec.BLOCK_SIZE.equals(key);
    }

    /** All settings of the type, with defaults. */
    private static Map<String, Object> values(final DeviceInfo device)
    {
        final Map<String, Object> values = new LinkedHashMap<>();
        final DeviceType type = DeviceTypes.find(device.type());
        if (null == type)
        {
            values.putAll(device.spec().properties());
            return values;
        }
        for (final DeviceSetting<?> each : type.settings())
        {
            if (!isSize(each.key()))
            {
                final Object value = DeviceSetting.Form.VALUE == each.form() ?
                    each.get(device.spec().properties()) : each.text(device.spec().properties());
                values.put(each.jsonKey(), null == value || value instanceof Number || value instanceof Boolean ?
                    value : value.toString());
            }
        }
        return values;
    }
}

package io.millrace.dataplane.config;

import io.millrace.dataplane.DataPlane;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.nvmf.transport.TransportConfig;
import io.millrace.reactor.ReactorConfig;
import io.millrace.status.StatusSettings;
import java.util.List;
import java.util.Objects;

/**
 * Configuration of a {@link DataPlane}. Immutable; its parts were checked against each other when it was created.
 *
 * @param reactors      at least one; no two on one CPU.
 * @param memoryBytes   of the arena that I/O buffers come from, shared out among the reactors.
 * @param devices       in order: a device that wraps another comes after it.
 * @param subsystems    at least one, with a namespace and a host that may connect each, unless it is managed.
 * @param listeners     at least one, unless it is managed.
 * @param discoveryPort on which discovery is answered too, on every address that is listened on; -1 for none, 0 for any
 *                      free one.
 * @param limits        of controllers and queues.
 * @param transports    settings of the transports, one for each type that is served; at least one.
 * @param managed       whether operations will create further resources: it may be empty initially.
 * @param status        where its counters are published.
 * @param spdk          settings of SPDK, and when it starts.
 */
public record DataPlaneConfig(
    List<ReactorConfig> reactors,
    long memoryBytes,
    List<DeviceConfig> devices,
    List<SubsystemSettings> subsystems,
    List<ListenerSettings> listeners,
    int discoveryPort,
    TargetConfig limits,
    List<TransportConfig> transports,
    boolean managed,
    StatusSettings status,
    SpdkSettings spdk)
{
    /** Arena when none is given: 128 MiB. */
    public static final long MEMORY_BYTES_DEFAULT = 128L << 20;
    /** Least arena of each reactor: 8 MiB, eight of the largest transfers. */
    public static final long MEMORY_BYTES_MIN = 8L << 20;
    /** No discovery port of its own; the listeners answer discovery nevertheless. */
    public static final int NO_DISCOVERY_PORT = -1;

    /**
     * Copies the lists and checks the parts against each other.
     *
     * @throws SettingException naming the first setting that does not fit.
     */
    public DataPlaneConfig
    {
        reactors = List.copyOf(reactors);
        devices = List.copyOf(devices);
        subsystems = List.copyOf(subsystems);
        listeners = List.copyOf(listeners);
        transports = List.copyOf(transports);
        Objects.requireNonNull(limits, "limits");
        Objects.requireNonNull(status, "status");
        Objects.requireNonNull(spdk, "spdk");
        new ConfigCheck(reactors, memoryBytes, devices, subsystems, listeners, discoveryPort, transports, managed)
            .run();
    }

    /**
     * A data plane with the default settings of SPDK.
     *
     * @param reactors      at least one; no two on one CPU.
     * @param memoryBytes   of the arena that I/O buffers come from, shared out among the reactors.
     * @param devices       in order: a device that wraps another comes after it.
     * @param subsystems    as the record has them.
     * @param listeners     as the record has them.
     * @param discoveryPort on which discovery is answered too, on every address that is listened on; -1 for none, 0 for
     *                      any free one.
     * @param limits        of controllers and queues.
     * @param transports    settings of the transports, one for each type that is served; at least one.
     * @param managed       whether operations will create further resources: it may be empty initially.
     * @param status        where its counters are published.
     * @throws SettingException naming the first setting that does not fit.
     */
    public DataPlaneConfig(
        final List<ReactorConfig> reactors,
        final long memoryBytes,
        final List<DeviceConfig> devices,
        final List<SubsystemSettings> subsystems,
        final List<ListenerSettings> listeners,
        final int discoveryPort,
        final TargetConfig limits,
        final List<TransportConfig> transports,
        final boolean managed,
        final StatusSettings status)
    {
        this(reactors, memoryBytes, devices, subsystems, listeners, discoveryPort, limits, transports, managed, status,
            SpdkSettings.DEFAULTS);
    }

    /**
     * A data plane without a status file.
     *
     * @param reactors      at least one; no two on one CPU.
     * @param memoryBytes   of the arena that I/O buffers come from, shared out among the reactors.
     * @param devices       in order: a device that wraps another comes after it.
     * @param subsystems    as the record has them.
     * @param listeners     as the record has them.
     * @param discoveryPort on which discovery is answered too, on every address that is listened on; -1 for none, 0 for
     *                      any free one.
     * @param limits        of controllers and queues.
     * @param transport     settings of the one transport.
     * @param managed       whether operations will create further resources: it may be empty initially.
     * @throws SettingException naming the first setting that does not fit.
     */
    public DataPlaneConfig(
        final List<ReactorConfig> reactors,
        final long memoryBytes,
        final List<DeviceConfig> devices,
        final List<SubsystemSettings> subsystems,
        final List<ListenerSettings> listeners,
        final int discoveryPort,
        final TargetConfig limits,
        final TransportConfig transport,
        final boolean managed)
    {
        this(reactors, memoryBytes, devices, subsystems, listeners, discoveryPort, limits,
            List.of(transport), managed, StatusSettings.NONE);
    }

    /**
     * A data plane that serves what is declared here from its start, without a status file.
     *
     * @param reactors      at least one; no two on one CPU.
     * @param memoryBytes   of the arena that I/O buffers come from, shared out among the reactors.
     * @param devices       in order: a device that wraps another comes after it.
     * @param subsystems    at least one.
     * @param listeners     at least one.
     * @param discoveryPort on which discovery is answered too, on every address that is listened on; -1 for none, 0 for
     *                      any free one.
     * @param limits        of controllers and queues.
     * @param transport     settings of the one transport.
     * @throws SettingException naming the first setting that does not fit.
     */
    public DataPlaneConfig(
        final List<ReactorConfig> reactors,
        final long memoryBytes,
        final List<DeviceConfig> devices,
        final List<SubsystemSettings> subsystems,
        final List<ListenerSettings> listeners,
        final int discoveryPort,
        final TargetConfig limits,
        final TransportConfig transport)
    {
        this(reactors, memoryBytes, devices, subsystems, listeners, discoveryPort, limits, transport, false);
    }

    /**
     * {@return the types of transports that are in this build: what listeners may be of}
     */
    public static List<TransportAddress.Type> transportTypes()
    {
        return List.of(TransportAddress.Type.TCP, TransportAddress.Type.RDMA, TransportAddress.Type.VFIO_USER);
    }

    /**
     * A data plane without devices, subsystems and listeners, for operations to make them.
     *
     * @param reactors    at least one; no two on one CPU.
     * @param memoryBytes of the arena that I/O buffers come from, shared out among the reactors.
     * @return its configuration, with default limits.
     * @throws SettingException naming the first setting that does not fit.
     */
    public static DataPlaneConfig managed(final List<ReactorConfig> reactors, final long memoryBytes)
    {
        return new DataPlaneConfig(reactors, memoryBytes, List.of(), List.of(), List.of(), NO_DISCOVERY_PORT,
            TargetConfig.defaults(), List.of(TcpTransportConfig.defaults(), RdmaTransportConfig.defaults()), true,
            StatusSettings.NONE);
    }
}

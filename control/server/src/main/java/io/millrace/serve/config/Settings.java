package io.millrace.serve.config;

import io.millrace.control.service.ControlSettings;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.setting.Addresses;
import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import io.millrace.control.state.NetworkAddress;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig.IdleMode;
import io.millrace.settings.DeviceReader;
import io.millrace.settings.Setting;
import io.millrace.settings.SettingTable;
import io.millrace.spdk.SpdkConfig;
import io.millrace.status.StatusSettings;
import io.millrace.validation.AddressFilter;
import io.millrace.validation.AddressText;
import io.millrace.validation.ResourceValidation;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Every setting of {@code millrace.yaml}. The reader takes what is declared here and nothing else;
 * {@code docs/configuration.md} documents the same, and a test holds the two together.
 */
final class Settings
{
    // Largest number of CPUs that a kernel can be built for, less one.
    private static final int CPU_MAX = 8191;
    private static final int SOCKET_PATH_BYTES_MAX = 107;
    private static final long MICROS = 1_000L;
    private static final long MILLIS = 1_000_000L;
    private static final long SECONDS = 1_000_000_000L;
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long TIB = 1L << 40;
    /** What is wrong with one is found when all of them are known. */
    private static final SettingType<String> NQN = new SettingType<>(
        "NQN", "up to " + ResourceValidation.NQN_LENGTH_BYTES_MAX + " bytes", (text) -> text);

    static final Setting<Void> REACTORS = Setting.groups("reactors[]", false,
        "Polling threads; without it one, on a CPU of the kernel's choice.");
    static final Setting<String> REACTOR_NAME = Setting.optional("reactors[].name", SettingType.NAME_TYPE, null,
        "Name of the thread; reactor-0, reactor-1 and so on when not given.");
    static final Setting<Integer> REACTOR_CPU = Setting.optional("reactors[].cpu",
        new SettingType<>("CPU", "0 to " + CPU_MAX + ", or any", Settings::cpu), "any",
        "CPU the thread is pinned to; any leaves the choice to the kernel.");
    static final Setting<IdleMode> REACTOR_IDLE = Setting.optional("reactors[].idle",
        SettingType.choice(IdleMode.class, IdleMode.values()), "sleep",
        "What the thread does without work: sleep in the kernel, or busy-spin on a whole core for the lowest latency.");
    static final Setting<Long> REACTOR_SPIN = Setting.optional("reactors[].spin",
        SettingType.duration(0, SECONDS), Units.duration(100 * MICROS),
        "How long the thread polls on after the last work before it sleeps.");

    static final Setting<Void> MEMORY = Setting.group("memory", "The arena that I/O buffers come from.");
    static final Setting<Long> MEMORY_SIZE = Setting.optional("memory.size",
        SettingType.size(8 * MIB, TIB), "128MiB",
        "Size of the arena, shared out among the reactors; at least 8 MiB for each.");

    static final Setting<Void> SUBSYSTEMS = Setting.groups("subsystems[]", true,
        "NVM subsystems that hosts connect to.");
    static final Setting<String> SUBSYSTEM_NQN = Setting.required("subsystems[].nqn", NQN,
        "NVMe qualified name of the subsystem.");
    static final Setting<String> SUBSYSTEM_SERIAL = Setting.optional("subsystems[].serial",
        SettingType.text(ResourceValidation.SERIAL_LENGTH_MAX), null,
        "Serial number that hosts see; when not given it is derived from the NQN and stays the same.");
    static final Setting<String> SUBSYSTEM_MODEL = Setting.optional("subsystems[].model",
        SettingType.text(ResourceValidation.MODEL_LENGTH_MAX),
        "Millrace", "Model number that hosts see.");
    static final Setting<Boolean> SUBSYSTEM_ANY_HOST = Setting.optional("subsystems[].allow-any-host",
        SettingType.BOOLEAN, "false", "Whether every host may connect.");
    static final Setting<String> SUBSYSTEM_HOSTS = Setting.values("subsystems[].hosts[]", NQN,
        "NQNs of the hosts that may connect when not every host may.");
    static final Setting<Void> NAMESPACES = Setting.groups("subsystems[].namespaces[]", true,
        "Namespaces of the subsystem.");
    static final Setting<Integer> NAMESPACE_NSID = Setting.required("subsystems[].namespaces[].nsid",
        SettingType.number(1, Namespace.NSID_MAX),
        "Namespace identifier, unique in its subsystem.");
    static final Setting<String> NAMESPACE_DEVICE = Setting.required("subsystems[].namespaces[].device",
        SettingType.NAME_TYPE, "Name of the device that the namespace exports.");
    static final Setting<UUID> NAMESPACE_UUID = Setting.optional("subsystems[].namespaces[].uuid",
        SettingType.UUID_TYPE, null,
        "UUID that hosts know the namespace by; when not given it is derived from NQN and nsid and stays the same.");
    static final Setting<Integer> NAMESPACE_ANA_GROUP = Setting.optional("subsystems[].namespaces[].ana-group",
        SettingType.number(1, Namespace.ANA_GROUP_MAX), Integer.toString(Namespace.ANA_GROUP_DEFAULT),
        "ANA group of the namespace.");
    static final Setting<Void> ANA = Setting.groups("subsystems[].ana[]", false,
        "Initial ANA states of the subsystem, set in order; the default is optimized.");
    static final Setting<TransportAddress> ANA_LISTENER = Setting.optional("subsystems[].ana[].listener",
        new SettingType<>("address and port",
            "ADDRESS:PORT, IPv6 in brackets, rdma:// before those of RDMA, or vfio-user://DIRECTORY",
            Settings::listenerAddress), null, "Listener that the state is for; all when not given.");
    static final Setting<Integer> ANA_GROUP = Setting.optional("subsystems[].ana[].group",
        SettingType.number(1, Namespace.ANA_GROUP_MAX), null, "ANA group that it is for; all when not given.");
    static final Setting<AnaState> ANA_STATE = Setting.required("subsystems[].ana[].state",
        SettingType.choice(AnaState.class, new AnaState[]{
            AnaState.OPTIMIZED, AnaState.NON_OPTIMIZED, AnaState.INACCESSIBLE, AnaState.PERSISTENT_LOSS}),
        "The state.");

    static final Setting<Void> QOS = Setting.groups("subsystems[].qos[]", false,
        "Limits of namespaces and hosts. A command over a limit waits, it never fails.");
    static final Setting<Integer> QOS_NSID = Setting.optional("subsystems[].qos[].nsid",
        SettingType.number(1, Namespace.NSID_MAX), null, "Namespace that is limited, all hosts together.");
    static final Setting<String> QOS_HOST = Setting.optional("subsystems[].qos[].host", NQN, null,
        "NQN of the host that is limited, on all namespaces of the subsystem together; instead of nsid.");
    static final Setting<Long> QOS_IOPS = Setting.optional("subsystems[].qos[].iops",
        SettingType.integer(1, QosLimits.IOPS_MAX), null, "Reads and writes per second.");
    static final Setting<Long> QOS_READ_IOPS = Setting.optional("subsystems[].qos[].read-iops",
        SettingType.integer(1, QosLimits.IOPS_MAX), null, "Reads per second.");
    static final Setting<Long> QOS_WRITE_IOPS = Setting.optional("subsystems[].qos[].write-iops",
        SettingType.integer(1, QosLimits.IOPS_MAX), null, "Writes per second.");
    static final Setting<Long> QOS_BANDWIDTH = Setting.optional("subsystems[].qos[].bandwidth",
        SettingType.size(QosLimits.BYTES_PER_SECOND_MIN, QosLimits.BYTES_PER_SECOND_MAX), null,
        "Bytes of reads and writes per second.");
    static final Setting<Long> QOS_READ_BANDWIDTH = Setting.optional("subsystems[].qos[].read-bandwidth",
        SettingType.size(QosLimits.BYTES_PER_SECOND_MIN, QosLimits.BYTES_PER_SECOND_MAX), null,
        "Bytes of reads per second.");
    static final Setting<Long> QOS_WRITE_BANDWIDTH = Setting.optional("subsystems[].qos[].write-bandwidth",
        SettingType.size(QosLimits.BYTES_PER_SECOND_MIN, QosLimits.BYTES_PER_SECOND_MAX), null,
        "Bytes of writes per second.");
    static final Setting<Long> QOS_BURST = Setting.optional("subsystems[].qos[].burst",
        SettingType.duration(QosLimits.BURST_MS_MIN * MILLIS, QosLimits.BURST_MS_MAX * MILLIS),
        Units.duration(QosLimits.BURST_MS_DEFAULT * MILLIS),
        "Burst: unused capacity of this time may be used at once, in whole milliseconds.");

    static final Setting<Void> LISTENERS = Setting.groups("listeners[]", true, "Addresses that hosts connect to.");
    static final Setting<TransportAddress.Type> LISTENER_TRANSPORT = Setting.optional("listeners[].transport",
        SettingType.choice(TransportAddress.Type.class, DataPlaneConfig.transportTypes().toArray(
            TransportAddress.Type[]::new)), "tcp", "Transport of NVMe-oF.");
    static final Setting<String> LISTENER_ADDRESS = Setting.required("listeners[].address",
        new SettingType<>("address", Addresses.BOUND + ", or an absolute path", Settings::listenerHost),
        "Address to listen on; 0.0.0.0 or \"::\" for every one of the machine. Of vfio-user the directory of its " +
        "sockets.");
    static final Setting<Integer> LISTENER_PORT = Setting.optional("listeners[].port",
        SettingType.number(0, 65535), "4420",
        "Port; 0 takes any free one and prints it. vfio-user has none.");
    static final Setting<Boolean> LISTENER_DISCOVERY_ONLY = Setting.optional("listeners[].discovery-only",
        SettingType.BOOLEAN, "false", "Whether only the discovery subsystem is served on this address.");
    static final Setting<ListenerProvider> LISTENER_PROVIDER = Setting.optional("listeners[].provider",
        SettingType.choice(ListenerProvider.class, ListenerProvider.values()), "millrace",
        "Whose target serves the listener: Millrace's own, or SPDK's in the same process (docs/spdk.md).");

    static final Setting<Boolean> DISCOVERY = Setting.optional("discovery", SettingType.BOOLEAN, "true",
        "Whether discovery is answered on port 8009 too, of every address listened on; the listeners answer it " +
            "always.");

    static final Setting<Boolean> WARM_UP = Setting.optional("warm-up", SettingType.BOOLEAN, "true",
        "Whether a small load of its own runs for some four seconds after the start, so that the I/O paths are " +
            "compiled before hosts come.");

    static final Setting<Void> CONTROL = Setting.group("control",
        "Control service for commands to the running data plane, by this user unless more is set.");
    static final Setting<Boolean> CONTROL_ENABLED = Setting.optional("control.enabled", SettingType.BOOLEAN, "true",
        "Whether commands are taken. Without them the resources of this file remain as they are.");
    static final Setting<Path> CONTROL_DIRECTORY = Setting.optional("control.directory", SettingType.PATH, null,
        "Directory of the media driver, made at the start, for this user alone; who may write there may send " +
            "commands over IPC. data-plane, or data-plane-NAME with a control.name, in $XDG_RUNTIME_DIR/millrace, " +
            "/run/millrace or /dev/shm/millrace-USER when not given.");
    static final Setting<String> CONTROL_CHANNEL = Setting.optional("control.channel",
        new SettingType<>("channel", "aeron:ipc, or aeron:udp?endpoint=ADDRESS:PORT", Settings::channel),
        ControlSettings.IPC_CHANNEL, "Aeron channel of the commands; IPC works in any case.");
    static final Setting<Integer> CONTROL_STREAM = Setting.optional("control.stream",
        SettingType.number(1, Integer.MAX_VALUE), Integer.toString(ControlSettings.STREAM_ID_DEFAULT),
        "Aeron stream of the commands.");
    static final Setting<Path> CONTROL_SECRETS = Setting.optional("control.secrets", SettingType.PATH, null,
        "File with the keys that clients prove, a line of name, role and secret for each; UDP needs it.");
    static final Setting<String> CONTROL_NAME = Setting.optional("control.name", SettingType.NAME_TYPE,
        ControlSettings.NAME_DEFAULT, "Name of the data plane that clients see; each of a user needs one of its own.");
    static final Setting<ControlSettings.Idle> CONTROL_IDLE = Setting.optional("control.idle",
        SettingType.choice(ControlSettings.Idle.class, ControlSettings.Idle.values()), "back-off",
        "What the thread that takes commands does without any: back off to sleeping 1 ms, after a second 10 ms, or " +
            "busy-spin on a whole core.");

    static final Setting<ControlSettings.Encryption> CONTROL_ENCRYPTION = Setting.optional("control.encryption",
        SettingType.choice(ControlSettings.Encryption.class, ControlSettings.Encryption.values()), "required",
        "Whether clients over UDP have to encrypt, or may only authenticate.");
    static final Setting<String> CONTROL_GROUP = Setting.optional("control.group", SettingType.NAME_TYPE, null,
        "Group of users that may send commands over IPC besides the user of the process; none when not given.");
    static final Setting<Path> CONTROL_DEVICE_DIRECTORIES = Setting.values("control.device-directories[]",
        SettingType.PATH, "Directories, or single files and block devices, that file devices may be created in by " +
            "commands and managers, besides the paths that this file declares. Directory volumes in " +
            "state.directory when not given.");
    static final Setting<Void> STATE = Setting.group("state",
        "Storage of the state that a manager applied last, which is restored at the next start instead of the state " +
            "of this file. Files that devices had are " +
            "recorded there, with and without a manager.");
    static final Setting<Path> STATE_DIRECTORY = Setting.optional("state.directory", SettingType.PATH, null,
        "Directory of its own, made when the first manager takes charge or the first file device is opened. " +
            "$XDG_STATE_HOME/millrace/data-plane-NAME when not given, with the control.name.");

    static final Setting<Void> STATUS = Setting.group("status",
        "The file in which other processes read what is counted and measured; written without this group too.");
    static final Setting<Path> STATUS_FILE = Setting.optional("status.file",
        new SettingType<>("path", "a path of the file system, or none", Settings::optionalFile), null,
        "The file, in memory best; kept when the process ends, until the next start. /dev/shm/millrace-USER.status " +
            "when not given, and /dev/shm/millrace-USER-NAME.status with a control.name.");
    static final Setting<Long> STATUS_SIZE = Setting.optional("status.size",
        SettingType.size(StatusSettings.BYTES_EACH_MIN, StatusSettings.BYTES_EACH_MAX),
        Units.size(StatusSettings.BYTES_EACH_DEFAULT),
        "What each reactor may fill of it; what it does not use takes no space.");

    static final Setting<Void> METRICS = Setting.group("metrics",
        "Prometheus endpoint of this data plane, with answers to probes at /health and /ready; without this group " +
            "none is served.");
    static final Setting<InetAddress> METRICS_ADDRESS = Setting.optional("metrics.address", SettingType.ADDRESS,
        "127.0.0.1", "Address to listen on.");
    static final Setting<Integer> METRICS_PORT = Setting.optional("metrics.port", SettingType.number(1, 65_535),
        "9465", "TCP port.");

    static final Setting<Void> LIMITS = Setting.group("limits", "Limits of hosts.");
    static final Setting<Integer> LIMIT_QUEUE_PAIRS = Setting.optional("limits.queue-pairs",
        SettingType.number(1, TargetConfig.QUEUE_PAIRS_MAX), Integer.toString(TargetConfig.QUEUE_PAIRS_MAX),
        "I/O queue pairs of a controller.");
    static final Setting<Integer> LIMIT_QUEUE_DEPTH = Setting.optional("limits.queue-depth",
        SettingType.number(16, 4096), Integer.toString(TargetConfig.QUEUE_DEPTH_DEFAULT),
        "Commands that a queue pair takes at once.");
    static final Setting<Integer> LIMIT_CONTROLLERS = Setting.optional("limits.controllers",
        SettingType.number(1, TargetConfig.CONTROLLERS_MAX), Integer.toString(TargetConfig.CONTROLLERS_MAX),
        "Controllers of a subsystem: one for each connected host, or more.");
    static final Setting<Integer> LIMIT_CONTROLLER_ID_FIRST = Setting.optional("limits.controller-id-first",
        SettingType.number(1, ControllerIds.ID_MAX), "1",
        "First id that a controller gets. Data planes that are paths of one subsystem need ids of their own each.");
    static final Setting<Integer> LIMIT_CONTROLLER_ID_LAST = Setting.optional("limits.controller-id-last",
        SettingType.number(1, ControllerIds.ID_MAX), Integer.toString(ControllerIds.ID_MAX),
        "Last id that a controller gets.");
    static final Setting<Integer> LIMIT_REQUESTS = Setting.optional("limits.requests-per-reactor",
        SettingType.number(CapacityLimits.REQUESTS_MIN, CapacityLimits.REQUESTS_MAX), null,
        "Commands of all hosts on one reactor, answers that hosts have not taken included; from the heap when not " +
            "given.");
    static final Setting<Integer> LIMIT_CONNECTIONS = Setting.optional("limits.connections",
        SettingType.number(1, CapacityLimits.CONNECTIONS_MAX), null,
        "Queues of all hosts together, without discovery; from the heap when not given.");
    static final Setting<Integer> LIMIT_CONNECTIONS_PER_ADDRESS = Setting.optional("limits.connections-per-address",
        SettingType.number(1, CapacityLimits.CONNECTIONS_MAX), null,
        "Queues of hosts at one address; half of limits.connections when not given.");
    static final Setting<Integer> LIMIT_PENDING = Setting.optional("limits.pending-connections",
        SettingType.number(1, CapacityLimits.CONNECTIONS_MAX), null,
        "Connections that have not become queues yet; from the heap when not given.");
    static final Setting<Integer> LIMIT_PENDING_PER_ADDRESS = Setting.optional("limits.pending-connections-per-address",
        SettingType.number(1, CapacityLimits.CONNECTIONS_MAX), null,
        "Of them, from one address; half of limits.pending-connections when not given.");
    static final Setting<Integer> LIMIT_DISCOVERY = Setting.optional("limits.discovery-connections",
        SettingType.number(1, CapacityLimits.CONNECTIONS_MAX), null,
        "Discovery controllers of all hosts together; a ninth of limits.connections, at least 16, when not given.");
    static final Setting<Integer> LIMIT_DISCOVERY_PER_ADDRESS = Setting.optional(
        "limits.discovery-connections-per-address", SettingType.number(1, CapacityLimits.CONNECTIONS_MAX), null,
        "Of them, from one address; a quarter of limits.discovery-connections, at least 4, when not given.");
    static final Setting<Integer> LIMIT_ANA_TRANSITION = Setting.optional("limits.ana-transition-time",
        SettingType.duration(SECONDS, TargetConfig.ANA_TRANSITION_SECONDS_MAX * SECONDS)
            .then("duration", "1s to " + TargetConfig.ANA_TRANSITION_SECONDS_MAX + "s, whole seconds",
                Settings::wholeSeconds),
        TargetConfig.ANA_TRANSITION_SECONDS_DEFAULT + "s",
        "How long an ANA group may be in transition, as reported to hosts (ANATT); then it becomes inaccessible.");

    static final Setting<Void> TCP = Setting.group("tcp", "How NVMe/TCP connections work, of every listener.");
    static final Setting<Integer> TCP_IN_CAPSULE = Setting.optional("tcp.in-capsule-data-size",
        SettingType.bytes(0, 128 * KIB, 16), bytes(TcpTransportConfig.IN_CAPSULE_DATA_BYTES_DEFAULT),
        "Most data that a host sends along with a write command; larger writes wait to be asked for their data.");
    static final Setting<Integer> TCP_MAX_H2C = Setting.optional("tcp.max-h2c-data-size",
        SettingType.bytes(4096, 16 * MIB, 4096), bytes(TcpTransportConfig.MAX_H2C_DATA_BYTES_DEFAULT),
        "Most data that a host sends in one piece (MAXH2CDATA).");
    static final Setting<Integer> TCP_RECEIVE_BUFFER = Setting.optional("tcp.receive-buffer-size",
        SettingType.bytes(64 * KIB, 16 * MIB, 4096), bytes(TcpTransportConfig.RECEIVE_BUFFER_BYTES_DEFAULT),
        "Buffer into which a reactor receives; at least twice in-capsule-data-size.");
    static final Setting<Boolean> TCP_SUCCESS_FLAG = Setting.optional("tcp.success-flag", SettingType.BOOLEAN, "true",
        "Whether a successful read ends with its last data, without a response of its own.");
    static final Setting<Long> TCP_CONNECT_TIMEOUT = Setting.optional("tcp.connect-timeout",
        SettingType.duration(SECONDS / 1000, 600 * SECONDS),
        Units.duration(TcpTransportConfig.CONNECT_TIMEOUT_NS_DEFAULT),
        "How long a new connection may take to become a queue before it is closed.");
    static final Setting<Long> TCP_DATA_TIMEOUT = Setting.optional("tcp.data-timeout",
        SettingType.duration(TcpTransportConfig.TRANSFER_TIMEOUT_NS_MIN, TcpTransportConfig.TRANSFER_TIMEOUT_NS_MAX),
        Units.duration(TcpTransportConfig.TRANSFER_TIMEOUT_NS_DEFAULT),
        "How long a host may send nothing of the write data that it was asked for before its connection is closed.");
    static final Setting<Long> TCP_SEND_TIMEOUT = Setting.optional("tcp.send-timeout",
        SettingType.duration(TcpTransportConfig.TRANSFER_TIMEOUT_NS_MIN, TcpTransportConfig.TRANSFER_TIMEOUT_NS_MAX),
        Units.duration(TcpTransportConfig.TRANSFER_TIMEOUT_NS_DEFAULT),
        "How long a host may take nothing of the answers that wait for it before its connection is closed.");
    static final Setting<Integer> TCP_CONNECTIONS = Setting.optional("tcp.connections", SettingType.number(1, 65535),
        Integer.toString(TcpTransportConfig.CONNECTIONS_MAX_DEFAULT), "Connections of each reactor.");
    static final Setting<Integer> TCP_SOCKET_SEND = Setting.optional("tcp.socket-send-size",
        SettingType.bytes(0, 1024 * MIB, 1), "0", "Socket send buffer; 0 leaves it to the kernel.");
    static final Setting<Integer> TCP_SOCKET_RECEIVE = Setting.optional("tcp.socket-receive-size",
        SettingType.bytes(0, 1024 * MIB, 1), "0", "Socket receive buffer; 0 leaves it to the kernel.");

    static final Setting<Void> RDMA = Setting.group("rdma", "How NVMe/RDMA connections work, of every listener.");
    static final Setting<Integer> RDMA_IN_CAPSULE = Setting.optional("rdma.in-capsule-data-size",
        SettingType.bytes(0, 64 * KIB, 64), bytes(RdmaTransportConfig.IN_CAPSULE_DATA_BYTES_DEFAULT),
        "Largest data that a host sends with a write command; larger ones are read by RDMA.");
    static final Setting<Integer> RDMA_CAPSULES = Setting.optional("rdma.capsules",
        SettingType.number(64, 1 << 20), Integer.toString(RdmaTransportConfig.CAPSULES_MAX_DEFAULT),
        "Receive buffers of each reactor, one for each entry of its queues.");
    static final Setting<Integer> RDMA_READS = Setting.optional("rdma.reads",
        SettingType.number(1, 255), Integer.toString(RdmaTransportConfig.READS_MAX_DEFAULT),
        "RDMA READs of a connection at a time.");
    static final Setting<Long> RDMA_CONNECT_TIMEOUT = Setting.optional("rdma.connect-timeout",
        SettingType.duration(1_000_000L, 600_000_000_000L),
        Units.duration(RdmaTransportConfig.CONNECT_TIMEOUT_NS_DEFAULT),
        "How long a new connection may take to become a queue before it is closed.");
    static final Setting<Long> RDMA_TRANSFER_TIMEOUT = Setting.optional("rdma.transfer-timeout",
        SettingType.duration(100_000_000L, 3_600_000_000_000L),
        Units.duration(RdmaTransportConfig.TRANSFER_TIMEOUT_NS_DEFAULT),
        "How long no transfer may end, while there are any, before the connection is closed.");
    static final Setting<Integer> RDMA_CONNECTIONS = Setting.optional("rdma.connections",
        SettingType.number(1, 65535), Integer.toString(RdmaTransportConfig.CONNECTIONS_MAX_DEFAULT),
        "Connections of each reactor.");
    static final Setting<String> RDMA_ALLOWED_ADDRESSES = Setting.values("rdma.allowed-addresses[]",
        new SettingType<>("addresses", "addresses or prefixes such as 192.0.2.0/24", Settings::allowedAddress),
        "Hosts that may connect; all when not given.");
    static final Setting<Boolean> RDMA_IWARP = Setting.optional("rdma.allow-iwarp", SettingType.BOOLEAN, "false",
        "Whether hosts may connect through iWARP adapters, on which each host can write into the I/O buffers of the " +
            "others.");

    static final Setting<Void> SPDK = Setting.group("spdk",
        "SPDK in this process; without this group it starts with the first device of SPDK, by the defaults.");
    static final Setting<Path> SPDK_CONFIG = Setting.optional("spdk.config", SettingType.PATH, null,
        "SPDK's JSON configuration, as its save_config writes it; none when not given.");
    static final Setting<Integer> SPDK_MEMORY = Setting.optional("spdk.memory",
        SettingType.size(SpdkConfig.MEMORY_MIB_MIN * MIB, SpdkConfig.MEMORY_MIB_MAX * MIB)
            .then("size", "256MiB to 1TiB, whole MiB", Settings::wholeMib),
        SpdkConfig.MEMORY_MIB_DEFAULT + "MiB", "Memory of SPDK's own, for its pools of buffers and requests.");
    static final Setting<Boolean> SPDK_HUGEPAGES = Setting.optional("spdk.hugepages", SettingType.BOOLEAN, "false",
        "Whether that memory is in hugepages, of which as many have to be free.");
    static final Setting<String> SPDK_PCI = Setting.values("spdk.pci[]",
        new SettingType<>("PCI address", "such as 0000:01:00.0", Settings::pciAddress),
        "Drives and other functions that SPDK may use, bound to vfio-pci; it looks at no others.");
    static final Setting<String> SPDK_EXPORTS = Setting.values("spdk.exports[]",
        SettingType.NAME_TYPE, "Devices without namespaces that SPDK has as bdevs of the same names.");
    static final Setting<Path> SPDK_FRONT_ENDS = Setting.optional("spdk.front-ends", SettingType.PATH, null,
        "SPDK's JSON configuration of what serves them: subsystems nvmf and vhost, as its save_config writes them.");
    static final Setting<Path> SPDK_RPC_SOCKET = Setting.optional("spdk.rpc-socket",
        new SettingType<>("path", "up to 107 bytes, or none", Settings::socket), null,
        "Unix domain socket of SPDK's JSON-RPC, for this user alone. spdk.sock beside the control directory when not " +
            "given, and spdk-NAME.sock with a control.name.");

    private static final List<Setting<?>> BEFORE_DEVICES = List.of(
        REACTORS, REACTOR_NAME, REACTOR_CPU, REACTOR_IDLE, REACTOR_SPIN,
        MEMORY, MEMORY_SIZE);

    private static final List<Setting<?>> AFTER_DEVICES = List.of(
        SUBSYSTEMS, SUBSYSTEM_NQN, SUBSYSTEM_SERIAL, SUBSYSTEM_MODEL, SUBSYSTEM_ANY_HOST, SUBSYSTEM_HOSTS,
        NAMESPACES, NAMESPACE_NSID, NAMESPACE_DEVICE, NAMESPACE_UUID, NAMESPACE_ANA_GROUP,
        ANA, ANA_LISTENER, ANA_GROUP, ANA_STATE,
        QOS, QOS_NSID, QOS_HOST, QOS_IOPS, QOS_READ_IOPS, QOS_WRITE_IOPS, QOS_BANDWIDTH, QOS_READ_BANDWIDTH,
        QOS_WRITE_BANDWIDTH, QOS_BURST,
        LISTENERS, LISTENER_TRANSPORT, LISTENER_ADDRESS, LISTENER_PORT, LISTENER_DISCOVERY_ONLY, LISTENER_PROVIDER,
        DISCOVERY,
        WARM_UP,
        CONTROL, CONTROL_ENABLED, CONTROL_DIRECTORY, CONTROL_CHANNEL, CONTROL_STREAM, CONTROL_SECRETS, CONTROL_NAME,
        CONTROL_IDLE, CONTROL_ENCRYPTION, CONTROL_GROUP, CONTROL_DEVICE_DIRECTORIES,
        STATE, STATE_DIRECTORY,
        STATUS, STATUS_FILE, STATUS_SIZE,
        METRICS, METRICS_ADDRESS, METRICS_PORT,
        LIMITS, LIMIT_QUEUE_PAIRS, LIMIT_QUEUE_DEPTH, LIMIT_CONTROLLERS, LIMIT_CONTROLLER_ID_FIRST,
        LIMIT_CONTROLLER_ID_LAST, LIMIT_ANA_TRANSITION,
        LIMIT_REQUESTS, LIMIT_CONNECTIONS, LIMIT_CONNECTIONS_PER_ADDRESS, LIMIT_PENDING, LIMIT_PENDING_PER_ADDRESS,
        LIMIT_DISCOVERY, LIMIT_DISCOVERY_PER_ADDRESS,
        TCP, TCP_IN_CAPSULE, TCP_MAX_H2C, TCP_RECEIVE_BUFFER, TCP_SUCCESS_FLAG, TCP_CONNECT_TIMEOUT,
        TCP_DATA_TIMEOUT, TCP_SEND_TIMEOUT, TCP_CONNECTIONS, TCP_SOCKET_SEND, TCP_SOCKET_RECEIVE,
        RDMA, RDMA_IN_CAPSULE, RDMA_CAPSULES, RDMA_READS, RDMA_CONNECT_TIMEOUT, RDMA_TRANSFER_TIMEOUT,
        RDMA_CONNECTIONS, RDMA_ALLOWED_ADDRESSES, RDMA_IWARP,
        SPDK, SPDK_CONFIG, SPDK_MEMORY, SPDK_HUGEPAGES, SPDK_PCI, SPDK_EXPORTS, SPDK_FRONT_ENDS, SPDK_RPC_SOCKET);

    /** All of them, in the order of the documentation. */
    static final SettingTable ALL = new SettingTable(Stream.of(BEFORE_DEVICES, DeviceReader.settings(), AFTER_DEVICES)
        .flatMap(List::stream).toList());

    private static final Pattern SOCKET_ADDRESS = Pattern.compile(
        "(?:(tcp|rdma)://)?(?:\\[([0-9a-fA-F:.]+)]|([0-9.]+)):([0-9]{1,5})");
    /** Value of a file that is not wanted. */
    static final Path NO_FILE = Path.of("");

    private Settings()
    {
    }

    private static String allowedAddress(final String text)
    {
        try
        {
            new AddressFilter(List.of(text));
            return text;
        }
        catch (final IllegalArgumentException e)
        {
            throw new SettingType.BadValue("neither an address nor a prefix", "write one such as 192.0.2.0/24");
        }
    }

    /** {@return a path; an empty one for none} */
    private static Path optionalFile(final String text)
    {
        return "none".equals(text) ? NO_FILE : SettingType.PATH.parse(text);
    }

    private static String bytes(final int lengthBytes)
    {
        return Units.size(lengthBytes);
    }

    private static int cpu(final String text)
    {
        if ("any".equals(text))
        {
            return -1;
        }
        return SettingType.number(0, CPU_MAX).parse(text);
    }

    /** A host name is resolved when it is read. */
    private static String listenerHost(final String text)
    {
        return NetworkAddress.isDirectory(text) ? text : AddressText.of(Addresses.resolve(text));
    }

    private static TransportAddress listenerAddress(final String text)
    {
        if (text.startsWith(NetworkAddress.VFIO_USER + '/'))
        {
            return TransportAddress.vfioUser(text.substring(NetworkAddress.VFIO_USER.length())).canonical();
        }
        final Matcher matcher = SOCKET_ADDRESS.matcher(text);
        if (matcher.matches())
        {
            final String address = null == matcher.group(2) ? matcher.group(3) : matcher.group(2);
            final int port = Integer.parseInt(matcher.group(4));
            if (port >= 1 && port <= 65535)
            {
                return TransportAddress.of(null == matcher.group(1) ? TransportAddress.Type.TCP :
                    TransportAddress.Type.valueOf(matcher.group(1).toUpperCase(Locale.ROOT)),
                    new InetSocketAddress(Addresses.resolve(address), port));
            }
        }
        throw new SettingType.BadValue("not an IP address with a port",
            "write one such as 127.0.0.1:4420 or \"[::1]:4420\"");
    }

    private static Path socket(final String text)
    {
        final Path path = optionalFile(text);
        if (path.toString().getBytes(StandardCharsets.UTF_8).length > SOCKET_PATH_BYTES_MAX)
        {
            throw new SettingType.BadValue("longer than " + SOCKET_PATH_BYTES_MAX + " bytes, which the kernel takes " +
                "for a socket", "use a shorter path");
        }
        return path;
    }

    private static int wholeMib(final long sizeBytes)
    {
        if (0 != sizeBytes % MIB)
        {
            throw new SettingType.BadValue("not whole MiB", "use " + (sizeBytes / MIB + 1) + "MiB");
        }
        return (int)(sizeBytes / MIB);
    }

    /** As the type nvme takes them. */
    private static String pciAddress(final String text)
    {
        try
        {
            return DeviceTypes.of("nvme").canonical(Map.of("address", text)).get("address");
        }
        catch (final InvalidSettingException e)
        {
            throw new SettingType.BadValue("no PCI address", "write one such as 0000:01:00.0, which 'millrace drive " +
                "list' shows");
        }
    }

    private static int wholeSeconds(final long durationNs)
    {
        if (0 != durationNs % SECONDS)
        {
            throw new SettingType.BadValue("not whole seconds", "use " +
                Units.duration((durationNs / SECONDS + 1) * SECONDS));
        }
        return (int)(durationNs / SECONDS);
    }

    private static String channel(final String text)
    {
        if (!ControlSettings.isChannel(text))
        {
            throw new SettingType.BadValue("neither aeron:ipc nor aeron:udp with a numeric endpoint",
                "write aeron:ipc or aeron:udp?endpoint=127.0.0.1:4421");
        }
        return text;
    }
}

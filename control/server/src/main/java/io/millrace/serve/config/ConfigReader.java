package io.millrace.serve.config;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.block.file.FileRecords;
import io.millrace.console.Version;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.device.DeviceType;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.setting.Units;
import io.millrace.control.state.NetworkAddress;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.QosSettings;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SpdkSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.device.FileAccess;
import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.settings.BaseDirectories;
import io.millrace.settings.ConfigException;
import io.millrace.settings.DeviceReader;
import io.millrace.settings.Section;
import io.millrace.settings.Setting;
import io.millrace.settings.TextFile;
import io.millrace.spdk.SpdkConfig;
import io.millrace.status.StatusSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads a configuration file. Stateless; set-up thread.
 */
public final class ConfigReader
{
    /** Longest text of a configuration, in characters. */
    static final int TEXT_LENGTH_MAX = 1 << 20;
    private static final String DEVICE_DIRECTORIES = "control.device-directories";

    private ConfigReader()
    {
    }

    /**
     * A configuration and where in its file each setting stands.
     *
     * @param file    as the user named it.
     * @param config  that was read.
     * @param control where commands are taken; null when they are disabled.
     * @param bounds  within which the paths of file devices have to lie that commands create; null without control.
     * @param stateDirectory where the state that a manager applied is kept, with control, and records of files.
     * @param isStateDirectoryNamed whether the file names that directory, rather than leaving it to the default.
     * @param metrics address of the metrics endpoint; null: none.
     * @param warmUp  whether the I/O paths are to be warmed up.
     * @param lines   of the keys that the file gives, from 1.
     */
    public record Result(
        String file,
        DataPlaneConfig config,
        ControlSettings control,
        FileBounds bounds,
        Path stateDirectory,
        boolean isStateDirectoryNamed,
        InetSocketAddress metrics,
        boolean warmUp,
        Map<String, Integer> lines)
    {
        /**
         * {@return the configuration of the process alone, without what is served}
         */
        public DataPlaneConfig withoutServed()
        {
            return new DataPlaneConfig(config.reactors(), config.memoryBytes(), List.of(), List.of(), List.of(),
                DataPlaneConfig.NO_DISCOVERY_PORT, config.limits(), config.transports(), config.managed(),
                config.status(), config.spdk().withoutExports());
        }

        /**
         * {@return where it is recorded which files devices had}
         */
        public Path recordDirectory()
        {
            return stateDirectory.resolve("files");
        }

        /**
         * {@return the configuration, with file devices whose files are recorded}
         *
         * @param records of the files.
         */
        public DataPlaneConfig withRecords(final FileRecords records)
        {
            final FileAccess files = new FileAccess(FileBounds.ANYWHERE, records);
            final List<DeviceConfig> devices = config.devices().stream().map((each) -> each.with(files)).toList();
            return new DataPlaneConfig(config.reactors(), config.memoryBytes(), devices, config.subsystems(),
                config.listeners(), config.discoveryPort(), config.limits(), config.transports(), config.managed(),
                config.status(), config.spdk());
        }

        /**
         * Adds file and line to what was found wrong later, when the data plane was started.
         *
         * @param problem with a key of this configuration.
         * @return the same with the line of that key, or of the nearest group around it.
         */
        public ConfigException locate(final SettingException problem)
        {
            return ConfigException.of(file, lines, problem);
        }
    }

    /**
     * Reads a file.
     *
     * @param path of it.
     * @return what it says.
     * @throws ConfigException when it cannot be read or used.
     */
    public static Result read(final Path path)
    {
        return read(path.toString(), TextFile.read(path, TEXT_LENGTH_MAX, "name one with --config"));
    }

    /**
     * Reads a text.
     *
     * @param file name for messages.
     * @param text in YAML.
     * @return what it says.
     * @throws ConfigException when it cannot be used.
     */
    public static Result read(final String file, final String text)
    {
        final Map<String, Integer> lines = new HashMap<>();
        final Section top = Section.parse(file, text, TEXT_LENGTH_MAX, Settings.ALL, lines);
        try
        {
            final List<ListenerSettings> listeners = listeners(top);
            final DataPlaneConfig config = new DataPlaneConfig(
                reactors(top),
                top.section(Settings.MEMORY).get(Settings.MEMORY_SIZE),
                devices(top),
                subsystems(top),
                listeners,
                discoveryPort(top, listeners),
                // Without a reactor it is refused below, with the line.
                limits(top.section(Settings.LIMITS), Math.max(1, reactors(top).size())),
                List.of(tcp(top.section(Settings.TCP)), rdma(top.section(Settings.RDMA))),
                isControlled(top),
                status(top.section(Settings.STATUS), top.section(Settings.CONTROL).get(Settings.CONTROL_NAME)),
                spdk(top));
            final ControlSettings control = control(top);
            final Path directory = top.section(Settings.STATE).get(Settings.STATE_DIRECTORY);
            final Path state = null != directory ? directory :
                stateDirectoryDefault(top.section(Settings.CONTROL).get(Settings.CONTROL_NAME));
            return new Result(file, config, control, null == control ? null :
                bounds(top.section(Settings.CONTROL), state, config.devices()), state, null != directory, metrics(top),
                top.get(Settings.WARM_UP), Map.copyOf(lines));
        }
        catch (final SettingException e)
        {
            throw ConfigException.of(file, lines, e);
        }
    }

    private static List<ReactorConfig> reactors(final Section top)
    {
        final List<ReactorConfig> reactors = new ArrayList<>();
        for (final Section section : top.sections(Settings.REACTORS))
        {
            final String name = section.get(Settings.REACTOR_NAME);
            reactors.add(new ReactorConfig(
                null == name ? "reactor-" + reactors.size() : name,
                section.get(Settings.REACTOR_CPU),
                section.get(Settings.REACTOR_IDLE),
                section.get(Settings.REACTOR_SPIN)));
        }
        return top.has(Settings.REACTORS) ? reactors : List.of(ReactorConfig.of("reactor-0", -1));
    }

    private static List<DeviceConfig> devices(final Section top)
    {
        final List<DeviceConfig> devices = new ArrayList<>();
        for (final Section section : served(top, DeviceReader.DEVICES))
        {
            final String name = section.get(DeviceReader.NAME);
            final DeviceType type = section.get(DeviceReader.TYPE);
            devices.add(DeviceConfig.of(name, type.name(), type.values(
                DeviceReader.properties(section, type, DeviceReader.Paths.RELATIVE))));
        }
        return devices;
    }

    private static List<SubsystemSettings> subsystems(final Section top)
    {
        final List<SubsystemSettings> subsystems = new ArrayList<>();
        for (final Section section : served(top, Settings.SUBSYSTEMS))
        {
            final List<SubsystemSettings.NamespaceSettings> namespaces = new ArrayList<>();
            for (final Section namespace : isControlled(top) ?
                section.sectionsIfGiven(Settings.NAMESPACES) : section.sections(Settings.NAMESPACES))
            {
                namespaces.add(new SubsystemSettings.NamespaceSettings(
                    namespace.get(Settings.NAMESPACE_NSID),
                    namespace.get(Settings.NAMESPACE_DEVICE),
                    namespace.get(Settings.NAMESPACE_UUID),
                    namespace.get(Settings.NAMESPACE_ANA_GROUP)));
            }
            final List<SubsystemSettings.AnaSettings> ana = new ArrayList<>();
            for (final Section state : section.sections(Settings.ANA))
            {
                final Integer group = state.get(Settings.ANA_GROUP);
                ana.add(new SubsystemSettings.AnaSettings(
                    state.get(Settings.ANA_LISTENER), null == group ? 0 : group, state.get(Settings.ANA_STATE)));
            }
            subsystems.add(new SubsystemSettings(
                section.get(Settings.SUBSYSTEM_NQN),
                section.get(Settings.SUBSYSTEM_SERIAL),
                section.get(Settings.SUBSYSTEM_MODEL),
                section.get(Settings.SUBSYSTEM_ANY_HOST),
                section.list(Settings.SUBSYSTEM_HOSTS),
                namespaces,
                ana,
                qos(section)));
        }
        return subsystems;
    }

    private static List<QosSettings> qos(final Section subsystem)
    {
        final List<QosSettings> qos = new ArrayList<>();
        for (final Section section : subsystem.sections(Settings.QOS))
        {
            final Integer nsid = section.get(Settings.QOS_NSID);
            final String host = section.get(Settings.QOS_HOST);
            qos.add(new QosSettings(null == nsid ? 0 : nsid, null == host ? "" : host, new QosLimits(
                limit(section, Settings.QOS_READ_IOPS),
                limit(section, Settings.QOS_WRITE_IOPS),
                limit(section, Settings.QOS_IOPS),
                limit(section, Settings.QOS_READ_BANDWIDTH),
                limit(section, Settings.QOS_WRITE_BANDWIDTH),
                limit(section, Settings.QOS_BANDWIDTH),
                (int)TimeUnit.NANOSECONDS.toMillis(section.get(Settings.QOS_BURST)))));
        }
        return qos;
    }

    private static long limit(final Section section, final Setting<Long> setting)
    {
        final Long limit = section.get(setting);
        return null == limit ? 0 : limit;
    }

    private static List<ListenerSettings> listeners(final Section top)
    {
        final List<ListenerSettings> listeners = new ArrayList<>();
        for (final Section section : served(top, Settings.LISTENERS))
        {
            listeners.add(new ListenerSettings(listenerAddress(section),
                section.get(Settings.LISTENER_DISCOVERY_ONLY), section.get(Settings.LISTENER_PROVIDER)));
        }
        return listeners;
    }

    private static TransportAddress listenerAddress(final Section section)
    {
        final TransportAddress.Type type = section.get(Settings.LISTENER_TRANSPORT);
        final String address = section.get(Settings.LISTENER_ADDRESS);
        if (TransportAddress.Type.VFIO_USER == type != NetworkAddress.isDirectory(address))
        {
            throw section.refuse(Settings.LISTENER_ADDRESS, address, TransportAddress.Type.VFIO_USER == type ?
                "not an absolute path, and of transport vfio-user" : "a directory, and of transport " + type,
                TransportAddress.Type.VFIO_USER == type ?
                "write that of a directory, as /run/millrace/vfio-user" : "give the listener transport: vfio-user");
        }
        if (TransportAddress.Type.VFIO_USER != type)
        {
            return TransportAddress.of(
                type, new InetSocketAddress(InetAddress.ofLiteral(address), section.get(Settings.LISTENER_PORT)));
        }
        if (section.has(Settings.LISTENER_PORT))
        {
            throw section.refuse(Settings.LISTENER_PORT, section.get(Settings.LISTENER_PORT),
                "not for transport vfio-user", "leave it out");
        }
        return TransportAddress.vfioUser(address);
    }

    private static int discoveryPort(final Section top, final List<ListenerSettings> listeners)
    {
        final boolean declared = listeners.stream()
            .anyMatch((l) -> ListenerSettings.DISCOVERY_PORT == l.address().port());
        return top.get(Settings.DISCOVERY) && !declared ?
            ListenerSettings.DISCOVERY_PORT : DataPlaneConfig.NO_DISCOVERY_PORT;
    }

    /** What is served may be left out where commands can add it. */
    private static List<Section> served(final Section top, final Setting<Void> setting)
    {
        return isControlled(top) ? top.sectionsIfGiven(setting) : top.sections(setting);
    }

    private static boolean isControlled(final Section top)
    {
        return top.section(Settings.CONTROL).get(Settings.CONTROL_ENABLED);
    }

    private static ControlSettings control(final Section top)
    {
        if (!isControlled(top))
        {
            return null;
        }
        final Section section = top.section(Settings.CONTROL);
        final String name = section.get(Settings.CONTROL_NAME);
        final Path directory = section.get(Settings.CONTROL_DIRECTORY);
        final ControlSettings control = new ControlSettings(
            null == directory ? ControlDirectories.dataPlane(name) : directory,
            section.get(Settings.CONTROL_CHANNEL),
            section.get(Settings.CONTROL_STREAM),
            section.get(Settings.CONTROL_SECRETS),
            name,
            section.get(Settings.CONTROL_IDLE),
            section.get(Settings.CONTROL_ENCRYPTION),
            section.get(Settings.CONTROL_GROUP));
        if (control.isUdp() && null == control.secrets())
        {
            throw new SettingException("control.secrets", null, "missing, and commands are accepted over UDP",
                "name a file with keys, or set channel: " + ControlSettings.IPC_CHANNEL);
        }
        return control;
    }

    /** What the file declares is its author's, also when a manager creates it again. */
    private static FileBounds bounds(final Section control, final Path state, final List<DeviceConfig> devices)
    {
        final List<Path> own = devices.stream().filter((device) -> "file".equals(device.type()))
            .map((device) -> Path.of(device.properties().text(FileDeviceConfig.PATH))).toList();
        return control.has(Settings.CONTROL_DEVICE_DIRECTORIES) ?
            FileBounds.below(DEVICE_DIRECTORIES, control.list(Settings.CONTROL_DEVICE_DIRECTORIES), own) :
            FileBounds.home(DEVICE_DIRECTORIES, state.resolve("volumes"), own);
    }

    /** By the XDG base directory specification. */
    private static Path stateDirectoryDefault(final String name)
    {
        return BaseDirectories.state(System.getenv()).resolve("millrace").resolve("data-plane-" + name);
    }

    private static InetSocketAddress metrics(final Section top)
    {
        if (!top.has(Settings.METRICS))
        {
            return null;
        }
        final Section section = top.section(Settings.METRICS);
        return new InetSocketAddress(section.get(Settings.METRICS_ADDRESS), section.get(Settings.METRICS_PORT));
    }

    private static StatusSettings status(final Section section, final String name)
    {
        final Path file = section.get(Settings.STATUS_FILE);
        return new StatusSettings(
            null == file ? StatusSettings.fileDefault(ControlSettings.NAME_DEFAULT.equals(name) ? "" : name) :
                Settings.NO_FILE.equals(file) ? null : file,
            null != file,
            Math.toIntExact(section.get(Settings.STATUS_SIZE)),
            "millrace " + Version.number());
    }

    private static SpdkSettings spdk(final Section top)
    {
        final Section section = top.section(Settings.SPDK);
        final Path socket = section.get(Settings.SPDK_RPC_SOCKET);
        return new SpdkSettings(new SpdkConfig(
            section.get(Settings.SPDK_CONFIG),
            section.get(Settings.SPDK_MEMORY),
            section.get(Settings.SPDK_HUGEPAGES),
            section.list(Settings.SPDK_PCI),
            null == socket ?
                ControlDirectories.spdkSocket(top.section(Settings.CONTROL).get(Settings.CONTROL_NAME)) :
                Settings.NO_FILE.equals(socket) ? null : socket), top.has(Settings.SPDK),
            section.list(Settings.SPDK_EXPORTS), section.get(Settings.SPDK_FRONT_ENDS));
    }

    private static TargetConfig limits(final Section section, final int reactors)
    {
        final int firstId = section.get(Settings.LIMIT_CONTROLLER_ID_FIRST);
        final int lastId = section.get(Settings.LIMIT_CONTROLLER_ID_LAST);
        if (firstId > lastId)
        {
            throw new SettingException("limits.controller-id-last", Integer.toString(lastId),
                "below controller-id-first", "use " + firstId + " or more");
        }
        final int queueDepth = section.get(Settings.LIMIT_QUEUE_DEPTH);
        return new TargetConfig(
            section.get(Settings.LIMIT_QUEUE_PAIRS),
            queueDepth,
            TargetConfig.MAX_TRANSFER_BYTES_DEFAULT,
            section.get(Settings.LIMIT_CONTROLLERS),
            section.get(Settings.LIMIT_ANA_TRANSITION),
            new ControllerIds(firstId, lastId),
            capacity(section, CapacityLimits.ofHeap(reactors, queueDepth)));
    }

    private static CapacityLimits capacity(final Section section, final CapacityLimits defaults)
    {
        final int connections = given(section, Settings.LIMIT_CONNECTIONS, defaults.connections());
        final int pending = given(section, Settings.LIMIT_PENDING, defaults.pendingConnections());
        final int discovery = given(section, Settings.LIMIT_DISCOVERY, CapacityLimits.discovery(connections));
        return new CapacityLimits(
            given(section, Settings.LIMIT_REQUESTS, defaults.requestsPerReactor()),
            connections,
            Math.min(connections,
                given(section, Settings.LIMIT_CONNECTIONS_PER_ADDRESS, CapacityLimits.half(connections))),
            pending,
            Math.min(pending, given(section, Settings.LIMIT_PENDING_PER_ADDRESS, CapacityLimits.half(pending))),
            discovery,
            Math.min(discovery, given(
                section, Settings.LIMIT_DISCOVERY_PER_ADDRESS, CapacityLimits.discoveryOfAddress(discovery))));
    }

    private static int given(final Section section, final Setting<Integer> setting, final int otherwise)
    {
        final Integer value = section.get(setting);
        return null == value ? otherwise : value;
    }

    private static RdmaTransportConfig rdma(final Section section)
    {
        return new RdmaTransportConfig(
            section.get(Settings.RDMA_IN_CAPSULE),
            section.get(Settings.RDMA_CAPSULES),
            section.get(Settings.RDMA_READS),
            section.get(Settings.RDMA_CONNECT_TIMEOUT),
            section.get(Settings.RDMA_CONNECTIONS),
            section.get(Settings.RDMA_TRANSFER_TIMEOUT),
            section.list(Settings.RDMA_ALLOWED_ADDRESSES),
            section.get(Settings.RDMA_IWARP));
    }

    private static TcpTransportConfig tcp(final Section section)
    {
        final int inCapsuleBytes = section.get(Settings.TCP_IN_CAPSULE);
        final int receiveBytes = section.get(Settings.TCP_RECEIVE_BUFFER);
        if (receiveBytes < 2 * inCapsuleBytes)
        {
            throw new SettingException("tcp.receive-buffer-size", Units.size(receiveBytes),
                "below twice in-capsule-data-size", "use " + Units.size(2L * inCapsuleBytes) + " or more");
        }
        return new TcpTransportConfig(
            inCapsuleBytes,
            section.get(Settings.TCP_MAX_H2C),
            receiveBytes,
            section.get(Settings.TCP_SUCCESS_FLAG),
            section.get(Settings.TCP_CONNECT_TIMEOUT),
            section.get(Settings.TCP_CONNECTIONS),
            section.get(Settings.TCP_SOCKET_SEND),
            section.get(Settings.TCP_SOCKET_RECEIVE),
            section.get(Settings.TCP_DATA_TIMEOUT),
            section.get(Settings.TCP_SEND_TIMEOUT));
    }
}

package io.millrace.control.state;

import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.Transport;
import io.millrace.control.device.DeviceType;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.settings.DeviceReader;
import io.millrace.settings.Setting;
import io.millrace.settings.SettingTable;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import io.millrace.validation.ResourceValidation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings of a state document: those of {@code millrace.yaml} that describe resources. A test keeps both consistent.
 */
final class StateSettings
{
    private static final Pattern ADDRESS_AND_PORT =
        Pattern.compile("(?:(tcp|rdma)://)?(?:\\[([0-9a-fA-F:.]+(?:%[^]]+)?)]|([0-9.]+)):([0-9]{1,5})");
    private static final int PORT_MAX = 0xFFFF;
    private static final long MILLIS = 1_000_000L;

    private static final SettingType<String> DEVICE =
        new SettingType<>("name", "1 to " + ResourceValidation.NAME_LENGTH_MAX + " letters, digits, '.', '_', '-'",
            (text) -> text);
    private static final SettingType<String> NQN =
        new SettingType<>("NQN", "1 to " + ResourceValidation.NQN_LENGTH_BYTES_MAX + " bytes", (text) -> text);
    private static final SettingType<String> ADDRESS =
        new SettingType<>("address", "an IPv4 or IPv6 address, or an absolute path", (text) -> text);
    static final Setting<UUID> DEVICE_INCARNATION = Setting.optional("devices[].incarnation", SettingType.UUID_TYPE,
        null, "Distinguishes the device from deleted ones of the same name.").of(DeviceTypes.all().stream()
        .filter(DeviceType::hasIncarnation).map(DeviceType::name).toArray(String[]::new));
    static final Setting<Void> SUBSYSTEMS = Setting.groups("subsystems[]", false,
        "NVM subsystems that hosts connect to.");
    static final Setting<String> SUBSYSTEM_NQN = Setting.required("subsystems[].nqn", NQN,
        "NVMe qualified name of the subsystem.");
    static final Setting<String> SUBSYSTEM_SERIAL = Setting.optional("subsystems[].serial",
        SettingType.text(ResourceValidation.SERIAL_LENGTH_MAX), null, "Serial number that hosts see.");
    static final Setting<String> SUBSYSTEM_MODEL = Setting.optional("subsystems[].model",
        SettingType.text(ResourceValidation.MODEL_LENGTH_MAX), Canonical.MODEL_DEFAULT, "Model number that hosts see.");
    static final Setting<Boolean> SUBSYSTEM_ANY_HOST = Setting.optional("subsystems[].allow-any-host",
        SettingType.BOOLEAN, "false", "Whether every host may connect.");
    static final Setting<String> SUBSYSTEM_HOSTS = Setting.values("subsystems[].hosts[]", NQN,
        "NQNs of the hosts that may connect when not every host may.");
    static final Setting<Void> NAMESPACES = Setting.groups("subsystems[].namespaces[]", false,
        "Namespaces of the subsystem.");
    static final Setting<Integer> NAMESPACE_NSID = Setting.required("subsystems[].namespaces[].nsid",
        SettingType.number(1, Names.NSID_MAX), "Namespace identifier, unique in its subsystem.");
    static final Setting<String> NAMESPACE_DEVICE = Setting.required("subsystems[].namespaces[].device", DEVICE,
        "Name of the device that the namespace exports.");
    static final Setting<UUID> NAMESPACE_UUID = Setting.optional("subsystems[].namespaces[].uuid",
        SettingType.UUID_TYPE, null, "UUID that hosts know the namespace by.");
    static final Setting<Integer> NAMESPACE_ANA_GROUP = Setting.optional("subsystems[].namespaces[].ana-group",
        SettingType.number(1, Names.ANA_GROUP_MAX), Integer.toString(NamespaceSpec.ANA_GROUP_DEFAULT),
        "ANA group of the namespace.");
    static final Setting<Void> ANA = Setting.groups("subsystems[].ana[]", false,
        "ANA states, set in order; the default is optimized.");
    static final Setting<AnaStates.Place> ANA_LISTENER = Setting.optional("subsystems[].ana[].listener",
        new SettingType<>("address and port",
            "ADDRESS:PORT, IPv6 in brackets, rdma:// before those of RDMA, or vfio-user://DIRECTORY",
            StateSettings::place), null, "Listener that the state is for; all when not given.");
    static final Setting<Integer> ANA_GROUP = Setting.optional("subsystems[].ana[].group",
        SettingType.number(1, Names.ANA_GROUP_MAX), null, "ANA group that it is for; all when not given.");
    static final Setting<AnaState> ANA_STATE = Setting.required("subsystems[].ana[].state",
        SettingType.choice(AnaState.class, AnaStates.SETTLED.toArray(AnaState[]::new)), "The state.");

    static final Setting<Void> QOS = Setting.groups("subsystems[].qos[]", false, "Limits of namespaces and hosts.");
    static final Setting<Integer> QOS_NSID = Setting.optional("subsystems[].qos[].nsid",
        SettingType.number(1, Names.NSID_MAX), null, "Namespace that is limited, all hosts together.");
    static final Setting<String> QOS_HOST = Setting.optional("subsystems[].qos[].host", NQN, null,
        "NQN of the host that is limited; instead of nsid.");
    static final Setting<Long> QOS_IOPS = iops("iops", "Reads and writes per second.");
    static final Setting<Long> QOS_READ_IOPS = iops("read-iops", "Reads per second.");
    static final Setting<Long> QOS_WRITE_IOPS = iops("write-iops", "Writes per second.");
    static final Setting<Long> QOS_BANDWIDTH = bandwidth("bandwidth", "Bytes of reads and writes per second.");
    static final Setting<Long> QOS_READ_BANDWIDTH = bandwidth("read-bandwidth", "Bytes of reads per second.");
    static final Setting<Long> QOS_WRITE_BANDWIDTH = bandwidth("write-bandwidth", "Bytes of writes per second.");
    static final Setting<Long> QOS_BURST = Setting.optional("subsystems[].qos[].burst",
        SettingType.duration(QosLimits.BURST_MS_MIN * MILLIS, QosLimits.BURST_MS_MAX * MILLIS)
            .then("duration", "2ms to 10s, whole milliseconds", StateSettings::wholeMilliseconds),
        Units.duration(QosLimits.BURST_MS_DEFAULT * MILLIS), "Burst: unused capacity of this time may be used at " +
        "once.");

    static final Setting<Void> LISTENERS = Setting.groups("listeners[]", false, "Addresses that hosts connect to.");
    static final Setting<Transport> LISTENER_TRANSPORT = Setting.optional("listeners[].transport",
        SettingType.choice(Transport.class, StateEditor.TRANSPORTS.toArray(Transport[]::new)), "tcp",
        "Transport of NVMe-oF.");
    static final Setting<String> LISTENER_ADDRESS = Setting.required("listeners[].address", ADDRESS,
        "Address to listen on; of vfio-user the directory of its sockets.");
    static final Setting<Integer> LISTENER_PORT = Setting.optional("listeners[].port",
        SettingType.number(0, 65535), "4420", "Port; vfio-user has none.");
    static final Setting<Boolean> LISTENER_DISCOVERY_ONLY = Setting.optional("listeners[].discovery-only",
        SettingType.BOOLEAN, "false", "Whether only the discovery subsystem is served on this address.");
    static final Setting<ListenerProvider> LISTENER_PROVIDER = Setting.optional("listeners[].provider",
        SettingType.choice(ListenerProvider.class, StateEditor.PROVIDERS.toArray(ListenerProvider[]::new)), "millrace",
        "Whose target serves the listener.");

    static final Setting<Boolean> DISCOVERY = Setting.optional("discovery", SettingType.BOOLEAN, "true",
        "Whether discovery is also served on port 8009 of every listener address.");

    /** Sections that belong to a process, not to what it serves: all others of {@code millrace.yaml}. */
    static final List<Setting<?>> SKIPPED = List.of(
        Setting.groups("reactors[]", false, "Configured per process."),
        Setting.group("memory", "Configured per process."),
        Setting.group("control", "Configured per process."),
        Setting.group("state", "Configured per process."),
        Setting.group("status", "Configured per process."),
        Setting.group("metrics", "Configured per process."),
        Setting.optional("warm-up", SettingType.BOOLEAN, null, "Configured per process."),
        Setting.group("limits", "Configured per process."),
        Setting.group("tcp", "Configured per process."),
        Setting.group("rdma", "Configured per process."),
        Setting.group("spdk", "Configured per process."));

    static final SettingTable ALL = new SettingTable(all());
    /** Settings of a persisted state. */
    static final SettingTable PERSISTED = kept();

    private StateSettings()
    {
    }

    private static Setting<Long> iops(final String key, final String meaning)
    {
        return Setting.optional(
            "subsystems[].qos[]." + key, SettingType.integer(1, QosLimits.IOPS_MAX), null, meaning);
    }

    private static Setting<Long> bandwidth(final String key, final String meaning)
    {
        return Setting.optional("subsystems[].qos[]." + key,
            SettingType.size(QosLimits.BYTES_PER_SECOND_MIN, QosLimits.BYTES_PER_SECOND_MAX), null, meaning);
    }

    private static AnaStates.Place place(final String text)
    {
        if (text.startsWith(NetworkAddress.VFIO_USER + '/'))
        {
            return new AnaStates.Place(Transport.VFIO_USER,
                NetworkAddress.canonical(text.substring(NetworkAddress.VFIO_USER.length())), 0);
        }
        final Matcher matcher = ADDRESS_AND_PORT.matcher(text);
        if (matcher.matches())
        {
            final String address = null == matcher.group(2) ? matcher.group(3) : matcher.group(2);
            final int port = Integer.parseInt(matcher.group(4));
            if (port >= 1 && port <= PORT_MAX && null != NetworkAddress.parse(address))
            {
                return new AnaStates.Place(null == matcher.group(1) ? Transport.TCP :
                    Transport.valueOf(matcher.group(1).toUpperCase(Locale.ROOT)),
                    NetworkAddress.canonical(address), port);
            }
        }
        throw new SettingType.BadValue("not an IP address with a port",
            "write one such as 127.0.0.1:4420 or \"[::1]:4420\"");
    }

    private static long wholeMilliseconds(final long durationNs)
    {
        if (0 != durationNs % MILLIS)
        {
            throw new SettingType.BadValue("not whole milliseconds", "use " +
                Units.duration((durationNs / MILLIS + 1) * MILLIS));
        }
        return durationNs;
    }

    private static SettingTable kept()
    {
        final List<Setting<?>> all = all();
        all.add(DEVICE_INCARNATION);
        return new SettingTable(all);
    }

    private static List<Setting<?>> all()
    {
        final List<Setting<?>> all = new ArrayList<>(DeviceReader.settings());
        all.addAll(List.of(
            SUBSYSTEMS, SUBSYSTEM_NQN, SUBSYSTEM_SERIAL, SUBSYSTEM_MODEL, SUBSYSTEM_ANY_HOST, SUBSYSTEM_HOSTS,
            NAMESPACES, NAMESPACE_NSID, NAMESPACE_DEVICE, NAMESPACE_UUID, NAMESPACE_ANA_GROUP,
            ANA, ANA_LISTENER, ANA_GROUP, ANA_STATE,
            QOS, QOS_NSID, QOS_HOST, QOS_IOPS, QOS_READ_IOPS, QOS_WRITE_IOPS, QOS_BANDWIDTH, QOS_READ_BANDWIDTH,
            QOS_WRITE_BANDWIDTH, QOS_BURST,
            LISTENERS, LISTENER_TRANSPORT, LISTENER_ADDRESS, LISTENER_PORT, LISTENER_DISCOVERY_ONLY,
            LISTENER_PROVIDER,
            DISCOVERY));
        all.addAll(SKIPPED);
        return all;
    }
}

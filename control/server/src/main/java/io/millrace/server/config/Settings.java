package io.millrace.server.config;

import io.millrace.block.file.FileDeviceConfig;
import io.millrace.block.file.FileDeviceConfig.Polling;
import io.millrace.reactor.ReactorConfig.IdleMode;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * Every setting of {@code millrace.yaml}. The reader takes what is declared here and nothing else;
 * {@code docs/configuration.md} documents the same, and a test holds the two together.
 */
final class Settings
{
    // Largest number of CPUs that a kernel can be built for, less one.
    private static final int CPU_MAX = 8191;
    private static final long MICROS = 1_000L;
    private static final long SECONDS = 1_000_000_000L;
    private static final long MIB = 1L << 20;
    private static final long TIB = 1L << 40;
    private static final SettingType<Integer> BLOCK_SIZE = SettingType.number(512, 4096).then("integer", "512 or 4096",
        (value) ->
        {
            if (512 != value && 4096 != value)
            {
                throw new SettingType.BadValue("neither 512 nor 4096", "use one of them");
            }
            return value;
        });

    /** Type of a device. */
    enum DeviceType
    {
        /** In memory. */
        MEMORY,
        /** Forgets. */
        NULL,
        /** In a file or on a block device. */
        FILE
    }

    /** What carries NVMe-oF. */
    enum TransportType
    {
        /** NVMe/TCP. */
        TCP
    }

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

    static final Setting<Void> DEVICES = Setting.groups("devices[]", true, "Block devices.");
    static final Setting<String> DEVICE_NAME = Setting.required("devices[].name", SettingType.NAME_TYPE,
        "Name that namespaces and other devices refer to.");
    static final Setting<DeviceType> DEVICE_TYPE = Setting.required("devices[].type",
        SettingType.choice(DeviceType.class, DeviceType.values()), "What stores the blocks.");
    static final Setting<Long> DEVICE_SIZE = Setting.optional("devices[].size", SettingType.size(512, 8192 * TIB), null,
        "Size of the device, a multiple of block-size. A file is made or grown to it, never cut; without it a file or " +
            "block device is taken as it is. Memory and null need it.").of("memory", "null", "file");
    static final Setting<Integer> DEVICE_BLOCK_SIZE = Setting.optional("devices[].block-size", BLOCK_SIZE, "4096",
        "Bytes of a block as hosts see it.").of("memory", "null", "file");
    static final Setting<Path> DEVICE_PATH = Setting.required("devices[].path", SettingType.PATH,
        "Regular file or block device.").of("file");
    static final Setting<Boolean> DEVICE_READ_ONLY = Setting.optional("devices[].read-only", SettingType.BOOLEAN, "false",
        "Whether writes are refused.").of("file");
    static final Setting<Boolean> DEVICE_PREALLOCATE = Setting.optional("devices[].preallocate", SettingType.BOOLEAN,
        "true", "Whether a file takes all its space at the start, so that a full disk is found then.").of("file");
    static final Setting<Integer> DEVICE_QUEUE_DEPTH = Setting.optional("devices[].queue-depth",
        SettingType.number(1, FileDeviceConfig.QUEUE_DEPTH_MAX),
        Integer.toString(FileDeviceConfig.QUEUE_DEPTH_DEFAULT),
        "Most requests of each reactor that are with the kernel at once.").of("file");
    static final Setting<Polling> DEVICE_POLLING = Setting.optional("devices[].polling",
        SettingType.choice(Polling.class, Polling.values()), "auto",
        "Whether completions are polled from the drive instead of waiting for its interrupts; auto does where it can.")
        .of("file");

    static final Setting<Void> SUBSYSTEMS = Setting.groups("subsystems[]", true, "NVM subsystems that hosts connect to.");
    static final Setting<String> SUBSYSTEM_NQN = Setting.required("subsystems[].nqn", SettingType.text(223),
        "NVMe qualified name of the subsystem.");
    static final Setting<String> SUBSYSTEM_SERIAL = Setting.optional("subsystems[].serial", SettingType.text(20), null,
        "Serial number that hosts see; when not given it is derived from the NQN and stays the same.");
    static final Setting<String> SUBSYSTEM_MODEL = Setting.optional("subsystems[].model", SettingType.text(40),
        "Millrace", "Model number that hosts see.");
    static final Setting<Boolean> SUBSYSTEM_ANY_HOST = Setting.optional("subsystems[].allow-any-host",
        SettingType.BOOLEAN, "false", "Whether every host may connect.");
    static final Setting<String> SUBSYSTEM_HOSTS = Setting.values("subsystems[].hosts[]", SettingType.text(223),
        "NQNs of the hosts that may connect when not every host may.");
    static final Setting<Void> NAMESPACES = Setting.groups("subsystems[].namespaces[]", true,
        "Namespaces of the subsystem.");
    static final Setting<Integer> NAMESPACE_NSID = Setting.required("subsystems[].namespaces[].nsid",
        SettingType.number(1, 1024),
        "Namespace identifier, unique in its subsystem.");
    static final Setting<String> NAMESPACE_DEVICE = Setting.required("subsystems[].namespaces[].device",
        SettingType.NAME_TYPE, "Name of the device it shows.");
    static final Setting<UUID> NAMESPACE_UUID = Setting.optional("subsystems[].namespaces[].uuid",
        SettingType.UUID_TYPE, null,
        "UUID that hosts know the namespace by; when not given it is derived from NQN and nsid and stays the same.");

    static final Setting<Void> LISTENERS = Setting.groups("listeners[]", true, "Where hosts connect to.");
    static final Setting<TransportType> LISTENER_TRANSPORT = Setting.required("listeners[].transport",
        SettingType.choice(TransportType.class, TransportType.values()), "What carries NVMe-oF.");
    static final Setting<InetAddress> LISTENER_ADDRESS = Setting.required("listeners[].address",
        new SettingType<>("address", "an IPv4 or IPv6 address", Settings::address),
        "Address to listen on; 0.0.0.0 or \"::\" for every one of the machine.");
    static final Setting<Integer> LISTENER_PORT = Setting.optional("listeners[].port",
        SettingType.number(0, 65535), "4420",
        "TCP port; 0 takes any free one and prints it.");

    static final Setting<Boolean> DISCOVERY = Setting.optional("discovery", SettingType.BOOLEAN, "true",
        "Whether discovery is answered on port 8009 too, of every address listened on; the listeners answer it always.");

    /** All of them, in the order of the documentation. */
    static final List<Setting<?>> ALL = List.of(
        REACTORS, REACTOR_NAME, REACTOR_CPU, REACTOR_IDLE, REACTOR_SPIN,
        MEMORY, MEMORY_SIZE,
        DEVICES, DEVICE_NAME, DEVICE_TYPE, DEVICE_SIZE, DEVICE_BLOCK_SIZE, DEVICE_PATH, DEVICE_READ_ONLY,
        DEVICE_PREALLOCATE, DEVICE_QUEUE_DEPTH, DEVICE_POLLING,
        SUBSYSTEMS, SUBSYSTEM_NQN, SUBSYSTEM_SERIAL, SUBSYSTEM_MODEL, SUBSYSTEM_ANY_HOST, SUBSYSTEM_HOSTS,
        NAMESPACES, NAMESPACE_NSID, NAMESPACE_DEVICE, NAMESPACE_UUID,
        LISTENERS, LISTENER_TRANSPORT, LISTENER_ADDRESS, LISTENER_PORT,
        DISCOVERY);

    private Settings()
    {
    }

    /**
     * {@return the setting of a name in a group, or null when there is none}
     *
     * @param group key of the group; empty for the top.
     * @param name  within it.
     */
    static Setting<?> find(final String group, final String name)
    {
        for (final Setting<?> setting : ALL)
        {
            if (setting.parent().equals(group) && setting.name().equals(name))
            {
                return setting;
            }
        }
        return null;
    }

    /**
     * {@return names of the settings of a group}
     *
     * @param group key of the group; empty for the top.
     */
    static List<String> names(final String group)
    {
        return ALL.stream().filter((s) -> s.parent().equals(group)).map(Setting::name).distinct().toList();
    }

    private static int cpu(final String text)
    {
        if ("any".equals(text))
        {
            return -1;
        }
        return SettingType.number(0, CPU_MAX).parse(text);
    }

    private static InetAddress address(final String text)
    {
        try
        {
            return InetAddress.ofLiteral(text);
        }
        catch (final IllegalArgumentException e)
        {
            throw new SettingType.BadValue("not an IP address", "write one such as 127.0.0.1, 0.0.0.0 or \"::1\"");
        }
    }
}

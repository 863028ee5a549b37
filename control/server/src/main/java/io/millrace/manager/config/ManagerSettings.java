package io.millrace.manager.config;

import io.millrace.control.service.ControlSettings;
import io.millrace.settings.Setting;
import io.millrace.settings.SettingTable;
import io.millrace.control.setting.SettingType;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Every setting of {@code manager.yaml}. The reader takes what is declared here and nothing else; {@code
 * docs/configuration.md} documents the same, and a test holds the two together.
 */
final class ManagerSettings
{
    private static final int VERSIONS_MAX = 10_000;
    private static final int ARGUMENT_LENGTH_MAX = 4096;
    private static final long MILLIS = 1_000_000L;
    private static final long SECONDS = 1_000_000_000L;
    private static final SettingType<String> CHANNEL =
        new SettingType<>("channel", "aeron:ipc, or aeron:udp?endpoint=ADDRESS:PORT", ManagerSettings::channel);

    static final Setting<String> NAME = Setting.optional("name", SettingType.NAME_TYPE, ManagerConfig.NAME_DEFAULT,
        "Name of the manager that clients and data planes see.");

    static final Setting<Void> STATE = Setting.group("state", "Storage of the desired state of data planes.");
    static final Setting<Path> STATE_DIRECTORY = Setting.optional("state.directory", SettingType.PATH, null,
        "Directory of the state, made at the start. $XDG_STATE_HOME/millrace/manager when not given.");
    static final Setting<Integer> STATE_VERSIONS = Setting.optional("state.versions",
        SettingType.number(2, VERSIONS_MAX), Integer.toString(ManagerConfig.VERSIONS_KEPT_DEFAULT),
        "Maximum number of versions kept of each data plane.");

    static final Setting<Void> CONTROL = Setting.group("control", "Control service of the manager.");
    static final Setting<Path> CONTROL_DIRECTORY = Setting.optional("control.directory", SettingType.PATH, null,
        "Directory of the media driver, made at the start, for this user alone; who may write there may send " +
            "commands over IPC. manager in $XDG_RUNTIME_DIR/millrace, /run/millrace or " +
            "/dev/shm/millrace-USER when not given.");
    static final Setting<String> CONTROL_CHANNEL = Setting.optional("control.channel", CHANNEL,
        ControlSettings.IPC_CHANNEL, "Aeron channel of the commands; IPC works in any case.");
    static final Setting<Integer> CONTROL_STREAM = Setting.optional("control.stream",
        SettingType.number(1, Integer.MAX_VALUE), Integer.toString(ControlSettings.STREAM_ID_DEFAULT),
        "Aeron stream of the commands.");
    static final Setting<Path> CONTROL_SECRETS = Setting.optional("control.secrets", SettingType.PATH, null,
        "File with the keys that clients prove, a line of name, role and secret for each; UDP needs it.");

    static final Setting<ControlSettings.Encryption> CONTROL_ENCRYPTION = Setting.optional("control.encryption",
        SettingType.choice(ControlSettings.Encryption.class, ControlSettings.Encryption.values()), "required",
        "Whether clients over UDP have to encrypt, or may only authenticate.");
    static final Setting<String> CONTROL_GROUP = Setting.optional("control.group", SettingType.NAME_TYPE, null,
        "Group of users that may send commands over IPC besides the user of the process; none when not given.");

    static final Setting<Void> METRICS = Setting.group("metrics",
        "Prometheus endpoint, with answers to probes at /health and /ready; without this group there is " +
            "none.");
    static final Setting<InetAddress> METRICS_ADDRESS = Setting.optional("metrics.address",
        SettingType.ADDRESS, "127.0.0.1",
        "Address to listen on.");
    static final Setting<Integer> METRICS_PORT = Setting.optional("metrics.port", SettingType.number(1, 65_535),
        "9464", "TCP port.");

    static final Setting<Void> PLANES = Setting.groups("data-planes[]", false, "Data planes that are managed; " +
        "that of this user when not given.");
    static final Setting<String> PLANE_NAME = Setting.required("data-planes[].name", SettingType.NAME_TYPE,
        "Name of the data plane at the manager and in the state directory.");
    static final Setting<Path> PLANE_DIRECTORY = Setting.optional("data-planes[].directory", SettingType.PATH, null,
        "Directory of its media driver, over IPC. That of this user's data plane of this name when not given.");
    static final Setting<String> PLANE_CHANNEL = Setting.optional("data-planes[].channel", CHANNEL,
        ControlSettings.IPC_CHANNEL, "Aeron channel that it takes commands on.");
    static final Setting<Integer> PLANE_STREAM = Setting.optional("data-planes[].stream",
        SettingType.number(1, Integer.MAX_VALUE), Integer.toString(ControlSettings.STREAM_ID_DEFAULT),
        "Aeron stream that it takes commands on.");
    static final Setting<String> PLANE_KEY_NAME = Setting.optional("data-planes[].key-name", SettingType.NAME_TYPE,
        null, "Name of the key that both prove, which has to give the role manager; UDP needs it.");
    static final Setting<Path> PLANE_SECRET = Setting.optional("data-planes[].secret", SettingType.PATH, null,
        "File with the secret of that key and nothing else.");
    static final Setting<InetAddress> PLANE_ADDRESS = Setting.optional("data-planes[].address",
        SettingType.ADDRESS, null,
        "Address of this machine that it sends answers to, over UDP; the one on the way to it when not given.");

    static final Setting<Void> HOOKS = Setting.group("hooks", "Hook programs for data planes that go down and come " +
        "up.");
    static final Setting<String> HOOK_DOWN = Setting.values("hooks.data-plane-down[]",
        SettingType.text(ARGUMENT_LENGTH_MAX), "Program and its arguments, run when a data plane is down.");
    static final Setting<String> HOOK_UP = Setting.values("hooks.data-plane-up[]",
        SettingType.text(ARGUMENT_LENGTH_MAX), "Program and its arguments, run when a data plane is up again.");
    static final Setting<Long> HOOK_DOWN_AFTER = Setting.optional("hooks.down-after",
        SettingType.duration(MILLIS, 3600 * SECONDS), "3s",
        "How long a data plane has to be disconnected before it counts as down.");
    static final Setting<Long> HOOK_TIMEOUT = Setting.optional("hooks.timeout",
        SettingType.duration(100 * MILLIS, 3600 * SECONDS), "30s", "How long a program may run before it is killed.");

    static final SettingTable TABLE = new SettingTable(List.of(
        NAME,
        STATE, STATE_DIRECTORY, STATE_VERSIONS,
        CONTROL, CONTROL_DIRECTORY, CONTROL_CHANNEL, CONTROL_STREAM, CONTROL_SECRETS, CONTROL_ENCRYPTION, CONTROL_GROUP,
        METRICS, METRICS_ADDRESS, METRICS_PORT,
        PLANES, PLANE_NAME, PLANE_DIRECTORY, PLANE_CHANNEL, PLANE_STREAM, PLANE_KEY_NAME, PLANE_SECRET, PLANE_ADDRESS,
        HOOKS, HOOK_DOWN, HOOK_UP, HOOK_DOWN_AFTER, HOOK_TIMEOUT));

    private ManagerSettings()
    {
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

package io.millrace.control.device;

import io.millrace.control.setting.InvalidSettingException;
import io.millrace.control.setting.SettingType;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Settings of namespaces of other NVMe-oF targets.
 */
final class RemoteType
{
    private static final int ADDRESSES_MAX = 16;
    private static final int NQN_LENGTH_MAX = 223;
    private static final int QUEUE_DEPTH_MAX = 4095;
    private static final int PORT_MAX = 65535;
    private static final long MILLISECONDS = 1_000_000L;
    private static final long KEEP_ALIVE_NS_MIN = 100 * MILLISECONDS;
    private static final long KEEP_ALIVE_NS_MAX = 120_000 * MILLISECONDS;
    private static final long TIMEOUT_NS_MAX = 3_600_000 * MILLISECONDS;
    private static final long LOSS_NS_MAX = 24 * TIMEOUT_NS_MAX;
    private static final Pattern ADDRESS_PATTERN =
        Pattern.compile("(?:tcp|rdma)://(?:\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+):([0-9]{1,5})");

    /** Of listeners of targets. */
    static final SettingType<String> ADDRESS_TYPE = new SettingType<>(
        "address", "such as tcp://192.0.2.1:4420 or rdma://192.0.2.1:4420", RemoteType::address);

    /** NVMe qualified names. */
    static final SettingType<String> NQN_TYPE =
        SettingType.text(NQN_LENGTH_MAX).checked("NQN", "an NVMe qualified name", RemoteType::nqn);

    private static final DeviceSetting<String> ADDRESSES = DeviceSetting.values("addresses", ADDRESS_TYPE,
        OnChange.REPLACED,
        "Listeners of the subsystem, each a path to the namespace; of equally good paths the first is used.")
        .asRequired();

    private static final DeviceSetting<String> SUBSYSTEM = DeviceSetting.required("subsystem", NQN_TYPE,
        OnChange.REPLACED, "NQN of the subsystem.").asLocation();

    private static final DeviceSetting<Long> NSID = DeviceSetting.optional("nsid",
        SettingType.integer(1, Integer.MAX_VALUE), null, OnChange.REPLACED,
        "Number of the namespace; may be left out where uuid is given.").asLocation();

    private static final DeviceSetting<UUID> NAMESPACE_UUID = DeviceSetting.optional("uuid", SettingType.UUID_TYPE,
        null, OnChange.REPLACED,
        "UUID or NGUID of the namespace: any other namespace is refused.").asLocation();

    private static final DeviceSetting<String> HOST_NQN = DeviceSetting.optional("host-nqn", NQN_TYPE, null,
        OnChange.REPLACED,
        "NQN to connect as; without it that of /etc/nvme/hostnqn, or one made from the machine's id.");

    private static final DeviceSetting<UUID> HOST_ID = DeviceSetting.optional("host-id",
        SettingType.UUID_TYPE, null, OnChange.REPLACED,
        "Host identifier to connect with; without it that of /etc/nvme/hostid, or one made from the NQN.");

    private static final DeviceSetting<Long> QUEUE_DEPTH = DeviceSetting.optional("queue-depth",
        SettingType.integer(1, QUEUE_DEPTH_MAX), "128", OnChange.REPLACED,
        "Maximum outstanding requests of each reactor.");

    private static final DeviceSetting<Long> KEEP_ALIVE_TIMEOUT = DeviceSetting.optional("keep-alive-timeout",
        SettingType.duration(KEEP_ALIVE_NS_MIN, KEEP_ALIVE_NS_MAX), "5s", OnChange.REPLACED,
        "Keep-alive timeout of each path. A write whose path was lost is sent again when the target has confirmed a " +
        "reset, or after three times this.");

    private static final DeviceSetting<Long> CONNECT_TIMEOUT = DeviceSetting.optional("connect-timeout",
        SettingType.duration(MILLISECONDS, TIMEOUT_NS_MAX), "5s", OnChange.REPLACED,
        "How long a connection may take; the first of a path also finds the namespace in this time.");

    private static final DeviceSetting<Long> COMMAND_TIMEOUT = DeviceSetting.optional("command-timeout",
        SettingType.duration(MILLISECONDS, TIMEOUT_NS_MAX), "30s", OnChange.REPLACED,
        "How long the target may take for a command before its path is reset.");

    private static final DeviceSetting<Long> RECONNECT_DELAY = DeviceSetting.optional("reconnect-delay",
        SettingType.duration(MILLISECONDS, TIMEOUT_NS_MAX), "250ms", OnChange.REPLACED,
        "Delay before a path is connected again, doubled with each attempt.");

    private static final DeviceSetting<Long> RECONNECT_DELAY_MAX = DeviceSetting.optional("reconnect-delay-max",
        SettingType.duration(MILLISECONDS, TIMEOUT_NS_MAX), "10s", OnChange.REPLACED,
        "Largest delay between two attempts to connect.");

    private static final DeviceSetting<Long> CONTROLLER_LOSS_TIMEOUT = DeviceSetting.optional(
        "controller-loss-timeout", SettingType.duration(0, LOSS_NS_MAX), "600s", OnChange.REPLACED,
        "How long requests wait while there is no path, before they fail. Paths are connected again after that too.");

    static final DeviceType TYPE = new DeviceType("remote", DeviceContent.PERSISTENT,
        "A namespace of another NVMe-oF target, over one path or several.",
        List.of(ADDRESSES, SUBSYSTEM, NSID, NAMESPACE_UUID, HOST_NQN, HOST_ID, QUEUE_DEPTH, KEEP_ALIVE_TIMEOUT,
            CONNECT_TIMEOUT, COMMAND_TIMEOUT, RECONNECT_DELAY, RECONNECT_DELAY_MAX, CONTROLLER_LOSS_TIMEOUT,
            CommonSettings.SHARED_SPARE),
        RemoteType::check);

    private RemoteType()
    {
    }

    private static String address(final String text)
    {
        final Matcher matcher = ADDRESS_PATTERN.matcher(text);
        if (!matcher.matches() || Integer.parseInt(matcher.group(1)) > PORT_MAX ||
            0 == Integer.parseInt(matcher.group(1)))
        {
            throw new SettingType.BadValue("no address of a listener", "write tcp://HOST:PORT or " +
                "rdma://HOST:PORT, such as tcp://192.0.2.1:4420 or tcp://[2001:db8::1]:4420");
        }
        return text;
    }

    private static String nqn(final String text)
    {
        if (!text.startsWith("nqn."))
        {
            throw new SettingType.BadValue("no NVMe qualified name",
                "write one such as nqn.2026-11.io.millrace:vol0");
        }
        return text;
    }

    /** Checks that there are not too many addresses. */
    static void checkCount(final String key, final List<?> addresses)
    {
        if (addresses.size() > ADDRESSES_MAX)
        {
            throw new InvalidSettingException(key, null,
                addresses.size() + " addresses, and " + ADDRESSES_MAX + " are possible", "name fewer");
        }
    }

    /** Checks that there is a namespace, and that the delays are in order. */
    private static void check(final Map<String, Object> values)
    {
        checkCount(ADDRESSES.key(), (List<?>)values.get(ADDRESSES.key()));
        if (null == values.get(NSID.key()) && null == values.get(NAMESPACE_UUID.key()))
        {
            throw new InvalidSettingException(NSID.key(), null, "missing", "give nsid or uuid of the namespace");
        }
        final long delayNs = (Long)values.get(RECONNECT_DELAY.key());
        final long delayMaxNs = (Long)values.get(RECONNECT_DELAY_MAX.key());
        if (delayMaxNs < delayNs)
        {
            throw new InvalidSettingException(RECONNECT_DELAY_MAX.key(), null, "less than reconnect-delay",
                "give at least that");
        }
    }
}

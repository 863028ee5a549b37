package io.millrace.remote;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.OutagePolicy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Configuration of a {@link RemoteDevice}. Immutable; made by {@link #of} and changed by the {@code with} methods.
 *
 * @param name                    of the device.
 * @param addresses               of listeners of the subsystem, each a path; the first is preferred where several are
 *                                equally good.
 * @param subsystemNqn            of the subsystem.
 * @param nsid                    of the namespace; 0 to look for {@code namespaceId}.
 * @param namespaceId             UUID or NGUID of the namespace, which the target must confirm; empty for any namespace
 *                                of that number.
 * @param host                    as whom to connect.
 * @param queueDepth              requests in flight on each reactor, 1 to {@value ConnectionConfig#QUEUE_DEPTH_MAX}.
 * @param keepAliveMs             keep-alive time-out of each path, from {@value #KEEP_ALIVE_MS_MIN}.
 * @param connectTimeoutMs        to make a connection; the first of a path finds its namespace within it, too.
 * @param commandTimeoutMs        until an unanswered command ends the connections of its path.
 * @param reconnectDelayMs        before the first attempt to reconnect; doubled with every attempt.
 * @param reconnectDelayMaxMs     where doubling stops.
 * @param controllerLossTimeoutMs how long requests wait while there is no path, before they fail; 0 to fail at once, -1
 *                                for no limit. Attempts to reconnect go on.
 */
public record RemoteDeviceConfig(
    String name,
    List<TransportAddress> addresses,
    String subsystemNqn,
    int nsid,
    String namespaceId,
    HostConfig host,
    int queueDepth,
    int keepAliveMs,
    int connectTimeoutMs,
    int commandTimeoutMs,
    int reconnectDelayMs,
    int reconnectDelayMaxMs,
    int controllerLossTimeoutMs)
{
    /** Setting: {@link #addresses()}, each as {@code tcp://HOST:PORT}. */
    public static final String ADDRESSES = "addresses";
    /** Setting: {@link #subsystemNqn()}. */
    public static final String SUBSYSTEM = "subsystem";
    /** Setting: {@link #nsid()}. */
    public static final String NSID = "nsid";
    /** Setting: {@link #namespaceId()}. */
    public static final String UUID = "uuid";

    /** Smallest {@link #keepAliveMs()}: the unit in which controllers count it. */
    public static final int KEEP_ALIVE_MS_MIN = 100;
    /** Largest {@link #keepAliveMs()}: it bounds how long a write waits after the loss of its path. */
    public static final int KEEP_ALIVE_MS_MAX = 120_000;
    /** Most {@link #addresses()}. */
    public static final int ADDRESSES_MAX = 16;

    private static final Pattern ADDRESS = Pattern.compile(
        "(tcp|rdma)://(?:\\[([0-9a-fA-F:.]+)]|([^\\[\\]:/]+)):([0-9]{1,5})");

    /**
     * Checks what can be checked.
     *
     * @throws BlockDeviceException naming the setting that is out of bounds.
     */
    public RemoteDeviceConfig
    {
        addresses = List.copyOf(addresses);
        final String subject = "device " + name + ": ";
        if (addresses.isEmpty() || addresses.size() > ADDRESSES_MAX)
        {
            throw new BlockDeviceException(subject + addresses.size() + " addresses are not possible: name 1 to " +
                ADDRESSES_MAX + " listeners of the subsystem");
        }
        if (addresses.stream().distinct().count() < addresses.size())
        {
            throw new BlockDeviceException(subject + "an address is named twice: name each listener once");
        }
        if (0 == nsid && namespaceId.isEmpty())
        {
            throw new BlockDeviceException(subject + "the namespace is missing: give its nsid or its uuid");
        }
        if (keepAliveMs < KEEP_ALIVE_MS_MIN || keepAliveMs > KEEP_ALIVE_MS_MAX)
        {
            throw new BlockDeviceException(subject + "keep-alive time-out of " + keepAliveMs +
                " ms is out of range: use " + KEEP_ALIVE_MS_MIN + " to " + KEEP_ALIVE_MS_MAX);
        }
    }

    /**
     * Begins with the defaults.
     *
     * @param name         of the device.
     * @param addresses    of the subsystem's listeners.
     * @param subsystemNqn of the subsystem.
     * @param nsid         of the namespace; 0 to look for {@code namespaceId}.
     * @param namespaceId  UUID or NGUID of the namespace; empty for any of that number.
     * @param host         as whom to connect.
     * @return the configuration.
     */
    public static RemoteDeviceConfig of(
        final String name,
        final List<TransportAddress> addresses,
        final String subsystemNqn,
        final int nsid,
        final String namespaceId,
        final HostConfig host)
    {
        return new RemoteDeviceConfig(name, addresses, subsystemNqn, nsid, namespaceId, host,
            ConnectionConfig.QUEUE_DEPTH_DEFAULT, ConnectionConfig.KEEP_ALIVE_MS_DEFAULT,
            ConnectionConfig.CONNECT_TIMEOUT_MS_DEFAULT, ConnectionConfig.COMMAND_TIMEOUT_MS_DEFAULT,
            ConnectionConfig.RECONNECT_DELAY_MS_DEFAULT, ConnectionConfig.RECONNECT_DELAY_MAX_MS_DEFAULT,
            ConnectionConfig.CONTROLLER_LOSS_TIMEOUT_MS_DEFAULT);
    }

    /**
     * Reads settings of a device. Host names in addresses are looked up, which may take a while.
     *
     * @param name       of the device.
     * @param properties as they are declared.
     * @return the configuration.
     * @throws BlockDeviceException naming the setting that is wrong.
     */
    public static RemoteDeviceConfig of(final String name, final DeviceProperties properties)
    {
        return of(name, properties.texts(ADDRESSES).stream().map((text) -> address(name, text)).toList(),
            properties.text(SUBSYSTEM), properties.integer(NSID, 0), properties.text(UUID, ""),
            HostIdentity.of(properties.text("host-nqn", ""), properties.text("host-id", "")))
            .withQueueDepth(properties.integer("queue-depth", ConnectionConfig.QUEUE_DEPTH_DEFAULT))
            .withTimeouts(
                ms(properties, "keep-alive-timeout", ConnectionConfig.KEEP_ALIVE_MS_DEFAULT),
                ms(properties, "connect-timeout", ConnectionConfig.CONNECT_TIMEOUT_MS_DEFAULT),
                ms(properties, "command-timeout", ConnectionConfig.COMMAND_TIMEOUT_MS_DEFAULT))
            .withReconnect(
                ms(properties, "reconnect-delay", ConnectionConfig.RECONNECT_DELAY_MS_DEFAULT),
                ms(properties, "reconnect-delay-max", ConnectionConfig.RECONNECT_DELAY_MAX_MS_DEFAULT),
                ms(properties, "controller-loss-timeout", ConnectionConfig.CONTROLLER_LOSS_TIMEOUT_MS_DEFAULT));
    }

    private static int ms(final DeviceProperties properties, final String key, final int defaultMs)
    {
        return (int)Math.min(Integer.MAX_VALUE,
            TimeUnit.NANOSECONDS.toMillis(properties.number(key, TimeUnit.MILLISECONDS.toNanos(defaultMs))));
    }

    private static TransportAddress address(final String name, final String text)
    {
        final Matcher matcher = ADDRESS.matcher(text);
        if (!matcher.matches())
        {
            throw new BlockDeviceException("device " + name + ": address '" + text +
                "' is not understood: write tcp://HOST:PORT or rdma://HOST:PORT, an IPv6 address in brackets");
        }
        final TransportAddress.Type type = TransportAddress.Type.valueOf(matcher.group(1).toUpperCase(Locale.ROOT));
        try
        {
            final InetSocketAddress socket = new InetSocketAddress(
                null == matcher.group(2) ? matcher.group(3) : matcher.group(2), Integer.parseInt(matcher.group(4)));
            if (!socket.isUnresolved())
            {
                return TransportAddress.of(type, socket);
            }
        }
        catch (final IllegalArgumentException e)
        {
            throw new BlockDeviceException("device " + name + ": address '" + text +
                "' has a port that is out of range: use 1 to 65535", e);
        }
        throw new BlockDeviceException("device " + name + ": address '" + text +
            "' cannot be resolved: check the name or give an IP address");
    }

    /**
     * Changes the queue depth.
     *
     * @param value requests in flight on each reactor.
     * @return a copy.
     */
    public RemoteDeviceConfig withQueueDepth(final int value)
    {
        return new RemoteDeviceConfig(name, addresses, subsystemNqn, nsid, namespaceId, host, value, keepAliveMs,
            connectTimeoutMs, commandTimeoutMs, reconnectDelayMs, reconnectDelayMaxMs, controllerLossTimeoutMs);
    }

    /**
     * Changes the time-outs.
     *
     * @param newKeepAliveMs      keep-alive time-out.
     * @param newConnectTimeoutMs to make a connection.
     * @param newCommandTimeoutMs until an unanswered command ends the connections of its path.
     * @return a copy.
     */
    public RemoteDeviceConfig withTimeouts(
        final int newKeepAliveMs, final int newConnectTimeoutMs, final int newCommandTimeoutMs)
    {
        return new RemoteDeviceConfig(name, addresses, subsystemNqn, nsid, namespaceId, host, queueDepth,
            newKeepAliveMs, newConnectTimeoutMs, newCommandTimeoutMs, reconnectDelayMs, reconnectDelayMaxMs,
            controllerLossTimeoutMs);
    }

    /**
     * Changes how to reconnect.
     *
     * @param firstMs       delay before the first attempt.
     * @param mostMs        where doubling the delay stops.
     * @param lossTimeoutMs how long requests wait while there is no path.
     * @return a copy.
     */
    public RemoteDeviceConfig withReconnect(final int firstMs, final int mostMs, final int lossTimeoutMs)
    {
        return new RemoteDeviceConfig(name, addresses, subsystemNqn, nsid, namespaceId, host, queueDepth, keepAliveMs,
            connectTimeoutMs, commandTimeoutMs, firstMs, mostMs, lossTimeoutMs);
    }

    /**
     * {@return settings of the connections of a path}
     *
     * @param address of the path.
     * @throws io.millrace.nvmf.initiator.InitiatorException naming the setting that is out of bounds.
     */
    ConnectionConfig connection(final TransportAddress address)
    {
        return ConnectionConfig.to(address, subsystemNqn)
            .queueDepth(queueDepth)
            .keepAliveMs(keepAliveMs)
            .connectTimeoutMs(connectTimeoutMs)
            .commandTimeoutMs(commandTimeoutMs)
            .reconnectDelayMs(reconnectDelayMs, reconnectDelayMaxMs)
            .controllerLossTimeoutMs(-1)
            .outagePolicy(OutagePolicy.FAIL)
            .build();
    }

    /**
     * {@return the namespace as messages name it}
     */
    String namespace()
    {
        return (0 == nsid ? "namespace " + namespaceId : "namespace " + nsid) + " of " + subsystemNqn;
    }
}

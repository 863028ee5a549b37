package io.millrace.nvmf.initiator;

import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.validation.AddressText;
import java.net.InetSocketAddress;

/**
 * Which subsystem to connect to, and how. Immutable.
 *
 * @param transport               that the target is reached by.
 * @param address                 of the target, resolved.
 * @param subsystemNqn            of the subsystem.
 * @param queueDepth              commands outstanding at once on an I/O queue, 1 to {@value #QUEUE_DEPTH_MAX}; the
 *                                controller may allow fewer.
 * @param headerDigest            ask for CRC32C of PDU headers.
 * @param dataDigest              ask for CRC32C of PDU data.
 * @param sqFlowControl           keep to the submission queue head that the controller reports; off asks the controller
 *                                to report none.
 * @param keepAliveMs             keep-alive time-out of the association; 0 for none.
 * @param connectTimeoutMs        to make a connection up to the first command.
 * @param commandTimeoutMs        until an unanswered command ends the connection.
 * @param reconnectDelayMs        before the first attempt to reconnect; doubled with every attempt.
 * @param reconnectDelayMaxMs     where doubling stops; the same as {@code reconnectDelayMs} for a fixed delay.
 * @param controllerLossTimeoutMs how long to retry connecting; 0 for no retry, -1 for no limit.
 * @param outagePolicy            how commands are treated meanwhile.
 */
public record ConnectionConfig(
    TransportAddress.Type transport,
    InetSocketAddress address,
    String subsystemNqn,
    int queueDepth,
    boolean headerDigest,
    boolean dataDigest,
    boolean sqFlowControl,
    int keepAliveMs,
    int connectTimeoutMs,
    int commandTimeoutMs,
    int reconnectDelayMs,
    int reconnectDelayMaxMs,
    int controllerLossTimeoutMs,
    OutagePolicy outagePolicy)
{
    /** Default of {@link #queueDepth()}. */
    public static final int QUEUE_DEPTH_DEFAULT = 128;
    /** Upper bound of {@link #queueDepth()}: what command identifiers have room for. */
    public static final int QUEUE_DEPTH_MAX = 4095;
    /** Default of {@link #keepAliveMs()}: 5 s. */
    public static final int KEEP_ALIVE_MS_DEFAULT = 5_000;
    /** Default of {@link #connectTimeoutMs()}: 5 s. */
    public static final int CONNECT_TIMEOUT_MS_DEFAULT = 5_000;
    /** Default of {@link #commandTimeoutMs()}: 30 s. */
    public static final int COMMAND_TIMEOUT_MS_DEFAULT = 30_000;
    /** Default of {@link #reconnectDelayMs()}: 250 ms. */
    public static final int RECONNECT_DELAY_MS_DEFAULT = 250;
    /** Default of {@link #reconnectDelayMaxMs()}: 10 s. */
    public static final int RECONNECT_DELAY_MAX_MS_DEFAULT = 10_000;
    /** Default of {@link #controllerLossTimeoutMs()}: 10 minutes. */
    public static final int CONTROLLER_LOSS_TIMEOUT_MS_DEFAULT = 600_000;
    /** The discovery subsystem's well-known name. */
    public static final String DISCOVERY_NQN = "nqn.2014-08.org.nvmexpress.discovery";
    /** Port of NVMe over IP. */
    public static final int PORT_DEFAULT = 4420;
    /** Port of discovery over NVMe/TCP. */
    public static final int DISCOVERY_PORT_DEFAULT = 8009;

    /**
     * Checks what can be checked.
     */
    public ConnectionConfig
    {
        if (null == address)
        {
            throw new InitiatorException("address of the target is missing: give host and port");
        }
        if (address.isUnresolved())
        {
            throw new InitiatorException("address " + address.getHostString() +
                " cannot be resolved: check the name or give an IP address");
        }
        HostConfig.checkNqn("subsystem NQN", subsystemNqn);
        checkRange("queue depth", queueDepth, 1, QUEUE_DEPTH_MAX);
        checkRange("keep-alive ms", keepAliveMs, 0, Integer.MAX_VALUE);
        checkRange("connect time-out ms", connectTimeoutMs, 1, Integer.MAX_VALUE);
        checkRange("command time-out ms", commandTimeoutMs, 1, Integer.MAX_VALUE);
        checkRange("reconnect delay ms", reconnectDelayMs, 1, Integer.MAX_VALUE);
        checkRange("largest reconnect delay ms", reconnectDelayMaxMs, reconnectDelayMs, Integer.MAX_VALUE);
        checkRange("controller loss time-out ms", controllerLossTimeoutMs, -1, Integer.MAX_VALUE);
        if (TransportAddress.Type.TCP != transport && (headerDigest || dataDigest))
        {
            throw new InitiatorException("digests are not possible over " + transport +
                ", which protects messages itself: leave them out");
        }
        if (null == outagePolicy)
        {
            throw new InitiatorException("outage policy is missing: use WAIT or FAIL");
        }
    }

    private static void checkRange(final String name, final int value, final int min, final int max)
    {
        if (value < min || value > max)
        {
            throw new InitiatorException(name + " " + value + " is out of range: use " + min + " to " + max);
        }
    }

    /**
     * Begins with the defaults, over TCP.
     *
     * @param address      of the target.
     * @param subsystemNqn of the subsystem.
     * @return a builder.
     */
    public static Builder to(final InetSocketAddress address, final String subsystemNqn)
    {
        return new Builder(TransportAddress.Type.TCP, address, subsystemNqn);
    }

    /**
     * Begins with the defaults.
     *
     * @param transport    that the target is reached by.
     * @param address      of the target.
     * @param subsystemNqn of the subsystem.
     * @return a builder.
     */
    public static Builder to(
        final TransportAddress.Type transport, final InetSocketAddress address, final String subsystemNqn)
    {
        return new Builder(transport, address, subsystemNqn);
    }

    /**
     * Begins with the defaults.
     *
     * @param address      of the target.
     * @param subsystemNqn of the subsystem.
     * @return a builder.
     */
    public static Builder to(final TransportAddress address, final String subsystemNqn)
    {
        return new Builder(address.transportType(), address.socketAddress(), subsystemNqn);
    }

    /**
     * {@return whether it is the discovery subsystem}
     */
    public boolean isDiscovery()
    {
        return DISCOVERY_NQN.equals(subsystemNqn);
    }

    /**
     * Names the target as a person writes it.
     *
     * @return such as {@code tcp://127.0.0.1:4420}.
     */
    public String target()
    {
        final String host = address.getHostString();
        return transport + "://" + (host.indexOf(':') < 0 ? host : "[" + shortForm(host) + "]") + ":" +
            address.getPort();
    }

    private String shortForm(final String host)
    {
        final int scope = host.indexOf('%');
        return AddressText.of(address.getAddress()) + (scope < 0 ? "" : host.substring(scope));
    }

    /**
     * Sets what differs from the defaults.
     */
    public static final class Builder
    {
        private final TransportAddress.Type transport;
        private final InetSocketAddress address;
        private final String subsystemNqn;
        private int queueDepth = QUEUE_DEPTH_DEFAULT;
        private boolean headerDigest;
        private boolean dataDigest;
        private boolean sqFlowControl = true;
        private int keepAliveMs = KEEP_ALIVE_MS_DEFAULT;
        private int connectTimeoutMs = CONNECT_TIMEOUT_MS_DEFAULT;
        private int commandTimeoutMs = COMMAND_TIMEOUT_MS_DEFAULT;
        private int reconnectDelayMs = RECONNECT_DELAY_MS_DEFAULT;
        private int reconnectDelayMaxMs = RECONNECT_DELAY_MAX_MS_DEFAULT;
        private int controllerLossTimeoutMs = CONTROLLER_LOSS_TIMEOUT_MS_DEFAULT;
        private OutagePolicy outagePolicy = OutagePolicy.WAIT;

        private Builder(
            final TransportAddress.Type transport, final InetSocketAddress address, final String subsystemNqn)
        {
            this.transport = transport;
            this.address = address;
            this.subsystemNqn = subsystemNqn;
        }

        /**
         * Sets the depth of I/O queues.
         *
         * @param value commands outstanding at once.
         * @return this, to chain.
         */
        public Builder queueDepth(final int value)
        {
            queueDepth = value;
            return this;
        }

        /**
         * Asks for digests.
         *
         * @param header CRC32C of PDU headers.
         * @param data   CRC32C of PDU data.
         * @return this, to chain.
         */
        public Builder digests(final boolean header, final boolean data)
        {
            headerDigest = header;
            dataDigest = data;
            return this;
        }

        /**
         * Turns submission queue flow control on or off.
         *
         * @param value true for on, the default.
         * @return this, to chain.
         */
        public Builder sqFlowControl(final boolean value)
        {
            sqFlowControl = value;
            return this;
        }

        /**
         * Sets the keep-alive time-out.
         *
         * @param value in milliseconds; 0 for none.
         * @return this, to chain.
         */
        public Builder keepAliveMs(final int value)
        {
            keepAliveMs = value;
            return this;
        }

        /**
         * Sets how long a connection may take to come up.
         *
         * @param value in milliseconds.
         * @return this, to chain.
         */
        public Builder connectTimeoutMs(final int value)
        {
            connectTimeoutMs = value;
            return this;
        }

        /**
         * Sets how long a command may take.
         *
         * @param value in milliseconds.
         * @return this, to chain.
         */
        public Builder commandTimeoutMs(final int value)
        {
            commandTimeoutMs = value;
            return this;
        }

        /**
         * Sets the delay before reconnecting.
         *
         * @param first in milliseconds, doubled with every attempt.
         * @param most  in milliseconds, where doubling stops.
         * @return this, to chain.
         */
        public Builder reconnectDelayMs(final int first, final int most)
        {
            reconnectDelayMs = first;
            reconnectDelayMaxMs = most;
            return this;
        }

        /**
         * Sets how long to retry connecting.
         *
         * @param value in milliseconds; 0 for no retry, -1 for no limit.
         * @return this, to chain.
         */
        public Builder controllerLossTimeoutMs(final int value)
        {
            controllerLossTimeoutMs = value;
            return this;
        }

        /**
         * Sets how commands are treated during an outage.
         *
         * @param value policy.
         * @return this, to chain.
         */
        public Builder outagePolicy(final OutagePolicy value)
        {
            outagePolicy = value;
            return this;
        }

        /**
         * Checks the settings.
         *
         * @return the configuration.
         * @throws InitiatorException naming the setting that is out of bounds.
         */
        public ConnectionConfig build()
        {
            return new ConnectionConfig(transport, address, subsystemNqn, queueDepth, headerDigest, dataDigest,
                sqFlowControl, keepAliveMs, connectTimeoutMs, commandTimeoutMs, reconnectDelayMs, reconnectDelayMaxMs,
                controllerLossTimeoutMs, outagePolicy);
        }
    }
}

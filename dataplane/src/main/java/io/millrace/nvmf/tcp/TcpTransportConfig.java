package io.millrace.nvmf.tcp;

import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.nvmf.transport.TransportConfig;

/**
 * Settings of the TCP transport. Immutable; checked when made, so that nothing is half-started.
 *
 * @param inCapsuleDataBytes   most data that arrives with an I/O command; 0 to 131072, a multiple of 16. Admin and
 *                             Fabrics commands carry up to {@link #ADMIN_IN_CAPSULE_DATA_BYTES} whatever this says.
 * @param maxH2cDataBytes      most data of one H2CData PDU (MAXH2CDATA); 4096 to 16 MiB, a multiple of 4.
 * @param receiveBufferBytes   buffer into which a reactor receives for all its connections; 64 KiB to 16 MiB, a
 *                             multiple of 4096, and at least twice the in-capsule data.
 * @param c2hSuccess           answer a successful read with the SUCCESS flag of its data PDU instead of a response
 *                             capsule; to a host with submission queue flow control but for every fourth part of its
 *                             queue, since it learns the queue's head from capsules alone.
 * @param connectTimeoutNs     time from accept to a successful Connect command; 1 ms to 10 minutes.
 * @param connectionsMax       connections of one reactor; 1 to 65535.
 * @param socketSendBytes      SO_SNDBUF of a connection in bytes; 0 leaves it to the kernel's own tuning.
 * @param socketReceiveBytes   SO_RCVBUF of a connection in bytes; 0 leaves it to the kernel's own tuning.
 * @param dataTimeoutNs        time without a byte of the data that was asked for first, after which a connection ends;
 *                             100 ms to 1 hour.
 * @param sendTimeoutNs        time in which a full socket takes no byte, after which a connection ends; 100 ms to 1
 *                             hour.
 */
public record TcpTransportConfig(
    int inCapsuleDataBytes,
    int maxH2cDataBytes,
    int receiveBufferBytes,
    boolean c2hSuccess,
    long connectTimeoutNs,
    int connectionsMax,
    int socketSendBytes,
    int socketReceiveBytes,
    long dataTimeoutNs,
    long sendTimeoutNs) implements TransportConfig
{
    /** In-capsule data of Admin and Fabrics commands (NVMe/TCP Transport 1.0, figure 11). */
    public static final int ADMIN_IN_CAPSULE_DATA_BYTES = 8192;
    /** Default of {@link #inCapsuleDataBytes()}: what an admin capsule may carry anyway. */
    public static final int IN_CAPSULE_DATA_BYTES_DEFAULT = 8192;
    /** Default of {@link #maxH2cDataBytes()}: 128 KiB, what Linux hosts split a transfer at by default. */
    public static final int MAX_H2C_DATA_BYTES_DEFAULT = 128 << 10;
    /**
     * Default of {@link #receiveBufferBytes()}: 512 KiB, a queue of 128 with 4 KiB each; stays in a second-level cache.
     */
    public static final int RECEIVE_BUFFER_BYTES_DEFAULT = 512 << 10;
    /** Default of {@link #connectTimeoutNs()}: 10 s. */
    public static final long CONNECT_TIMEOUT_NS_DEFAULT = 10_000_000_000L;
    /** Default of {@link #connectionsMax()}. */
    public static final int CONNECTIONS_MAX_DEFAULT = 4096;

    /** Default of {@link #dataTimeoutNs()} and {@link #sendTimeoutNs()}: 30 s, as long as hosts wait for an answer. */
    public static final long TRANSFER_TIMEOUT_NS_DEFAULT = 30_000_000_000L;
    /** Least of {@link #dataTimeoutNs()} and {@link #sendTimeoutNs()}. */
    public static final long TRANSFER_TIMEOUT_NS_MIN = 100_000_000L;
    /** Most of {@link #dataTimeoutNs()} and {@link #sendTimeoutNs()}. */
    public static final long TRANSFER_TIMEOUT_NS_MAX = 3_600_000_000_000L;

    private static final int IN_CAPSULE_DATA_BYTES_MAX = 128 << 10;
    private static final int MAX_H2C_DATA_BYTES_MIN = 4096;
    private static final int BYTES_MAX = 16 << 20;
    private static final int RECEIVE_BUFFER_BYTES_MIN = 64 << 10;
    private static final long CONNECT_TIMEOUT_NS_MIN = 1_000_000L;
    private static final long CONNECT_TIMEOUT_NS_MAX = 600_000_000_000L;
    private static final int CONNECTIONS_MAX = 65535;
    private static final int SOCKET_BYTES_MAX = 1 << 30;

    /**
     * Checks every setting.
     */
    public TcpTransportConfig
    {
        check("in-capsule-data-bytes", inCapsuleDataBytes, 0, IN_CAPSULE_DATA_BYTES_MAX, 16);
        check("max-h2c-data-bytes", maxH2cDataBytes, MAX_H2C_DATA_BYTES_MIN, BYTES_MAX, 4);
        check("receive-buffer-bytes", receiveBufferBytes,
            Math.max(RECEIVE_BUFFER_BYTES_MIN, 2 * inCapsuleDataBytes), BYTES_MAX, 4096);
        check("connect-timeout-ns", connectTimeoutNs, CONNECT_TIMEOUT_NS_MIN, CONNECT_TIMEOUT_NS_MAX, 1);
        check("connections-max", connectionsMax, 1, CONNECTIONS_MAX, 1);
        check("socket-send-bytes", socketSendBytes, 0, SOCKET_BYTES_MAX, 1);
        check("socket-receive-bytes", socketReceiveBytes, 0, SOCKET_BYTES_MAX, 1);
        check("data-timeout-ns", dataTimeoutNs, TRANSFER_TIMEOUT_NS_MIN, TRANSFER_TIMEOUT_NS_MAX, 1);
        check("send-timeout-ns", sendTimeoutNs, TRANSFER_TIMEOUT_NS_MIN, TRANSFER_TIMEOUT_NS_MAX, 1);
    }

    /**
     * With the default time limits of transfers.
     *
     * @param inCapsuleDataBytes   most data that arrives with an I/O command.
     * @param maxH2cDataBytes      most data of one H2CData PDU.
     * @param receiveBufferBytes   buffer into which a reactor receives.
     * @param c2hSuccess           whether reads may be answered with the SUCCESS flag.
     * @param connectTimeoutNs     time from accept to a successful Connect command.
     * @param connectionsMax       connections of one reactor.
     * @param socketSendBytes      SO_SNDBUF of a connection; 0 for the kernel's own.
     * @param socketReceiveBytes   SO_RCVBUF of a connection; 0 for the kernel's own.
     */
    public TcpTransportConfig(
        final int inCapsuleDataBytes,
        final int maxH2cDataBytes,
        final int receiveBufferBytes,
        final boolean c2hSuccess,
        final long connectTimeoutNs,
        final int connectionsMax,
        final int socketSendBytes,
        final int socketReceiveBytes)
    {
        this(inCapsuleDataBytes, maxH2cDataBytes, receiveBufferBytes, c2hSuccess, connectTimeoutNs, connectionsMax,
            socketSendBytes, socketReceiveBytes, TRANSFER_TIMEOUT_NS_DEFAULT, TRANSFER_TIMEOUT_NS_DEFAULT);
    }

    @Override
    public TransportAddress.Type type()
    {
        return TransportAddress.Type.TCP;
    }

    /**
     * {@return the same with other time limits of transfers}
     *
     * @param dataNs of data that was asked for.
     * @param sendNs of answers.
     */
    public TcpTransportConfig transferTimeouts(final long dataNs, final long sendNs)
    {
        return new TcpTransportConfig(inCapsuleDataBytes, maxH2cDataBytes, receiveBufferBytes, c2hSuccess,
            connectTimeoutNs, connectionsMax, socketSendBytes, socketReceiveBytes, dataNs, sendNs);
    }

    /**
     * {@return the defaults}
     */
    public static TcpTransportConfig defaults()
    {
        return new TcpTransportConfig(IN_CAPSULE_DATA_BYTES_DEFAULT, MAX_H2C_DATA_BYTES_DEFAULT,
            RECEIVE_BUFFER_BYTES_DEFAULT, true, CONNECT_TIMEOUT_NS_DEFAULT, CONNECTIONS_MAX_DEFAULT, 0, 0);
    }

    private static void check(
        final String name, final long value, final long minimum, final long maximum, final int multiple)
    {
        if (value < minimum)
        {
            throw new IllegalArgumentException(
                "tcp " + name + " " + value + " is below " + minimum + ": raise it, or leave it out for the default");
        }
        if (value > maximum)
        {
            throw new IllegalArgumentException(
                "tcp " + name + " " + value + " is above " + maximum + ": lower it, or leave it out for the default");
        }
        if (0 != value % multiple)
        {
            throw new IllegalArgumentException(
                "tcp " + name + " " + value + " is not a multiple of " + multiple + ": use " +
                Math.max(minimum, value - value % multiple));
        }
    }
}

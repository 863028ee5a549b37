package io.millrace.nvmf.rdma;

import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.nvmf.transport.TransportConfig;
import io.millrace.validation.AddressFilter;
import java.util.List;

/**
 * Settings of the RDMA transport. Immutable; checked when made, so that nothing is half-started.
 *
 * @param inCapsuleDataBytes most data that arrives with a command; 0 to 65536, a multiple of 64.
 * @param capsulesMax        receive buffers of a reactor, one for each entry of its queues; 64 to 1048576. Each has 64
 *                           bytes and the in-capsule data, mapped and registered when the first listener starts.
 * @param readsMax           RDMA READs of a connection at a time; 1 to 255. Either device may allow fewer.
 * @param connectTimeoutNs   time from the request to connect to a successful Connect command; 1 ms to 10 minutes.
 * @param connectionsMax     connections of one reactor; 1 to 65535.
 * @param transferTimeoutNs  time without the end of any transfer that is outstanding, after which a connection ends;
 *                           100 ms to 1 hour.
 * @param allowedAddresses   addresses and prefixes of hosts that may connect, such as 192.0.2.0/24; all when empty.
 * @param isIwarpAllowed     whether hosts may connect through iWARP devices, on which each can write into the buffers
 *                           of
 *                           the others.
 */
public record RdmaTransportConfig(
    int inCapsuleDataBytes,
    int capsulesMax,
    int readsMax,
    long connectTimeoutNs,
    int connectionsMax,
    long transferTimeoutNs,
    List<String> allowedAddresses,
    boolean isIwarpAllowed) implements TransportConfig
{
    /** Default of {@link #inCapsuleDataBytes()}: a block, so that small writes need no RDMA READ. */
    public static final int IN_CAPSULE_DATA_BYTES_DEFAULT = 4096;
    /** Default of {@link #capsulesMax()}: 32 queues of 128 entries, 17 MiB with the default in-capsule data. */
    public static final int CAPSULES_MAX_DEFAULT = 4096;
    /** Default of {@link #readsMax()}: what most devices allow. */
    public static final int READS_MAX_DEFAULT = 16;
    /** Default of {@link #connectTimeoutNs()}: 10 s. */
    public static final long CONNECT_TIMEOUT_NS_DEFAULT = 10_000_000_000L;
    /** Default of {@link #connectionsMax()}. */
    public static final int CONNECTIONS_MAX_DEFAULT = 4096;
    /** Default of {@link #transferTimeoutNs()}: 30 s, as long as hosts wait for an answer. */
    public static final long TRANSFER_TIMEOUT_NS_DEFAULT = 30_000_000_000L;

    private static final int IN_CAPSULE_DATA_BYTES_MAX = 64 << 10;
    private static final int CAPSULES_MIN = 64;
    private static final int CAPSULES_MAX = 1 << 20;
    private static final int READS_MAX = 255;
    private static final long CONNECT_TIMEOUT_NS_MIN = 1_000_000L;
    private static final long CONNECT_TIMEOUT_NS_MAX = 600_000_000_000L;
    private static final int CONNECTIONS_MAX = 65535;
    private static final long TRANSFER_TIMEOUT_NS_MIN = 100_000_000L;
    private static final long TRANSFER_TIMEOUT_NS_MAX = 3_600_000_000_000L;

    /**
     * Checks every setting.
     */
    public RdmaTransportConfig
    {
        check("in-capsule-data-bytes", inCapsuleDataBytes, 0, IN_CAPSULE_DATA_BYTES_MAX);
        if (0 != inCapsuleDataBytes % CapsuleBuffers.ALIGNMENT_BYTES)
        {
            throw new IllegalArgumentException("rdma in-capsule-data-bytes " + inCapsuleDataBytes +
                " is not a multiple of " + CapsuleBuffers.ALIGNMENT_BYTES + ": use " +
                (inCapsuleDataBytes - inCapsuleDataBytes % CapsuleBuffers.ALIGNMENT_BYTES));
        }
        check("capsules", capsulesMax, CAPSULES_MIN, CAPSULES_MAX);
        check("reads", readsMax, 1, READS_MAX);
        check("connect-timeout-ns", connectTimeoutNs, CONNECT_TIMEOUT_NS_MIN, CONNECT_TIMEOUT_NS_MAX);
        check("connections-max", connectionsMax, 1, CONNECTIONS_MAX);
        check("transfer-timeout-ns", transferTimeoutNs, TRANSFER_TIMEOUT_NS_MIN, TRANSFER_TIMEOUT_NS_MAX);
        allowedAddresses = List.copyOf(allowedAddresses);
        filter(allowedAddresses);
    }

    @Override
    public TransportAddress.Type type()
    {
        return TransportAddress.Type.RDMA;
    }

    /**
     * {@return the defaults}
     */
    public static RdmaTransportConfig defaults()
    {
        return new RdmaTransportConfig(IN_CAPSULE_DATA_BYTES_DEFAULT, CAPSULES_MAX_DEFAULT, READS_MAX_DEFAULT,
            CONNECT_TIMEOUT_NS_DEFAULT, CONNECTIONS_MAX_DEFAULT, TRANSFER_TIMEOUT_NS_DEFAULT, List.of(), false);
    }

    /**
     * {@return the same with other hosts that may connect}
     *
     * @param addresses and prefixes; empty for all.
     */
    public RdmaTransportConfig withAllowedAddresses(final List<String> addresses)
    {
        return new RdmaTransportConfig(inCapsuleDataBytes, capsulesMax, readsMax, connectTimeoutNs, connectionsMax,
            transferTimeoutNs, addresses, isIwarpAllowed);
    }

    /**
     * {@return the same with iWARP devices}
     *
     * @param isAllowed whether hosts may connect through them.
     */
    public RdmaTransportConfig withIwarp(final boolean isAllowed)
    {
        return new RdmaTransportConfig(inCapsuleDataBytes, capsulesMax, readsMax, connectTimeoutNs, connectionsMax,
            transferTimeoutNs, allowedAddresses, isAllowed);
    }

    /** {@return which hosts may connect} */
    AddressFilter filter()
    {
        return filter(allowedAddresses);
    }

    private static AddressFilter filter(final List<String> addresses)
    {
        try
        {
            return new AddressFilter(addresses);
        }
        catch (final IllegalArgumentException e)
        {
            throw new IllegalArgumentException("rdma " + e.getMessage(), e);
        }
    }

    private static void check(final String name, final long value, final long minimum, final long maximum)
    {
        if (value < minimum)
        {
            throw new IllegalArgumentException(
                "rdma " + name + " " + value + " is below " + minimum + ": raise it, or leave it out for the default");
        }
        if (value > maximum)
        {
            throw new IllegalArgumentException(
                "rdma " + name + " " + value + " is above " + maximum + ": lower it, or leave it out for the default");
        }
    }
}

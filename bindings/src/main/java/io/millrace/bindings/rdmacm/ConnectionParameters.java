package io.millrace.bindings.rdmacm;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdma_conn_param;

/**
 * {@code struct rdma_conn_param}, by address: what either side of a new connection says. A new one is filled with 0.
 * Control path.
 */
public final class ConnectionParameters
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)rdma_conn_param.sizeof();
    private static final long PRIVATE_DATA = rdma_conn_param.private_data$offset();
    private static final long PRIVATE_BYTES = rdma_conn_param.private_data_len$offset();
    private static final long RESPONDER_RESOURCES = rdma_conn_param.responder_resources$offset();
    private static final long INITIATOR_DEPTH = rdma_conn_param.initiator_depth$offset();
    private static final long RETRY_COUNT = rdma_conn_param.retry_count$offset();
    private static final long QP_NUM = rdma_conn_param.qp_num$offset();
    private static final long RNR_RETRY_COUNT = rdma_conn_param.rnr_retry_count$offset();

    private ConnectionParameters()
    {
    }

    /**
     * {@return the address of what the peer said}
     *
     * @param address of the structure.
     */
    public static long privateData(final long address)
    {
        return NativeMemory.getLong(address + PRIVATE_DATA);
    }

    /**
     * Sets how often a packet is sent again, 0 to 7.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void retryCount(final long address, final byte value)
    {
        NativeMemory.putByte(address + RETRY_COUNT, value);
    }

    /**
     * Sets how often is waited for a receive request of the peer, 0 to 6; 7: without limit.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void receiverNotReadyRetries(final long address, final byte value)
    {
        NativeMemory.putByte(address + RNR_RETRY_COUNT, value);
    }

    /**
     * {@return the length of what the peer said, at least: RoCE fills it up with zeros}
     *
     * @param address of the structure.
     */
    public static int privateBytes(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + PRIVATE_BYTES));
    }

    /**
     * Sets the private data for the peer.
     *
     * @param address     of the structure.
     * @param dataAddress of the data.
     * @param dataBytes   its length: up to 56 of a request to connect, 196 of an acceptance.
     */
    public static void privateData(final long address, final long dataAddress, final int dataBytes)
    {
        NativeMemory.putLong(address + PRIVATE_DATA, dataAddress);
        NativeMemory.putByte(address + PRIVATE_BYTES, (byte)dataBytes);
    }

    /**
     * {@return RDMA READs and atomics of the peer that this side is asked to serve at a time: in an event the kernel
     *     has exchanged the two numbers that the peer gave to {@link #reads}}
     *
     * @param address of the structure, of an event.
     */
    public static int responderResources(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + RESPONDER_RESOURCES));
    }

    /**
     * {@return RDMA READs and atomics of this side that the peer serves at a time: see {@link #responderResources}}
     *
     * @param address of the structure, of an event.
     */
    public static int initiatorDepth(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + INITIATOR_DEPTH));
    }

    /**
     * Sets how many RDMA READs and atomics are served, and had under way, at a time.
     *
     * @param address   of the structure.
     * @param served    of the peer, up to 255.
     * @param initiated of ours, up to 255.
     */
    public static void reads(final long address, final int served, final int initiated)
    {
        NativeMemory.putByte(address + RESPONDER_RESOURCES, (byte)served);
        NativeMemory.putByte(address + INITIATOR_DEPTH, (byte)initiated);
    }

    /**
     * Sets the number of the queue pair, of an identifier that has none itself.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void queuePair(final long address, final int value)
    {
        NativeMemory.putInt(address + QP_NUM, value);
    }

    /**
     * {@return the number of the queue pair, of an identifier that has none itself}
     *
     * @param address of the structure.
     */
    public static int queuePair(final long address)
    {
        return NativeMemory.getInt(address + QP_NUM);
    }
}

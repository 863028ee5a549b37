package io.millrace.bindings.rdmacm;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdmacm_h;

/**
 * {@code struct rdma_cm_id}, by address, as far as it is read. Control path.
 */
public final class ConnectionId
{
    private static final long SOURCE = rdmacm_h.RDMA_CM_ID_SRC_ADDR();
    private static final long DESTINATION = rdmacm_h.RDMA_CM_ID_DST_ADDR();
    private static final long CONTEXT = rdmacm_h.RDMA_CM_ID_VERBS();
    private static final long USER = rdmacm_h.RDMA_CM_ID_CONTEXT();
    private static final long QUEUE_PAIR = rdmacm_h.RDMA_CM_ID_QP();
    private static final long PORT = rdmacm_h.RDMA_CM_ID_PORT_NUM();

    private ConnectionId()
    {
    }

    /**
     * {@return the address of the open device, for calls of verbs; 0 while it has none}
     *
     * @param address of the structure.
     */
    public static long context(final long address)
    {
        return NativeMemory.getLong(address + CONTEXT);
    }

    /**
     * {@return the number that it was made with; a request to connect has that of its listener}
     *
     * @param address of the structure.
     */
    public static long user(final long address)
    {
        return NativeMemory.getLong(address + USER);
    }

    /**
     * {@return the address of the queue pair; 0: none}
     *
     * @param address of the structure.
     */
    public static long queuePair(final long address)
    {
        return NativeMemory.getLong(address + QUEUE_PAIR);
    }

    /**
     * {@return the number of the port of the device, from 1}
     *
     * @param address of the structure.
     */
    public static byte devicePort(final long address)
    {
        return NativeMemory.getByte(address + PORT);
    }

    /**
     * Sets the number of an identifier, such as one that came with a request to connect.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void user(final long address, final long value)
    {
        NativeMemory.putLong(address + USER, value);
    }

    /**
     * {@return the address of the {@code sockaddr} of this machine}
     *
     * @param address of the structure.
     */
    public static long localAddress(final long address)
    {
        return address + SOURCE;
    }

    /**
     * {@return the address of the {@code sockaddr} of the peer}
     *
     * @param address of the structure.
     */
    public static long peerAddress(final long address)
    {
        return address + DESTINATION;
    }
}

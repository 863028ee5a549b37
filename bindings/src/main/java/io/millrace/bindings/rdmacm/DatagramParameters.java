package io.millrace.bindings.rdmacm;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdmacm_h;

/**
 * {@code struct rdma_ud_param} of a {@link ConnectionEvent}, by the event's address: where datagrams for the peer go.
 * Control path.
 */
public final class DatagramParameters
{
    private static final long PRIVATE_DATA = rdmacm_h.RDMA_CM_EVENT_PARAM_UD_PRIVATE_DATA();
    private static final long PRIVATE_BYTES = rdmacm_h.RDMA_CM_EVENT_PARAM_UD_PRIVATE_DATA_LEN();
    private static final long HANDLE_ATTRIBUTES = rdmacm_h.RDMA_CM_EVENT_PARAM_UD_AH_ATTR();
    private static final long QUEUE_PAIR = rdmacm_h.RDMA_CM_EVENT_PARAM_UD_QP_NUM();
    private static final long QUEUE_KEY = rdmacm_h.RDMA_CM_EVENT_PARAM_UD_QKEY();

    private DatagramParameters()
    {
    }

    /**
     * {@return the address of what the peer said}
     *
     * @param event address of the event.
     */
    public static long privateData(final long event)
    {
        return NativeMemory.getLong(event + PRIVATE_DATA);
    }

    /**
     * {@return the length of what the peer said, at least: it is filled up with zeros}
     *
     * @param event address of the event.
     */
    public static int privateBytes(final long event)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(event + PRIVATE_BYTES));
    }

    /**
     * {@return the address of the attributes that an address handle is made of, valid until the event is acknowledged}
     *
     * @param event address of the event.
     */
    public static long handleAttributes(final long event)
    {
        return event + HANDLE_ATTRIBUTES;
    }

    /**
     * {@return the number of the peer's queue pair}
     *
     * @param event address of the event.
     */
    public static int queuePair(final long event)
    {
        return NativeMemory.getInt(event + QUEUE_PAIR);
    }

    /**
     * {@return the key of the peer's queue pair}
     *
     * @param event address of the event.
     */
    public static int queueKey(final long event)
    {
        return NativeMemory.getInt(event + QUEUE_KEY);
    }
}

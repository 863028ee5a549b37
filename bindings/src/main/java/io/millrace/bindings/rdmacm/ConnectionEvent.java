package io.millrace.bindings.rdmacm;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdmacm_h;

/**
 * {@code struct rdma_cm_event}, by address, as far as it is read. Valid until it is acknowledged. Control path.
 */
public final class ConnectionEvent
{
    private static final long PARAMETERS = rdmacm_h.RDMA_CM_EVENT_PARAM_CONN();
    private static final long ID = rdmacm_h.RDMA_CM_EVENT_ID();
    private static final long LISTENER = rdmacm_h.RDMA_CM_EVENT_LISTEN_ID();
    private static final long TYPE = rdmacm_h.RDMA_CM_EVENT_TYPE();
    private static final long STATUS = rdmacm_h.RDMA_CM_EVENT_STATUS();

    private ConnectionEvent()
    {
    }

    /**
     * {@return the identifier that it is about: of a request to connect a new one}
     *
     * @param address of the structure.
     */
    public static long id(final long address)
    {
        return NativeMemory.getLong(address + ID);
    }

    /**
     * {@return the identifier that listens, of a request to connect}
     *
     * @param address of the structure.
     */
    public static long listener(final long address)
    {
        return NativeMemory.getLong(address + LISTENER);
    }

    /**
     * {@return {@code RDMA_CM_EVENT_*}}
     *
     * @param address of the structure.
     */
    public static int type(final long address)
    {
        return NativeMemory.getInt(address + TYPE);
    }

    /**
     * {@return negated errno, or the reason of a refusal, of an event that says that something failed}
     *
     * @param address of the structure.
     */
    public static int status(final long address)
    {
        return NativeMemory.getInt(address + STATUS);
    }

    /**
     * {@return the address of the {@link ConnectionParameters} of the peer}
     *
     * @param address of the structure.
     */
    public static long parameters(final long address)
    {
        return address + PARAMETERS;
    }
}

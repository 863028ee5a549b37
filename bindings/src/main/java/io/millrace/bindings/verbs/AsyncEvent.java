package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;

/**
 * {@code struct ibv_async_event}, by address: what happened to a device, or to something on it. Control path.
 */
public final class AsyncEvent
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)verbs_h.IBV_ASYNC_EVENT_SIZE();
    private static final long ELEMENT = verbs_h.IBV_ASYNC_EVENT_ELEMENT();
    private static final long TYPE = verbs_h.IBV_ASYNC_EVENT_TYPE();

    private AsyncEvent()
    {
    }

    /**
     * {@return {@code IBV_EVENT_*}}
     *
     * @param address of the structure.
     */
    public static int type(final long address)
    {
        return NativeMemory.getInt(address + TYPE);
    }

    /**
     * {@return the address of the queue pair or completion queue that it is about}
     *
     * @param address of the structure.
     */
    public static long element(final long address)
    {
        return NativeMemory.getLong(address + ELEMENT);
    }

    /**
     * {@return the number of the port that it is about, from 1}
     *
     * @param address of the structure.
     */
    public static int port(final long address)
    {
        return NativeMemory.getInt(address + ELEMENT);
    }

    /**
     * Fills the structure.
     *
     * @param address of the structure.
     * @param type    {@code IBV_EVENT_*}.
     * @param element address of a queue pair or completion queue, or number of a port.
     */
    public static void set(final long address, final int type, final long element)
    {
        NativeMemory.putLong(address + ELEMENT, element);
        NativeMemory.putInt(address + TYPE, type);
    }
}

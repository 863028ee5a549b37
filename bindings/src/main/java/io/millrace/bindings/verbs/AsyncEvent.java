package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;

/**
 * {@code struct ibv_async_event}, by address: what {@link VerbsResources#asyncEvent} fills. Control path.
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
     * {@return the address of the object, or the number of the port, that it is about}
     *
     * @param address of the structure.
     */
    public static long element(final long address)
    {
        return NativeMemory.getLong(address + ELEMENT);
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
}

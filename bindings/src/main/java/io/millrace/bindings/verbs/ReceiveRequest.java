package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_recv_wr;

/**
 * {@code struct ibv_recv_wr}, by address: a request that {@link VerbsQueues#postReceive} takes. Nothing is allocated.
 */
public final class ReceiveRequest
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)ibv_recv_wr.sizeof();
    private static final long WR_ID = ibv_recv_wr.wr_id$offset();
    private static final long NEXT = ibv_recv_wr.next$offset();
    private static final long SG_LIST = ibv_recv_wr.sg_list$offset();
    private static final long NUM_SGE = ibv_recv_wr.num_sge$offset();

    private ReceiveRequest()
    {
    }

    /**
     * Sets the number that its completion carries.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void id(final long address, final long value)
    {
        NativeMemory.putLong(address + WR_ID, value);
    }

    /**
     * Sets the address of the next request of a list; 0: none.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void next(final long address, final long value)
    {
        NativeMemory.putLong(address + NEXT, value);
    }

    /**
     * Sets the address of an array of {@link ScatterGatherEntry}.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void segments(final long address, final long value)
    {
        NativeMemory.putLong(address + SG_LIST, value);
    }

    /**
     * Sets how many entries that has.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void segmentCount(final long address, final int value)
    {
        NativeMemory.putInt(address + NUM_SGE, value);
    }
}

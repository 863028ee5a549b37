package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;

/**
 * {@code struct ibv_qp_attr}, by address, as far as it is set: what {@link VerbsResources#modifyQp} changes. A new one
 * is filled with 0. Control path.
 */
public final class QueuePairState
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)verbs_h.IBV_QP_ATTR_SIZE();
    private static final long MIN_RNR_TIMER = verbs_h.IBV_QP_ATTR_MIN_RNR_TIMER();

    private QueuePairState()
    {
    }

    /**
     * Sets how long a peer waits that found no receive request.
     *
     * @param address of the structure.
     * @param value   of the table in section 9.7.5.2.8 of the InfiniBand specification, volume 1: 20 is 10.24 ms, each
     *                second following number doubles it; 0 is 655 ms.
     */
    public static void receiverNotReadyTimer(final long address, final byte value)
    {
        NativeMemory.putByte(address + MIN_RNR_TIMER, value);
    }
}

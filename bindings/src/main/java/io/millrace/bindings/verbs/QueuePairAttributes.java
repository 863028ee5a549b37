package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_qp_cap;
import io.millrace.bindings.generated.verbs.ibv_qp_init_attr;

/**
 * {@code struct ibv_qp_init_attr}, by address: what a queue pair is made with. A new one is filled with 0. Set-up only.
 */
public final class QueuePairAttributes
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)ibv_qp_init_attr.sizeof();
    private static final long SEND_CQ = ibv_qp_init_attr.send_cq$offset();
    private static final long RECV_CQ = ibv_qp_init_attr.recv_cq$offset();
    private static final long SRQ = ibv_qp_init_attr.srq$offset();
    private static final long TYPE = ibv_qp_init_attr.qp_type$offset();
    private static final long SIGNAL_ALL = ibv_qp_init_attr.sq_sig_all$offset();
    private static final long MAX_SEND = ibv_qp_init_attr.cap$offset() + ibv_qp_cap.max_send_wr$offset();
    private static final long MAX_RECV = ibv_qp_init_attr.cap$offset() + ibv_qp_cap.max_recv_wr$offset();
    private static final long MAX_SEND_SGE = ibv_qp_init_attr.cap$offset() + ibv_qp_cap.max_send_sge$offset();
    private static final long MAX_RECV_SGE = ibv_qp_init_attr.cap$offset() + ibv_qp_cap.max_recv_sge$offset();
    private static final long MAX_INLINE = ibv_qp_init_attr.cap$offset() + ibv_qp_cap.max_inline_data$offset();

    private QueuePairAttributes()
    {
    }

    /**
     * Sets the address of the completion queue of the send queue.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void sendCompletionQueue(final long address, final long value)
    {
        NativeMemory.putLong(address + SEND_CQ, value);
    }

    /**
     * Sets the address of the completion queue of the receive queue.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void receiveCompletionQueue(final long address, final long value)
    {
        NativeMemory.putLong(address + RECV_CQ, value);
    }

    /**
     * Sets {@code IBV_QPT_*}.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void type(final long address, final int value)
    {
        NativeMemory.putInt(address + TYPE, value);
    }

    /**
     * Sets whether every send request has a completion: 1, or 0.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void signalAll(final long address, final int value)
    {
        NativeMemory.putInt(address + SIGNAL_ALL, value);
    }

    /**
     * Sets outstanding send requests.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void maxSendRequests(final long address, final int value)
    {
        NativeMemory.putInt(address + MAX_SEND, value);
    }

    /**
     * Sets outstanding receive requests.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void maxReceiveRequests(final long address, final int value)
    {
        NativeMemory.putInt(address + MAX_RECV, value);
    }

    /**
     * Sets segments of a send request.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void maxSendSegments(final long address, final int value)
    {
        NativeMemory.putInt(address + MAX_SEND_SGE, value);
    }

    /**
     * Sets segments of a receive request.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void maxReceiveSegments(final long address, final int value)
    {
        NativeMemory.putInt(address + MAX_RECV_SGE, value);
    }

    /**
     * Sets bytes that a send request may hold itself.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void maxInlineBytes(final long address, final int value)
    {
        NativeMemory.putInt(address + MAX_INLINE, value);
    }

    /**
     * {@return bytes that a send request may hold itself, as the device granted them}
     *
     * @param address of the structure, after the queue pair was made.
     */
    public static int grantedInlineBytes(final long address)
    {
        return NativeMemory.getInt(address + MAX_INLINE);
    }

    /**
     * Sets the address of the shared receive queue; 0: the queue pair has a receive queue of its own.
     *
     * @param address of the structure.
     * @param value   to set.
     */
    public static void sharedReceiveQueue(final long address, final long value)
    {
        NativeMemory.putLong(address + SRQ, value);
    }
}

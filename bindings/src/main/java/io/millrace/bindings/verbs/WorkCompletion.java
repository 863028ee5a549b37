package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_wc;

/**
 * {@code struct ibv_wc}, by address: what {@link VerbsQueues#poll} fills an array with. Of one that failed only id,
 * status, vendor error and queue pair are valid. Nothing is allocated.
 */
public final class WorkCompletion
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)ibv_wc.sizeof();
    private static final long WR_ID = ibv_wc.wr_id$offset();
    private static final long STATUS = ibv_wc.status$offset();
    private static final long OPCODE = ibv_wc.opcode$offset();
    private static final long VENDOR_ERROR = ibv_wc.vendor_err$offset();
    private static final long BYTES = ibv_wc.byte_len$offset();
    private static final long IMMEDIATE = ibv_wc.imm_data$offset();
    private static final long QUEUE_PAIR = ibv_wc.qp_num$offset();
    private static final long SOURCE = ibv_wc.src_qp$offset();
    private static final long FLAGS = ibv_wc.wc_flags$offset();

    private WorkCompletion()
    {
    }

    /**
     * {@return the number of its request}
     *
     * @param address of the structure.
     */
    public static long id(final long address)
    {
        return NativeMemory.getLong(address + WR_ID);
    }

    /**
     * {@return {@code IBV_WC_*}, 0 for success}
     *
     * @param address of the structure.
     */
    public static int status(final long address)
    {
        return NativeMemory.getInt(address + STATUS);
    }

    /**
     * {@return {@code IBV_WC_*}, of what was completed}
     *
     * @param address of the structure.
     */
    public static int opcode(final long address)
    {
        return NativeMemory.getInt(address + OPCODE);
    }

    /**
     * {@return the device's own number of an error}
     *
     * @param address of the structure.
     */
    public static int vendorError(final long address)
    {
        return NativeMemory.getInt(address + VENDOR_ERROR);
    }

    /**
     * {@return how many bytes were received, or read}
     *
     * @param address of the structure.
     */
    public static int bytes(final long address)
    {
        return NativeMemory.getInt(address + BYTES);
    }

    /**
     * {@return immediate data, in network byte order, or the invalidated key}
     *
     * @param address of the structure.
     */
    public static int immediate(final long address)
    {
        return NativeMemory.getInt(address + IMMEDIATE);
    }

    /**
     * {@return the number of the queue pair}
     *
     * @param address of the structure.
     */
    public static int queuePair(final long address)
    {
        return NativeMemory.getInt(address + QUEUE_PAIR);
    }

    /**
     * {@return {@code IBV_WC_WITH_*}}
     *
     * @param address of the structure.
     */
    public static int flags(final long address)
    {
        return NativeMemory.getInt(address + FLAGS);
    }

    /**
     * {@return the number of the queue pair that sent a datagram}
     *
     * @param address of the structure.
     */
    public static int source(final long address)
    {
        return NativeMemory.getInt(address + SOURCE);
    }
}

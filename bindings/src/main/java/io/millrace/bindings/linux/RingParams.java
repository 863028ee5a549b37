package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.iouring.io_cqring_offsets;
import io.millrace.bindings.generated.iouring.io_sqring_offsets;
import io.millrace.bindings.generated.iouring.io_uring_params;

/**
 * {@code struct io_uring_params}, by address: what is asked of {@code io_uring_setup(2)} and what it answers, the
 * places of heads and tails in the mapped rings among it. Set-up only. The structure is zeroed by the caller.
 */
public final class RingParams
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)io_uring_params.sizeof();
    private static final long SQ_ENTRIES = io_uring_params.sq_entries$offset();
    private static final long CQ_ENTRIES = io_uring_params.cq_entries$offset();
    private static final long FLAGS = io_uring_params.flags$offset();
    private static final long SQ_THREAD_CPU = io_uring_params.sq_thread_cpu$offset();
    private static final long SQ_THREAD_IDLE = io_uring_params.sq_thread_idle$offset();
    private static final long FEATURES = io_uring_params.features$offset();
    private static final long WQ_FD = io_uring_params.wq_fd$offset();
    private static final long SQ_HEAD =
        io_uring_params.sq_off$offset() + io_sqring_offsets.head$offset();
    private static final long SQ_TAIL =
        io_uring_params.sq_off$offset() + io_sqring_offsets.tail$offset();
    private static final long SQ_RING_MASK =
        io_uring_params.sq_off$offset() + io_sqring_offsets.ring_mask$offset();
    private static final long SQ_RING_ENTRIES =
        io_uring_params.sq_off$offset() + io_sqring_offsets.ring_entries$offset();
    private static final long SQ_FLAGS =
        io_uring_params.sq_off$offset() + io_sqring_offsets.flags$offset();
    private static final long SQ_DROPPED =
        io_uring_params.sq_off$offset() + io_sqring_offsets.dropped$offset();
    private static final long SQ_ARRAY =
        io_uring_params.sq_off$offset() + io_sqring_offsets.array$offset();
    private static final long CQ_HEAD =
        io_uring_params.cq_off$offset() + io_cqring_offsets.head$offset();
    private static final long CQ_TAIL =
        io_uring_params.cq_off$offset() + io_cqring_offsets.tail$offset();
    private static final long CQ_RING_MASK =
        io_uring_params.cq_off$offset() + io_cqring_offsets.ring_mask$offset();
    private static final long CQ_RING_ENTRIES =
        io_uring_params.cq_off$offset() + io_cqring_offsets.ring_entries$offset();
    private static final long CQ_OVERFLOW =
        io_uring_params.cq_off$offset() + io_cqring_offsets.overflow$offset();
    private static final long CQ_CQES =
        io_uring_params.cq_off$offset() + io_cqring_offsets.cqes$offset();
    private static final long CQ_FLAGS =
        io_uring_params.cq_off$offset() + io_cqring_offsets.flags$offset();

    private RingParams()
    {
    }

    /**
     * Sets what is asked of the ring.
     *
     * @param address of the structure.
     * @param value   {@code IORING_SETUP_*}.
     */
    public static void flags(final long address, final int value)
    {
        NativeMemory.putInt(address + FLAGS, value);
    }

    /**
     * Sets the size of the completion queue; needs {@link IoUring#IORING_SETUP_CQSIZE}.
     *
     * @param address of the structure.
     * @param count   of entries.
     */
    public static void cqEntries(final long address, final int count)
    {
        NativeMemory.putInt(address + CQ_ENTRIES, count);
    }

    /**
     * {@return the flags that the ring has}
     *
     * @param address of the structure.
     */
    public static int flags(final long address)
    {
        return NativeMemory.getInt(address + FLAGS);
    }

    /**
     * {@return what the kernel says it can, {@code IORING_FEAT_*}}
     *
     * @param address of the structure.
     */
    public static int features(final long address)
    {
        return NativeMemory.getInt(address + FEATURES);
    }

    /**
     * {@return the size of the submission queue, a power of two}
     *
     * @param address of the structure.
     */
    public static int sqEntries(final long address)
    {
        return NativeMemory.getInt(address + SQ_ENTRIES);
    }

    /**
     * {@return the size of the completion queue, a power of two}
     *
     * @param address of the structure.
     */
    public static int cqEntries(final long address)
    {
        return NativeMemory.getInt(address + CQ_ENTRIES);
    }

    /**
     * {@return the offset in the submission ring mapping of the submission ring head}
     *
     * @param address of the structure.
     */
    public static int sqHeadOffset(final long address)
    {
        return NativeMemory.getInt(address + SQ_HEAD);
    }

    /**
     * {@return the offset in the submission ring mapping of the submission ring tail}
     *
     * @param address of the structure.
     */
    public static int sqTailOffset(final long address)
    {
        return NativeMemory.getInt(address + SQ_TAIL);
    }

    /**
     * {@return the offset in the submission ring mapping of the mask that turns head and tail into an index}
     *
     * @param address of the structure.
     */
    public static int sqRingMaskOffset(final long address)
    {
        return NativeMemory.getInt(address + SQ_RING_MASK);
    }

    /**
     * {@return the offset in the submission ring mapping of the number of entries}
     *
     * @param address of the structure.
     */
    public static int sqRingEntriesOffset(final long address)
    {
        return NativeMemory.getInt(address + SQ_RING_ENTRIES);
    }

    /**
     * {@return the offset in the submission ring mapping of the ring flags, {@code IORING_SQ_*}}
     *
     * @param address of the structure.
     */
    public static int sqFlagsOffset(final long address)
    {
        return NativeMemory.getInt(address + SQ_FLAGS);
    }

    /**
     * {@return the offset in the submission ring mapping of the count of invalid entries}
     *
     * @param address of the structure.
     */
    public static int sqDroppedOffset(final long address)
    {
        return NativeMemory.getInt(address + SQ_DROPPED);
    }

    /**
     * {@return the offset in the submission ring mapping of the index array; none with {@link
     * IoUring#IORING_SETUP_NO_SQARRAY}}
     *
     * @param address of the structure.
     */
    public static int sqArrayOffset(final long address)
    {
        return NativeMemory.getInt(address + SQ_ARRAY);
    }

    /**
     * {@return the offset in the completion ring mapping of the completion ring head}
     *
     * @param address of the structure.
     */
    public static int cqHeadOffset(final long address)
    {
        return NativeMemory.getInt(address + CQ_HEAD);
    }

    /**
     * {@return the offset in the completion ring mapping of the completion ring tail}
     *
     * @param address of the structure.
     */
    public static int cqTailOffset(final long address)
    {
        return NativeMemory.getInt(address + CQ_TAIL);
    }

    /**
     * {@return the offset in the completion ring mapping of the mask that turns head and tail into an index}
     *
     * @param address of the structure.
     */
    public static int cqRingMaskOffset(final long address)
    {
        return NativeMemory.getInt(address + CQ_RING_MASK);
    }

    /**
     * {@return the offset in the completion ring mapping of the number of entries}
     *
     * @param address of the structure.
     */
    public static int cqRingEntriesOffset(final long address)
    {
        return NativeMemory.getInt(address + CQ_RING_ENTRIES);
    }

    /**
     * {@return the offset in the completion ring mapping of the count of lost completions}
     *
     * @param address of the structure.
     */
    public static int cqOverflowOffset(final long address)
    {
        return NativeMemory.getInt(address + CQ_OVERFLOW);
    }

    /**
     * {@return the offset in the completion ring mapping of the first entry}
     *
     * @param address of the structure.
     */
    public static int cqCqesOffset(final long address)
    {
        return NativeMemory.getInt(address + CQ_CQES);
    }

    /**
     * {@return the offset in the completion ring mapping of the ring flags}
     *
     * @param address of the structure.
     */
    public static int cqFlagsOffset(final long address)
    {
        return NativeMemory.getInt(address + CQ_FLAGS);
    }
}

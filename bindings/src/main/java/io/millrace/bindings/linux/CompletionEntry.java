package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.iouring.io_uring_cqe;

/**
 * {@code struct io_uring_cqe}, by address: one entry of the completion queue. Stateless; read by the thread that owns
 * the ring, after the tail that covers it was acquired.
 */
public final class CompletionEntry
{
    /** Size of one entry. */
    public static final int SIZE_BYTES = (int)io_uring_cqe.sizeof();
    /** 64 bits: as submitted. */
    public static final long USER_DATA_OFFSET = io_uring_cqe.user_data$offset();
    /** 32 bits: result, or negated errno. */
    public static final long RESULT_OFFSET = io_uring_cqe.res$offset();
    /** 32 bits: {@code IORING_CQE_F_*}. */
    public static final long FLAGS_OFFSET = io_uring_cqe.flags$offset();

    private CompletionEntry()
    {
    }

    /**
     * {@return the user data of the submission}
     *
     * @param address of the entry.
     */
    public static long userData(final long address)
    {
        return NativeMemory.getLong(address + USER_DATA_OFFSET);
    }

    /**
     * {@return the result of the operation, or the negated errno}
     *
     * @param address of the entry.
     */
    public static int result(final long address)
    {
        return NativeMemory.getInt(address + RESULT_OFFSET);
    }

    /**
     * {@return the flags, {@code IORING_CQE_F_*}}
     *
     * @param address of the entry.
     */
    public static int flags(final long address)
    {
        return NativeMemory.getInt(address + FLAGS_OFFSET);
    }
}

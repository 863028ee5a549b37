package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.iouring.io_uring_sqe;

/**
 * {@code struct io_uring_sqe}, by address: one entry of the submission queue. Stateless; written by the thread that
 * owns the ring, before the tail that covers it is released.
 */
public final class SubmissionEntry
{
    /** Size of one entry. */
    public static final int SIZE_BYTES = (int)io_uring_sqe.sizeof();
    /** 8 bits: {@code IORING_OP_*}. */
    public static final long OPCODE_OFFSET = io_uring_sqe.opcode$offset();
    /** 8 bits: {@code IOSQE_*}. */
    public static final long FLAGS_OFFSET = io_uring_sqe.flags$offset();
    /** 16 bits: I/O priority, or flags of receive, send and accept. */
    public static final long IOPRIO_OFFSET = io_uring_sqe.ioprio$offset();
    /** 32 bits: descriptor, or index of a registered one. */
    public static final long FD_OFFSET = io_uring_sqe.fd$offset();
    /** 64 bits: offset in the file. */
    public static final long OFF_OFFSET = io_uring_sqe.off$offset();
    /** 64 bits: address of buffer or vectors. */
    public static final long ADDR_OFFSET = io_uring_sqe.addr$offset();
    /** 32 bits: length of the buffer in bytes, or count of vectors. */
    public static final long LEN_OFFSET = io_uring_sqe.len$offset();
    /** 32 bits: flags of the operation ({@code RWF_*}, {@code IORING_FSYNC_*}, {@code MSG_*}). */
    public static final long OPERATION_FLAGS_OFFSET = io_uring_sqe.rw_flags$offset();
    /** 64 bits: handed back with the completion. */
    public static final long USER_DATA_OFFSET = io_uring_sqe.user_data$offset();
    /** 16 bits: index of a registered buffer, or group of provided ones. */
    public static final long BUF_INDEX_OFFSET = io_uring_sqe.buf_index$offset();
    /** 16 bits: whose credentials are used. */
    public static final long PERSONALITY_OFFSET = io_uring_sqe.personality$offset();
    /** 32 bits: slot of a registered file to fill. */
    public static final long FILE_INDEX_OFFSET = io_uring_sqe.file_index$offset();
    /** 64 bits: one more argument of some operations. */
    public static final long ADDR3_OFFSET = io_uring_sqe.addr3$offset();
    private static final long LAST_WORD_OFFSET = SIZE_BYTES - Long.BYTES;

    private SubmissionEntry()
    {
    }

    /**
     * Fills a whole entry; what is not named is zero.
     *
     * @param address        of the entry.
     * @param opcode         {@code IORING_OP_*}.
     * @param flags          {@code IOSQE_*}.
     * @param fd             descriptor, or index of a registered one.
     * @param offsetBytes    in the file.
     * @param bufferAddress  of buffer or vectors.
     * @param length         of the buffer in bytes, or count of vectors.
     * @param operationFlags of the operation.
     * @param userData       handed back with the completion.
     * @param bufferIndex    of a registered buffer, or group of provided ones.
     */
    public static void set(
        final long address,
        final int opcode,
        final int flags,
        final int fd,
        final long offsetBytes,
        final long bufferAddress,
        final int length,
        final int operationFlags,
        final long userData,
        final int bufferIndex)
    {
        NativeMemory.putByte(address + OPCODE_OFFSET, (byte)opcode);
        NativeMemory.putByte(address + FLAGS_OFFSET, (byte)flags);
        NativeMemory.putShort(address + IOPRIO_OFFSET, (short)0);
        NativeMemory.putInt(address + FD_OFFSET, fd);
        NativeMemory.putLong(address + OFF_OFFSET, offsetBytes);
        NativeMemory.putLong(address + ADDR_OFFSET, bufferAddress);
        NativeMemory.putInt(address + LEN_OFFSET, length);
        NativeMemory.putInt(address + OPERATION_FLAGS_OFFSET, operationFlags);
        NativeMemory.putLong(address + USER_DATA_OFFSET, userData);
        NativeMemory.putShort(address + BUF_INDEX_OFFSET, (short)bufferIndex);
        NativeMemory.putShort(address + PERSONALITY_OFFSET, (short)0);
        NativeMemory.putInt(address + FILE_INDEX_OFFSET, 0);
        NativeMemory.putLong(address + ADDR3_OFFSET, 0L);
        NativeMemory.putLong(address + LAST_WORD_OFFSET, 0L);
    }
}

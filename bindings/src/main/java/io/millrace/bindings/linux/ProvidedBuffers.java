package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.iouring.io_uring_buf;
import io.millrace.bindings.generated.iouring.io_uring_buf_reg;

/**
 * A ring of buffers from which the kernel takes one for each receive ({@code struct io_uring_buf_ring}), by address,
 * and the argument of {@link IoUring#IORING_REGISTER_PBUF_RING}. The ring is an array of {@link #ENTRY_SIZE_BYTES}
 * entries, a power of two of them and at most 32768, at an address aligned to the page size. One thread fills it.
 */
public final class ProvidedBuffers
{
    /** Size of one entry of the ring. */
    public static final int ENTRY_SIZE_BYTES = (int)io_uring_buf.sizeof();
    /** Size of the argument that registers a ring. */
    public static final int REGISTRATION_SIZE_BYTES = (int)io_uring_buf_reg.sizeof();
    /** Where the 16-bit tail lies: over the unused last field of the first entry. */
    public static final long TAIL_OFFSET = io_uring_buf.resv$offset();
    private static final long ADDR_OFFSET = io_uring_buf.addr$offset();
    private static final long LEN_OFFSET = io_uring_buf.len$offset();
    private static final long BID_OFFSET = io_uring_buf.bid$offset();
    private static final long RING_ADDR_OFFSET = io_uring_buf_reg.ring_addr$offset();
    private static final long RING_ENTRIES_OFFSET = io_uring_buf_reg.ring_entries$offset();
    private static final long BGID_OFFSET = io_uring_buf_reg.bgid$offset();

    private ProvidedBuffers()
    {
    }

    /**
     * Fills the argument that registers a ring.
     *
     * @param address     of the argument.
     * @param ringAddress of the ring, aligned to the page size.
     * @param entries     of the ring, a power of two.
     * @param groupId     that receives name, 16 bits.
     */
    public static void register(final long address, final long ringAddress, final int entries, final int groupId)
    {
        NativeMemory.fill(address, REGISTRATION_SIZE_BYTES, (byte)0);
        NativeMemory.putLong(address + RING_ADDR_OFFSET, ringAddress);
        NativeMemory.putInt(address + RING_ENTRIES_OFFSET, entries);
        NativeMemory.putShort(address + BGID_OFFSET, (short)groupId);
    }

    /**
     * Puts a buffer into an entry; the kernel sees it when the tail passes it.
     *
     * @param entryAddress  of the entry.
     * @param bufferAddress of the buffer.
     * @param lengthBytes   of the buffer.
     * @param bufferId      that completions name, 16 bits.
     */
    public static void setEntry(
        final long entryAddress, final long bufferAddress, final int lengthBytes, final int bufferId)
    {
        NativeMemory.putLong(entryAddress + ADDR_OFFSET, bufferAddress);
        NativeMemory.putInt(entryAddress + LEN_OFFSET, lengthBytes);
        NativeMemory.putShort(entryAddress + BID_OFFSET, (short)bufferId);
    }

    /**
     * Hands the entries before a tail to the kernel, with release order.
     *
     * @param ringAddress of the ring.
     * @param tail        counts entries forever; its low 16 bits are stored.
     */
    public static void publishTail(final long ringAddress, final int tail)
    {
        NativeMemory.putShortRelease(ringAddress + TAIL_OFFSET, (short)tail);
    }
}

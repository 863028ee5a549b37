package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.IoUring;
import io.millrace.memory.DmaMemory;
import java.lang.foreign.Arena;
import java.util.List;

/**
 * Buffers registered with a ring, whose pages the kernel pins once. Ring's thread only.
 */
final class RegisteredBuffers
{
    // The kernel's bound for one registered buffer.
    private static final long BUFFER_BYTES_MAX = 1L << 30;
    private static final int IOVEC_BYTES = 16;
    // struct io_uring_files_update: offset, reserved, address of the new descriptors; -1 empties a place.
    private static final int FILES_UPDATE_BYTES = 16;
    private static final int FILES_UPDATE_FDS_OFFSET = 8;
    private static final int NO_FILE = -1;

    private final long[] starts;
    private final long[] ends;
    private final String note;

    /**
     * Registers memory; I/O works without registration when the kernel refuses.
     *
     * @param ring    to register it with.
     * @param regions of memory; longer ones become several buffers.
     */
    RegisteredBuffers(final Ring ring, final List<DmaMemory> regions)
    {
        int count = 0;
        for (final DmaMemory region : regions)
        {
            count += (int)((region.lengthBytes() + BUFFER_BYTES_MAX - 1) / BUFFER_BYTES_MAX);
        }
        final long[] allStarts = new long[count];
        final long[] allEnds = new long[count];
        int index = 0;
        for (final DmaMemory region : regions)
        {
            final long end = region.address() + region.lengthBytes();
            for (long start = region.address(); start < end; start += BUFFER_BYTES_MAX)
            {
                allStarts[index] = start;
                allEnds[index] = Math.min(end, start + BUFFER_BYTES_MAX);
                index++;
            }
        }
        final int result = 0 == count ? 0 : register(ring, allStarts, allEnds);
        if (result < 0)
        {
            starts = new long[0];
            ends = starts;
            note = "buffers are not registered with io_uring (" + Errno.describe(-result) + "): " +
                (-Errno.ENOMEM == result ? "raise the limit on locked memory (ulimit -l)" : "I/O works without");
        }
        else
        {
            starts = allStarts;
            ends = allEnds;
            note = null;
        }
    }

    /**
     * {@return why buffers are not registered, null when they are}
     */
    String note()
    {
        return note;
    }

    /**
     * {@return number of the buffer that a range lies in, -1 when it lies in none}
     *
     * @param address     of the range.
     * @param lengthBytes of the range.
     */
    int find(final long address, final int lengthBytes)
    {
        for (int i = 0; i < starts.length; i++)
        {
            if (address >= starts[i] && address + lengthBytes <= ends[i])
            {
                return i;
            }
        }
        return -1;
    }

    /**
     * Makes a descriptor number 0 of a ring, which saves looking it up for each I/O.
     *
     * @return false when the kernel refused.
     */
    static boolean registerFile(final Ring ring, final int fd)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long fds = arena.allocate(Integer.BYTES, Integer.BYTES).address();
            NativeMemory.putInt(fds, fd);
            return 0 == ring.register(IoUring.IORING_REGISTER_FILES, fds, 1);
        }
    }

    /**
     * Releases the descriptor. A closed ring is destroyed later and would hold the file, and its lock, until then.
     * Unregistering is not used, since it waits for outstanding I/O: indefinitely when the drive does not answer, and
     * on Linux 6.1 also with polled completions.
     *
     * @param ring that knows it.
     */
    static void forgetFile(final Ring ring)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long fds = arena.allocate(Integer.BYTES, Integer.BYTES).address();
            NativeMemory.putInt(fds, NO_FILE);
            final long update = arena.allocate(FILES_UPDATE_BYTES, Long.BYTES).address();
            NativeMemory.putLong(update + FILES_UPDATE_FDS_OFFSET, fds);
            ring.register(IoUring.IORING_REGISTER_FILES_UPDATE, update, 1);
        }
    }

    private static int register(final Ring ring, final long[] starts, final long[] ends)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long iovecs = arena.allocate((long)starts.length * IOVEC_BYTES, 8).address();
            for (int i = 0; i < starts.length; i++)
            {
                NativeMemory.putLong(iovecs + (long)i * IOVEC_BYTES, starts[i]);
                NativeMemory.putLong(iovecs + (long)i * IOVEC_BYTES + Long.BYTES, ends[i] - starts[i]);
            }
            return ring.register(IoUring.IORING_REGISTER_BUFFERS, iovecs, starts.length);
        }
    }
}

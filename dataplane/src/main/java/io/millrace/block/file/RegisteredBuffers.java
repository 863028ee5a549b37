package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.IoUring;
import io.millrace.memory.AddressRanges;
import java.lang.foreign.Arena;
import java.util.BitSet;

/**
 * Buffers registered with a ring, whose pages the kernel pins once. I/O works without registration when the kernel
 * refuses. Used by the thread that makes the ring, then by the ring's thread alone.
 * <p>
 * The kernel's table is made empty and filled range by range (Linux 5.19). Older kernels take a table only when it is
 * made: later ranges are not registered there.
 */
final class RegisteredBuffers
{
    /** The kernel's bound for one registered buffer. */
    static final long BUFFER_BYTES_MAX = 1L << 30;
    /** Places of a table that is filled later. A place costs the kernel some bytes. */
    static final int PLACES = 1024;

    private static final int IOVEC_BYTES = 16;
    // struct io_uring_rsrc_register: places, flags, reserved, address of iovecs, of tags.
    private static final int RSRC_REGISTER_BYTES = 32;
    private static final int RSRC_REGISTER_FLAGS_OFFSET = 4;
    // struct io_uring_rsrc_update2: first place, reserved, address of iovecs, of tags, count, reserved.
    private static final int RSRC_UPDATE_BYTES = 32;
    private static final int RSRC_UPDATE_DATA_OFFSET = 8;
    private static final int RSRC_UPDATE_COUNT_OFFSET = 24;
    // linux/io_uring.h; its argument's length stands where others have a count.
    private static final int IORING_REGISTER_BUFFERS_UPDATE = 16;
    // struct io_uring_files_update: offset, reserved, address of the new descriptors; -1 empties a place.
    private static final int FILES_UPDATE_BYTES = 16;
    private static final int FILES_UPDATE_FDS_OFFSET = 8;
    private static final int NO_FILE = -1;

    private final Ring ring;
    private final boolean isFilledLater;
    private final BitSet usedPlaces = new BitSet();
    /** With the numbers of their places. */
    private AddressRanges ranges = AddressRanges.NONE;

    private RegisteredBuffers(final Ring ring, final boolean isFilledLater)
    {
        this.ring = ring;
        this.isFilledLater = isFilledLater;
    }

    /**
     * Makes a table without buffers.
     *
     * @param ring to register them with.
     * @return the table.
     */
    static RegisteredBuffers of(final Ring ring)
    {
        return new RegisteredBuffers(ring, makeTable(ring));
    }

    /** As on a kernel that takes a table only when it is made. */
    static RegisteredBuffers ofOlderKernel(final Ring ring)
    {
        return new RegisteredBuffers(ring, false);
    }

    private static boolean makeTable(final Ring ring)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long table = arena.allocate(RSRC_REGISTER_BYTES, Long.BYTES).address();
            NativeMemory.putInt(table, PLACES);
            NativeMemory.putInt(table + RSRC_REGISTER_FLAGS_OFFSET, IoUring.IORING_RSRC_REGISTER_SPARSE);
            return 0 == ring.register(IoUring.IORING_REGISTER_BUFFERS2, table, RSRC_REGISTER_BYTES);
        }
    }

    /**
     * Registers ranges of memory, each as one buffer, or none of them.
     *
     * @param added with any values; each up to {@link #BUFFER_BYTES_MAX}, none registered now.
     * @return why they are not registered, null when they are.
     */
    String add(final AddressRanges added)
    {
        if (0 == added.count())
        {
            return null;
        }
        if (usedPlaces.cardinality() + added.count() > PLACES)
        {
            return "more than " + PLACES + " are not registered with io_uring: I/O works without";
        }
        return isFilledLater ? addEach(added) : addTable(added);
    }

    private String addEach(final AddressRanges added)
    {
        for (int i = 0; i < added.count(); i++)
        {
            final int place = usedPlaces.nextClearBit(0);
            final long lengthBytes = added.end(i) - added.start(i);
            final int result = update(place, added.start(i), lengthBytes);
            if (result < 0)
            {
                for (int undone = 0; undone < i; undone++)
                {
                    remove(added.start(undone), added.end(undone) - added.start(undone));
                }
                return refusal(-result);
            }
            usedPlaces.set(place);
            ranges = ranges.with(added.start(i), lengthBytes, place);
        }
        return null;
    }

    private String addTable(final AddressRanges added)
    {
        if (0 != usedPlaces.cardinality())
        {
            return "memory that came later is not registered with io_uring, since this kernel is older than 5.19: " +
                "I/O works without";
        }
        try (Arena arena = Arena.ofConfined())
        {
            final long iovecs = arena.allocate((long)added.count() * IOVEC_BYTES, Long.BYTES).address();
            AddressRanges all = AddressRanges.NONE;
            for (int i = 0; i < added.count(); i++)
            {
                final long lengthBytes = added.end(i) - added.start(i);
                putIovec(iovecs + (long)i * IOVEC_BYTES, added.start(i), lengthBytes);
                all = all.with(added.start(i), lengthBytes, i);
            }
            final int result = ring.register(IoUring.IORING_REGISTER_BUFFERS, iovecs, added.count());
            if (result < 0)
            {
                return refusal(-result);
            }
            usedPlaces.set(0, added.count());
            ranges = all;
            return null;
        }
    }

    private static String refusal(final int errno)
    {
        final String effect = switch (errno)
        {
            case Errno.ENOMEM -> "raise the limit on locked memory (ulimit -l)";
            case Errno.EFAULT -> "the kernel cannot pin them, so only I/O through the page cache works";
            default -> "I/O works without";
        };
        return "buffers are not registered with io_uring (" + Errno.describe(errno) + "): " + effect;
    }

    /**
     * Removes buffers. What is under way ends with the pages it has. Where the kernel's table cannot change, the pages
     * stay pinned until the ring is closed, and are not used.
     *
     * @param address     where the first of them begins.
     * @param lengthBytes all that begin in it are removed.
     */
    void remove(final long address, final long lengthBytes)
    {
        for (int i = 0; i < ranges.count(); i++)
        {
            final long start = ranges.start(i);
            if (start >= address && start - address < lengthBytes && isFilledLater)
            {
                final int place = (int)ranges.value(i);
                update(place, 0, 0);
                usedPlaces.clear(place);
            }
        }
        ranges = ranges.without(address, lengthBytes);
    }

    /**
     * {@return number of the buffer that a range lies in, -1 when it lies in none}
     *
     * @param address     of the range.
     * @param lengthBytes of the range; positive.
     */
    int find(final long address, final int lengthBytes)
    {
        final int index = ranges.find(address, lengthBytes);
        return AddressRanges.NOT_FOUND == index ? -1 : (int)ranges.value(index);
    }

    private int update(final int place, final long address, final long lengthBytes)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long iovec = arena.allocate(IOVEC_BYTES, Long.BYTES).address();
            putIovec(iovec, address, lengthBytes);
            final long update = arena.allocate(RSRC_UPDATE_BYTES, Long.BYTES).address();
            NativeMemory.putInt(update, place);
            NativeMemory.putLong(update + RSRC_UPDATE_DATA_OFFSET, iovec);
            NativeMemory.putInt(update + RSRC_UPDATE_COUNT_OFFSET, 1);
            return ring.register(IORING_REGISTER_BUFFERS_UPDATE, update, RSRC_UPDATE_BYTES);
        }
    }

    private static void putIovec(final long iovec, final long address, final long lengthBytes)
    {
        NativeMemory.putLong(iovec, address);
        NativeMemory.putLong(iovec + Long.BYTES, lengthBytes);
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
}

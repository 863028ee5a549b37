package io.millrace.block.nvme.queue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockRequest;
import io.millrace.memory.AddressRanges;
import io.millrace.memory.Segments;
import io.millrace.nvme.SglDescriptor;

/**
 * Writes the data pointer of commands: as physical region pages (PRP; NVM Express Base 2.0, section 4.1.1) where the
 * memory allows it, which is the shortest, else as a scatter gather list (SGL; section 4.1.2) where the controller
 * takes those. A PRP entry is a page: only the first may begin inside of one, only the last may end inside of one.
 * Lists lie in memory of the command's slot. Computes how much of a request one command can transfer. Single-threaded.
 */
public final class DataPointer
{
    /** Last segment descriptor, sub type address, as the last byte of a descriptor. */
    private static final long LAST_SEGMENT = 0x30L << 56;
    private static final int FLAGS_OFFSET = 1;
    private static final int PRP1_OFFSET = 24;
    private static final int PRP2_OFFSET = 32;
    private static final int NOT_MAPPED = -1;
    /** A segment may cross the end of one mapping: regions are longer than a transfer, and grow by mappings. */
    private static final int RUN_COUNT_MAX = 2 * Segments.COUNT_MAX;

    private final PayloadMemory payload;
    private final int pageBytes;
    private final boolean isSglSupported;
    /** What one command moves of the request that is looked at. */
    private final Segments part = new Segments();
    // What lies one behind the other for the controller: of that part.
    private final long[] runIovas = new long[RUN_COUNT_MAX];
    private final int[] runLengths = new int[RUN_COUNT_MAX];

    /**
     * Set up once a channel.
     *
     * @param payload        memory that requests point into.
     * @param pageShift      log2 of the controller's memory page.
     * @param isSglSupported whether the controller takes scatter gather lists.
     */
    public DataPointer(final PayloadMemory payload, final int pageShift, final boolean isSglSupported)
    {
        this.payload = payload;
        this.isSglSupported = isSglSupported;
        pageBytes = 1 << pageShift;
    }

    /**
     * {@return bytes that a slot needs for its lists, a power of two}
     *
     * @param transferBytesMax of one command.
     * @param pageShift        log2 of the controller's memory page.
     */
    public static int listBytes(final int transferBytesMax, final int pageShift)
    {
        // Not aligned, a transfer touches one page more than its length has; the first page stands in the entry.
        final int pages = (transferBytesMax + (1 << pageShift) - 1 >>> pageShift) * Long.BYTES;
        final int descriptors = RUN_COUNT_MAX * SglDescriptor.SIZE_BYTES;
        return Integer.highestOneBit(Math.max(pages, descriptors) * 2 - 1);
    }

    /**
     * Computes how much of a request's payload one command can transfer, by the layout of its memory.
     *
     * @param request     with segments.
     * @param offsetBytes of the payload to begin at.
     * @param lengthBytes wanted from there.
     * @param blockBytes  what the answer is a multiple of; segments' lengths are, so it is at least that.
     * @return bytes, up to lengthBytes.
     */
    public int reach(final BlockRequest request, final int offsetBytes, final int lengthBytes, final int blockBytes)
    {
        if (isSglSupported || 1 == request.segments().count())
        {
            return lengthBytes;
        }
        final int count = findRuns(request, offsetBytes, lengthBytes);
        int reached = 0;
        for (int i = 0; i < count; i++)
        {
            if (i > 0 && !isPageBoundary(i))
            {
                return wholeBlocks(request, reached, blockBytes);
            }
            reached += runLengths[i];
        }
        // Unmapped memory is detected when the command is written.
        return lengthBytes;
    }

    private static int wholeBlocks(final BlockRequest request, final int reachedBytes, final int blockBytes)
    {
        if (reachedBytes < blockBytes)
        {
            throw new IllegalStateException("no block of " + blockBytes + " bytes within one segment of " +
                request.segments() + ": segments of this drive are multiples of the block size, as its geometry says");
        }
        return reachedBytes / blockBytes * blockBytes;
    }

    /**
     * Writes the data pointer for part of a request.
     *
     * @param entry       of the command, whose flags byte is written by now.
     * @param request     with segments.
     * @param offsetBytes of the payload to begin at.
     * @param lengthBytes up to what {@link #reach} answered.
     * @param listAddress of the slot's list.
     * @param listIova    of the slot's list.
     * @return false when memory is not mapped for the controller.
     */
    public boolean put(
        final long entry,
        final BlockRequest request,
        final int offsetBytes,
        final int lengthBytes,
        final long listAddress,
        final long listIova)
    {
        if (1 == request.segments().count())
        {
            final long iova = payload.iova(request.segments().address(0) + offsetBytes, lengthBytes);
            if (PayloadMemory.NOT_MAPPED != iova)
            {
                putRun(entry, iova, lengthBytes, listAddress, listIova);
                return true;
            }
        }
        final int count = findRuns(request, offsetBytes, lengthBytes);
        if (NOT_MAPPED == count)
        {
            return false;
        }
        if (1 == count)
        {
            putRun(entry, runIovas[0], lengthBytes, listAddress, listIova);
        }
        else if (areAllPageBoundaries(count))
        {
            putPagedRuns(entry, count, listAddress, listIova);
        }
        else
        {
            putScatterGatherList(entry, count, listAddress, listIova);
        }
        return true;
    }

    /**
     * Writes PRP1 and PRP2 for one run of addresses.
     *
     * @param entry       of the command.
     * @param iova        of the first byte.
     * @param lengthBytes of the run.
     * @param listAddress of the slot's list.
     * @param listIova    of the slot's list.
     */
    public void putRun(
        final long entry, final long iova, final int lengthBytes, final long listAddress, final long listIova)
    {
        NativeMemory.putLong(entry + PRP1_OFFSET, iova);
        final int firstBytes = pageBytes - (int)(iova & (pageBytes - 1));
        final int leftBytes = lengthBytes - firstBytes;
        if (leftBytes <= 0)
        {
            NativeMemory.putLong(entry + PRP2_OFFSET, 0);
        }
        else if (leftBytes <= pageBytes)
        {
            NativeMemory.putLong(entry + PRP2_OFFSET, iova + firstBytes);
        }
        else
        {
            putPages(listAddress, iova + firstBytes, leftBytes);
            NativeMemory.putLong(entry + PRP2_OFFSET, listIova);
        }
    }

    /** Answers how many runs there are, or {@link #NOT_MAPPED}. */
    private int findRuns(final BlockRequest request, final int offsetBytes, final int lengthBytes)
    {
        request.segments().slice(offsetBytes, lengthBytes, part);
        final AddressRanges ranges = payload.ranges();
        int count = 0;
        for (int i = 0; i < part.count(); i++)
        {
            count = addRuns(ranges, part.address(i), part.lengthBytes(i), count);
            if (NOT_MAPPED == count)
            {
                return NOT_MAPPED;
            }
        }
        return count;
    }

    /** Adds what one segment has; answers how many runs there are then, or {@link #NOT_MAPPED}. */
    private int addRuns(final AddressRanges ranges, final long address, final int lengthBytes, final int countBefore)
    {
        int count = countBefore;
        for (int done = 0; done < lengthBytes; )
        {
            final int index = ranges.find(address + done);
            if (AddressRanges.NOT_FOUND == index)
            {
                return NOT_MAPPED;
            }
            final int length = (int)Math.min(lengthBytes - done, ranges.end(index) - (address + done));
            final long iova = ranges.value(index) + (address + done - ranges.start(index));
            if (count > 0 && runIovas[count - 1] + runLengths[count - 1] == iova)
            {
                runLengths[count - 1] += length;
            }
            else if (RUN_COUNT_MAX == count)
            {
                return NOT_MAPPED;
            }
            else
            {
                runIovas[count] = iova;
                runLengths[count] = length;
                count++;
            }
            done += length;
        }
        return count;
    }

    /** Whether the run before ends and this one begins at a page. */
    private boolean isPageBoundary(final int index)
    {
        final long endBefore = runIovas[index - 1] + runLengths[index - 1];
        return 0 == ((endBefore | runIovas[index]) & (pageBytes - 1));
    }

    private boolean areAllPageBoundaries(final int count)
    {
        boolean areAll = true;
        for (int i = 1; i < count; i++)
        {
            areAll &= isPageBoundary(i);
        }
        return areAll;
    }

    private void putPagedRuns(final long entry, final int count, final long listAddress, final long listIova)
    {
        final int inFirst = Math.min(runLengths[0], pageBytes - (int)(runIovas[0] & (pageBytes - 1)));
        NativeMemory.putLong(entry + PRP1_OFFSET, runIovas[0]);
        long list = putPages(listAddress, runIovas[0] + inFirst, runLengths[0] - inFirst);
        for (int i = 1; i < count; i++)
        {
            list = putPages(list, runIovas[i], runLengths[i]);
        }
        final boolean isOnePage = Long.BYTES == list - listAddress;
        NativeMemory.putLong(entry + PRP2_OFFSET, isOnePage ? NativeMemory.getLong(listAddress) : listIova);
    }

    /** Answers the address behind what was written. */
    private long putPages(final long list, final long iova, final int lengthBytes)
    {
        long next = list;
        for (int done = 0; done < lengthBytes; done += pageBytes)
        {
            NativeMemory.putLong(next, iova + done);
            next += Long.BYTES;
        }
        return next;
    }

    private void putScatterGatherList(final long entry, final int count, final long listAddress, final long listIova)
    {
        for (int i = 0; i < count; i++)
        {
            final long descriptor = listAddress + (long)i * SglDescriptor.SIZE_BYTES;
            NativeMemory.putLong(descriptor, runIovas[i]);
            // Type and sub type of a data block with an address are 0.
            NativeMemory.putLong(descriptor + Long.BYTES, runLengths[i]);
        }
        NativeMemory.putByte(entry + FLAGS_OFFSET,
            (byte)(NativeMemory.getByte(entry + FLAGS_OFFSET) | SglDescriptor.FLAGS_PSDT_SGL));
        NativeMemory.putLong(entry + PRP1_OFFSET, listIova);
        NativeMemory.putLong(entry + PRP2_OFFSET, (long)count * SglDescriptor.SIZE_BYTES | LAST_SEGMENT);
    }
}

package io.millrace.nvmf.initiator.rdma;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.rdma.endpoint.RdmaDomain;
import io.millrace.rdma.endpoint.RdmaRegion;
import io.millrace.rdma.endpoint.RegionAccess;
import java.util.BitSet;

/**
 * Memory of a queue that the peer reads and writes in place of a payload which one keyed descriptor cannot name: in
 * several pieces, or not registered. Ranges of whole pages, each in one piece; first fit. Pages are pinned only from
 * the first use on, and not longer than the connection lives. One queue's; nothing is allocated for a command.
 */
final class BounceBuffer implements AutoCloseable
{
    /** Answer when no range is free that is long enough. */
    static final long NONE = 0;
    private static final int PAGE_BYTES = 4096;

    private final HostMemory memory;
    private int pages;
    private final BitSet taken;
    private RdmaRegion region;

    /** Maps as much as any queue needs; what a queue does not use has no pages. */
    BounceBuffer(final int lengthBytesMax)
    {
        memory = new HostMemory(lengthBytesMax);
        pages = memory.lengthBytes() / PAGE_BYTES;
        taken = new BitSet(pages);
    }

    /**
     * Sets how much of it the next connection uses. Nothing is taken or registered.
     *
     * @param lengthBytes whole pages, at most what is mapped.
     */
    void lengthBytes(final int lengthBytes)
    {
        pages = lengthBytes / PAGE_BYTES;
    }

    int lengthBytes()
    {
        return pages * PAGE_BYTES;
    }

    /**
     * Registers it unless it is.
     *
     * @param domain of the present connection.
     * @throws io.millrace.rdma.RdmaException when the kernel or the device refuses, with what to check.
     */
    void ensureRegistered(final RdmaDomain domain)
    {
        if (null == region)
        {
            region = domain.register(memory.address(), lengthBytes(), RegionAccess.REMOTE_READ_WRITE);
        }
    }

    /** The queue pair is gone, and all commands of the connection with it. */
    void deregister()
    {
        taken.clear();
        if (null != region)
        {
            region.close();
            region = null;
        }
    }

    int localKey()
    {
        return region.localKey();
    }

    int remoteKey()
    {
        return region.remoteKey();
    }

    /**
     * Takes a range.
     *
     * @param lengthBytes of the payload; positive.
     * @return its address; {@link #NONE} when none is free now.
     */
    long take(final int lengthBytes)
    {
        final int wanted = pages(lengthBytes);
        int start = taken.nextClearBit(0);
        while (start + wanted <= pages)
        {
            final int end = taken.nextSetBit(start);
            if (end < 0 || end - start >= wanted)
            {
                taken.set(start, start + wanted);
                return memory.address() + (long)start * PAGE_BYTES;
            }
            start = taken.nextClearBit(end);
        }
        return NONE;
    }

    /**
     * Gives a range back.
     *
     * @param address     that {@link #take} gave.
     * @param lengthBytes that it was asked for.
     */
    void give(final long address, final int lengthBytes)
    {
        final int start = (int)((address - memory.address()) / PAGE_BYTES);
        taken.clear(start, start + pages(lengthBytes));
    }

    /** A peer that answers without having written must not show one command the payload of another. */
    static void clear(final long address, final int lengthBytes)
    {
        NativeMemory.fill(address, lengthBytes, (byte)0);
    }

    /** {@return bytes of the ranges that are taken} */
    int takenBytes()
    {
        return taken.cardinality() * PAGE_BYTES;
    }

    private static int pages(final int lengthBytes)
    {
        return (lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES;
    }

    @Override
    public void close()
    {
        memory.close();
    }
}

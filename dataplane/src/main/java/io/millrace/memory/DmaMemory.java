package io.millrace.memory;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Mappings;

/**
 * One mapping of memory for I/O: from hugepages where there are enough, else ordinary pages that the kernel is asked to make
 * huge. Mapped and freed off the reactors; its parts may be used by any thread they were given to.
 */
public final class DmaMemory implements AutoCloseable
{
    /** What pages a mapping got. */
    public enum Backing
    {
        /** From the hugepage pool of the kernel. */
        HUGEPAGES,
        /** Ordinary pages, transparent huge pages asked for. */
        TRANSPARENT_HUGEPAGES
    }

    private static final long HUGEPAGE_BYTES = 2L << 20;

    private final long address;
    private final long lengthBytes;
    private final Backing backing;
    private long allocatedBytes;

    private DmaMemory(final long address, final long lengthBytes, final Backing backing)
    {
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.backing = backing;
    }

    /**
     * Maps memory. Pages are zero.
     *
     * @param lengthBytes wanted; rounded up to 2 MiB.
     * @return the mapping.
     * @throws NativeException when there is not so much memory.
     */
    public static DmaMemory map(final long lengthBytes)
    {
        final long rounded = (lengthBytes + HUGEPAGE_BYTES - 1) & -HUGEPAGE_BYTES;
        final int protection = Mappings.PROT_READ | Mappings.PROT_WRITE;
        final int flags = Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS;
        final long huge = Mappings.mmap(0, rounded, protection,
            flags | Mappings.MAP_HUGETLB | (21 << Mappings.MAP_HUGE_SHIFT), -1, 0);
        if (huge > 0)
        {
            return new DmaMemory(huge, rounded, Backing.HUGEPAGES);
        }
        final long padded = NativeException.check("mmap of " + rounded + " bytes",
            Mappings.mmap(0, rounded + HUGEPAGE_BYTES, protection, flags, -1, 0));
        final long aligned = (padded + HUGEPAGE_BYTES - 1) & -HUGEPAGE_BYTES;
        if (aligned > padded)
        {
            Mappings.munmap(padded, aligned - padded);
        }
        final long tail = padded + rounded + HUGEPAGE_BYTES - (aligned + rounded);
        if (tail > 0)
        {
            Mappings.munmap(aligned + rounded, tail);
        }
        Mappings.madvise(aligned, rounded, Mappings.MADV_HUGEPAGE);
        return new DmaMemory(aligned, rounded, Backing.TRANSPARENT_HUGEPAGES);
    }

    /**
     * {@return address of the first byte; a multiple of 2 MiB}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return length of the mapping in bytes}
     */
    public long lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return what pages it got}
     */
    public Backing backing()
    {
        return backing;
    }

    /**
     * Sets a part aside for ever. Set-up only.
     *
     * @param partBytes      how much; positive.
     * @param alignmentBytes a power of two.
     * @return its address.
     */
    public synchronized long allocate(final long partBytes, final long alignmentBytes)
    {
        final long start = (allocatedBytes + alignmentBytes - 1) & -alignmentBytes;
        if (start + partBytes > lengthBytes)
        {
            throw new IllegalStateException("dma memory: " + partBytes + " bytes asked for, " +
                (lengthBytes - start) + " of " + lengthBytes + " left: raise memory");
        }
        allocatedBytes = start + partBytes;
        return address + start;
    }

    /**
     * Unmaps. Nothing may use it any more, the kernel and devices included.
     */
    @Override
    public void close()
    {
        Mappings.munmap(address, lengthBytes);
    }
}

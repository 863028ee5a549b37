package io.millrace.memory;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Mappings;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One mapping of memory for I/O: from hugepages where there are enough, else ordinary pages that the kernel is asked to
 * make huge. Left out of core dumps, which would contain user data. Mapped and freed off the reactors; its parts may be
 * used by any thread they were given to.
 */
public final class DmaMemory implements AutoCloseable
{
    /** Page type of a mapping. */
    public enum Backing
    {
        /** From the hugepage pool of the kernel. */
        HUGEPAGES,
        /** Ordinary pages, transparent huge pages asked for. */
        TRANSPARENT_HUGEPAGES
    }

    private static final int PROTECTION = Mappings.PROT_READ | Mappings.PROT_WRITE;
    private static final int FLAGS = Mappings.MAP_PRIVATE | Mappings.MAP_ANONYMOUS;
    private static final int HUGEPAGE_FLAGS =
        FLAGS | Mappings.MAP_HUGETLB | Long.numberOfTrailingZeros(Hugepages.PAGE_BYTES) << Mappings.MAP_HUGE_SHIFT;
    /** User addresses have 47 bits or more; one bit is kept for rounding up. */
    private static final long LENGTH_BYTES_MAX = 1L << 46;
    private static final int TOUCH_BYTES = 4096;
    /** No access: addresses are taken, memory is not. */
    private static final int PROT_NONE = 0;
    // Linux, asm-generic/mman.h and asm-generic/mman-common.h: no pages are set aside; pages are given back.
    private static final int MAP_NORESERVE = 0x4000;
    private static final int MADV_DONTNEED = 4;

    private static final AtomicLong MAPPED_BYTES = new AtomicLong();
    private static final AtomicLong HUGEPAGE_BYTES = new AtomicLong();

    private final long address;
    private final long reservedBytes;
    private volatile long lengthBytes;
    private final Backing backing;
    private MemoryRegistry registry;
    private volatile MemoryRegion region;
    private long allocatedBytes;
    private boolean closed;

    private DmaMemory(
        final long address,
        final long lengthBytes,
        final long reservedBytes,
        final Backing backing)
    {
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.reservedBytes = reservedBytes;
        this.backing = backing;
        count(lengthBytes);
    }

    /**
     * {@return bytes of all mappings of this process that are open now; any thread}
     */
    public static long mappedBytes()
    {
        return MAPPED_BYTES.get();
    }

    /**
     * {@return how many of {@link #mappedBytes()} are in hugepages of the kernel's pool}
     */
    public static long hugepageBytes()
    {
        return HUGEPAGE_BYTES.get();
    }

    private void count(final long addedBytes)
    {
        MAPPED_BYTES.addAndGet(addedBytes);
        if (Backing.HUGEPAGES == backing)
        {
            HUGEPAGE_BYTES.addAndGet(addedBytes);
        }
    }

    /**
     * Maps memory; ordinary pages come when they are first touched. Pages are zero.
     *
     * @param lengthBytes wanted; positive, rounded up to 2 MiB.
     * @return the mapping.
     * @throws NativeException when there is not so much memory.
     */
    public static DmaMemory map(final long lengthBytes)
    {
        return map(lengthBytes, false);
    }

    /**
     * Maps memory. Pages are zero.
     *
     * @param lengthBytes wanted; positive, rounded up to 2 MiB.
     * @param preFault    whether ordinary pages are brought in now, which takes a while, instead of at their first
     *                    touch; hugepages always are.
     * @return the mapping.
     * @throws NativeException when there is not so much memory.
     */
    public static DmaMemory map(final long lengthBytes, final boolean preFault)
    {
        if (lengthBytes <= 0 || lengthBytes > LENGTH_BYTES_MAX)
        {
            throw new IllegalArgumentException(
                "dma memory: " + lengthBytes + " bytes is not between 1 and " + LENGTH_BYTES_MAX);
        }
        final long rounded = rounded(lengthBytes);
        final DmaMemory huge = mapHugepages(rounded);
        return null != huge ? huge : mapOrdinary(rounded, preFault);
    }

    /**
     * Maps memory that can {@link #grow}: addresses for more are taken at once, which costs no memory. Pages are zero,
     * and ordinary ones come when they are first touched. Where there are not so many addresses, it cannot grow.
     *
     * @param lengthBytes   wanted; positive, rounded up to 2 MiB.
     * @param reservedBytes wanted at most.
     * @return the mapping.
     * @throws NativeException when there is not so much memory.
     */
    public static DmaMemory mapGrowable(final long lengthBytes, final long reservedBytes)
    {
        if (lengthBytes <= 0 || reservedBytes > LENGTH_BYTES_MAX || lengthBytes >= reservedBytes)
        {
            return map(lengthBytes);
        }
        final long rounded = rounded(lengthBytes);
        final long reserved = rounded(reservedBytes);
        final DmaMemory huge = mapGrowable(rounded, reserved, Backing.HUGEPAGES);
        final DmaMemory memory =
            null != huge ? huge : mapGrowable(rounded, reserved, Backing.TRANSPARENT_HUGEPAGES);
        return null != memory ? memory : map(lengthBytes);
    }

    /** Returns null when these pages, or so many addresses, are unavailable. */
    private static DmaMemory mapGrowable(final long lengthBytes, final long reservedBytes, final Backing backing)
    {
        final long start = reserve(reservedBytes, backing);
        if (start < 0)
        {
            return null;
        }
        if (open(start, lengthBytes, backing) < 0)
        {
            Mappings.munmap(start, reservedBytes);
            return null;
        }
        return new DmaMemory(start, lengthBytes, reservedBytes, backing);
    }

    /**
     * Maps more memory behind what there is. Off the reactors.
     *
     * @param newLengthBytes wanted; rounded up to 2 MiB.
     * @return false when there are not enough addresses; the mapping is unchanged then.
     * @throws NativeException when there is not so much memory; the mapping is unchanged then.
     * @throws MemoryException when it is announced and a listener refuses the addition; the mapping is unchanged then.
     */
    public synchronized boolean grow(final long newLengthBytes)
    {
        if (closed || newLengthBytes <= 0 || newLengthBytes > reservedBytes)
        {
            return false;
        }
        final long addedBytes = rounded(newLengthBytes) - lengthBytes;
        if (addedBytes > 0)
        {
            final long addedAddress = address + lengthBytes;
            checkMemory(addedBytes, open(addedAddress, addedBytes, backing));
            if (null != registry)
            {
                announceGrowth(addedAddress, addedBytes);
            }
            lengthBytes += addedBytes;
            count(addedBytes);
        }
        return true;
    }

    private void announceGrowth(final long addedAddress, final long addedBytes)
    {
        try
        {
            registry.grow(region, addedAddress, addedBytes);
        }
        catch (final RuntimeException e)
        {
            // Else a listener has not let go of the addition, so its pages have to stay.
            if (MemoryRegion.State.FROZEN != registry.stateOf(region))
            {
                hide(addedAddress, addedBytes);
            }
            throw e;
        }
    }

    /**
     * Announces this memory, its growth and its end. Off the reactors.
     *
     * @param listening registry; always the same.
     * @param role      what the memory is for; always the same.
     */
    synchronized void announceTo(final MemoryRegistry listening, final MemoryRole role)
    {
        if (closed)
        {
            throw new IllegalStateException("dma memory is closed");
        }
        if (null != registry)
        {
            if (listening != registry || role != region.role() ||
                MemoryRegion.State.LEAVING == registry.stateOf(region))
            {
                throw new IllegalStateException(region + " is announced already: elsewhere, as " + region.role() +
                    ", or it was refused and is still held");
            }
            return;
        }
        // Before it is announced: its pages have to stay from then on.
        region = MemoryRegion.of(this, role);
        registry = listening;
        try
        {
            listening.map(region);
        }
        catch (final RuntimeException e)
        {
            if (MemoryRegion.State.LEAVING != listening.stateOf(region))
            {
                registry = null;
                region = null;
            }
            throw e;
        }
    }

    /**
     * {@return whether {@link #dropPages} can give pages back: not those of the kernel's hugepage pool, which may be
     * gone when they are needed again, nor of buffers that are announced}
     */
    public boolean canDropPages()
    {
        return Backing.TRANSPARENT_HUGEPAGES == backing && (null == region || !region.hasStablePages());
    }

    /**
     * Gives pages back to the kernel; they read as zeroes afterwards. Any thread, also a reactor's.
     *
     * @param start     first byte; a multiple of 4096.
     * @param dropBytes a multiple of 4096; all of it is in this mapping.
     * @return false when they stay as they are.
     */
    public boolean dropPages(final long start, final long dropBytes)
    {
        return canDropPages() && 0 == Mappings.madvise(start, dropBytes, MADV_DONTNEED);
    }

    private static long rounded(final long lengthBytes)
    {
        return (lengthBytes + Hugepages.PAGE_BYTES - 1) & -Hugepages.PAGE_BYTES;
    }

    /** Takes addresses, aligned to a hugepage; answers a negated errno when there are not so many. */
    private static long reserve(final long reservedBytes, final Backing backing)
    {
        if (Backing.HUGEPAGES == backing)
        {
            return Mappings.mmap(0, reservedBytes, PROT_NONE, HUGEPAGE_FLAGS | MAP_NORESERVE, -1, 0);
        }
        final long paddedBytes = reservedBytes + Hugepages.PAGE_BYTES;
        final long padded = Mappings.mmap(0, paddedBytes, PROT_NONE, FLAGS, -1, 0);
        if (padded < 0)
        {
            return padded;
        }
        final long aligned = rounded(padded);
        unmap(padded, aligned);
        unmap(aligned + reservedBytes, padded + paddedBytes);
        return aligned;
    }

    /**
     * Backs reserved addresses with memory: never by a new mapping, which could leave a hole to others. Answers a
     * negated errno when there is not so much.
     */
    private static int open(final long start, final long lengthBytes, final Backing backing)
    {
        int result = Mappings.mprotect(start, lengthBytes, PROTECTION);
        if (result < 0)
        {
            return result;
        }
        Mappings.madvise(start, lengthBytes, Mappings.MADV_DONTDUMP);
        if (Backing.HUGEPAGES == backing)
        {
            // Not by touching: no pages are set aside, and a fault that finds none ends the process.
            result = Mappings.madvise(start, lengthBytes, Mappings.MADV_POPULATE_WRITE);
            if (result < 0)
            {
                hide(start, lengthBytes);
                return result;
            }
        }
        else
        {
            Mappings.madvise(start, lengthBytes, Mappings.MADV_HUGEPAGE);
        }
        return 0;
    }

    /** Gives memory back; its addresses stay reserved. */
    private static void hide(final long start, final long lengthBytes)
    {
        Mappings.madvise(start, lengthBytes, MADV_DONTNEED);
        Mappings.mprotect(start, lengthBytes, PROT_NONE);
    }

    private static DmaMemory mapHugepages(final long lengthBytes)
    {
        final long mapped = Mappings.mmap(0, lengthBytes, PROTECTION, HUGEPAGE_FLAGS, -1, 0);
        if (mapped < 0)
        {
            return null;
        }
        Mappings.madvise(mapped, lengthBytes, Mappings.MADV_DONTDUMP);
        // Brought in at once: the kernel has set the pages aside, yet a control group may allow fewer, and a fault
        // beyond its limit ends the process.
        if (populate(mapped, lengthBytes) < 0)
        {
            Mappings.munmap(mapped, lengthBytes);
            return null;
        }
        return new DmaMemory(mapped, lengthBytes, lengthBytes, Backing.HUGEPAGES);
    }

    private static DmaMemory mapOrdinary(final long lengthBytes, final boolean preFault)
    {
        // A page more than wanted, cut at both ends, so that the rest can be huge from the first byte on.
        final long paddedBytes = lengthBytes + Hugepages.PAGE_BYTES;
        final long padded = checkMemory(lengthBytes, Mappings.mmap(0, paddedBytes, PROTECTION, FLAGS, -1, 0));
        final long aligned = (padded + Hugepages.PAGE_BYTES - 1) & -Hugepages.PAGE_BYTES;
        unmap(padded, aligned);
        unmap(aligned + lengthBytes, padded + paddedBytes);
        Mappings.madvise(aligned, lengthBytes, Mappings.MADV_HUGEPAGE);
        Mappings.madvise(aligned, lengthBytes, Mappings.MADV_DONTDUMP);
        if (preFault)
        {
            final int result = populate(aligned, lengthBytes);
            if (result < 0)
            {
                Mappings.munmap(aligned, lengthBytes);
                checkMemory(lengthBytes, result);
            }
        }
        return new DmaMemory(aligned, lengthBytes, lengthBytes, Backing.TRANSPARENT_HUGEPAGES);
    }

    private static int populate(final long address, final long lengthBytes)
    {
        final int result = Mappings.madvise(address, lengthBytes, Mappings.MADV_POPULATE_WRITE);
        if (-Errno.EINVAL != result)
        {
            return result;
        }
        // Kernels before 5.14 do not know the advice.
        for (long offset = 0; offset < lengthBytes; offset += TOUCH_BYTES)
        {
            NativeMemory.putByte(address + offset, (byte)0);
        }
        return 0;
    }

    private static void unmap(final long from, final long to)
    {
        if (to > from)
        {
            Mappings.munmap(from, to - from);
        }
    }

    private static long checkMemory(final long lengthBytes, final long result)
    {
        return NativeException.check(
            "dma memory of " + lengthBytes + " bytes refused (lower memory.size, or free memory), mmap", result);
    }

    /**
     * Explains why ordinary pages are used, with the remedy.
     *
     * @param wantedCount hugepages that would have been needed.
     * @param hugepages   of the kernel.
     * @return one sentence.
     */
    static String fallbackNote(final long wantedCount, final Hugepages hugepages)
    {
        final long freeCount = hugepages.freeCount();
        final String instead = hugepages.isTransparentEnabled() ?
            "I/O buffers use transparent huge pages, which is fine; " :
            "I/O buffers use 4 KiB pages, which costs some throughput, as transparent huge pages are off; ";
        if (freeCount < 0)
        {
            return instead + "this kernel has no reserved hugepages of 2 MiB";
        }
        if (freeCount >= wantedCount)
        {
            return instead + "the kernel refused reserved hugepages though " + freeCount +
                " are free: raise the hugetlb limit of the control group";
        }
        return instead + "reserved hugepages would save some address translation (" + wantedCount +
            " of 2 MiB are needed, " + freeCount + " are free): sysctl vm.nr_hugepages=" +
            (hugepages.poolCount() + wantedCount - freeCount);
    }

    /**
     * {@return address of the first byte; a multiple of 2 MiB}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return length of the mapping in bytes; a multiple of 2 MiB}
     */
    public long lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return what it can {@link #grow} to in bytes}
     */
    public long reservedBytes()
    {
        return reservedBytes;
    }

    /**
     * {@return its page type}
     */
    public Backing backing()
    {
        return backing;
    }

    /**
     * {@return what pages it got and, where they are not hugepages, why and what to do as things are now, in one
     * sentence}
     */
    public String note()
    {
        return Backing.HUGEPAGES == backing ? "I/O buffers use " + pageCount() + " reserved hugepages of 2 MiB" :
            fallbackNote(pageCount(), Hugepages.system());
    }

    /**
     * {@return how many pages of 2 MiB it is long}
     */
    public long pageCount()
    {
        return lengthBytes / Hugepages.PAGE_BYTES;
    }

    /**
     * {@return bytes that {@link #allocate} has set aside, gaps for alignment included}
     */
    public synchronized long allocatedBytes()
    {
        return allocatedBytes;
    }

    /**
     * Checks whether a range lies in this mapping. If the mapping was registered as a whole, as one range from
     * {@link #address()} with {@link #lengthBytes()}, so is the range.
     *
     * @param rangeAddress first byte.
     * @param rangeBytes   length, not negative.
     * @return whether all of it does.
     */
    public boolean contains(final long rangeAddress, final long rangeBytes)
    {
        final long offset = rangeAddress - address;
        return offset >= 0 && rangeBytes >= 0 && offset <= lengthBytes && rangeBytes <= lengthBytes - offset;
    }

    /**
     * Allocates a part permanently. Set-up only.
     *
     * @param partBytes      how much; positive.
     * @param alignmentBytes of its address; a power of two.
     * @return its address.
     * @throws IllegalStateException when there is not so much left.
     */
    public synchronized long allocate(final long partBytes, final long alignmentBytes)
    {
        if (partBytes <= 0 || 1 != Long.bitCount(alignmentBytes) || alignmentBytes < 0)
        {
            throw new IllegalArgumentException("dma memory: part of " + partBytes + " bytes aligned to " +
                alignmentBytes + ": the length has to be positive and the alignment a power of two");
        }
        if (closed)
        {
            throw new IllegalStateException("dma memory is closed");
        }
        final long gapBytes = -(address + allocatedBytes) & (alignmentBytes - 1);
        final long leftBytes = lengthBytes - allocatedBytes;
        if (gapBytes > leftBytes || partBytes > leftBytes - gapBytes)
        {
            throw new IllegalStateException("dma memory: " + partBytes + " bytes asked for, " +
                Math.max(0, leftBytes - gapBytes) + " of " + lengthBytes + " left: raise memory.size");
        }
        final long start = address + allocatedBytes + gapBytes;
        allocatedBytes += gapBytes + partBytes;
        return start;
    }

    /**
     * Unmaps. Nothing may use it any more, the kernel and devices included; where it is announced, listeners let go of
     * it first. A second call does nothing.
     *
     * @throws MemoryException when a listener still holds it; it stays mapped then, and may be closed again.
     */
    @Override
    public synchronized void close()
    {
        if (!closed)
        {
            if (null != registry)
            {
                registry.unmap(region);
            }
            closed = true;
            count(-lengthBytes);
            Mappings.munmap(address, reservedBytes);
        }
    }
}

package io.millrace.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * A mapping that payload may lie in, as a {@link MemoryRegistry} announces it. It is the process's own
 * ({@link DmaMemory}) or imported: mapped by somebody else, and unmapped by nobody here. Compared by identity. Any
 * thread reads it; only the length changes.
 */
public final class MemoryRegion
{
    /** {@link #address()} of device memory that has no address in this process. */
    public static final long NO_ADDRESS = 0;
    /** {@link #dmaBufFd()} of memory that is no dma-buf. */
    public static final int NO_FD = -1;

    private static final long SMALL_PAGE_BYTES = 4096;

    /**
     * States of a region.
     * <pre>
     *   NEW - MAPPED - (FROZEN) - LEAVING - GONE
     * </pre>
     */
    enum State
    {
        /** In no registry yet. */
        NEW,
        /** Announced. */
        MAPPED,
        /** Announced, and never grows again, since a listener still holds a growth that was revoked. */
        FROZEN,
        /** Being unmapped, or refused; some listeners may still hold it, no further ones are notified of it. */
        LEAVING,
        /** Nobody holds it. */
        GONE
    }

    private final MemoryRole role;
    private final MemoryDomain domain;
    private final long address;
    private volatile long lengthBytes;
    private final long reservedBytes;
    private final long pageBytes;
    private final boolean isImported;
    private final int dmaBufFd;
    private final long dmaBufOffsetBytes;
    // Of the registry, under its lock.
    private final List<MemoryListener> holders = new ArrayList<>();
    private State state = State.NEW;

    private MemoryRegion(
        final MemoryRole role,
        final MemoryDomain domain,
        final long address,
        final long lengthBytes,
        final long reservedBytes,
        final long pageBytes,
        final boolean isImported,
        final int dmaBufFd,
        final long dmaBufOffsetBytes)
    {
        this.role = role;
        this.domain = domain;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.reservedBytes = reservedBytes;
        this.pageBytes = pageBytes;
        this.isImported = isImported;
        this.dmaBufFd = dmaBufFd;
        this.dmaBufOffsetBytes = dmaBufOffsetBytes;
    }

    static MemoryRegion of(final DmaMemory memory, final MemoryRole role)
    {
        return new MemoryRegion(role, MemoryDomain.HOST, memory.address(), memory.lengthBytes(),
            memory.reservedBytes(),
            DmaMemory.Backing.HUGEPAGES == memory.backing() ? Hugepages.PAGE_BYTES : SMALL_PAGE_BYTES,
            false, NO_FD, 0);
    }

    /**
     * Memory that somebody else has mapped in this process, for {@link MemoryRegistry#add(MemoryRegion)}. Its pages
     * must stay where they are until it is removed.
     *
     * @param role        what it is for.
     * @param domain      who can access its addresses.
     * @param address     of its first byte; a multiple of the page size.
     * @param lengthBytes a positive multiple of the page size.
     * @param pageBytes   page size; a power of two, at least 4096.
     * @return the region.
     * @throws IllegalArgumentException when address, length and page size do not fit.
     */
    public static MemoryRegion imported(
        final MemoryRole role,
        final MemoryDomain domain,
        final long address,
        final long lengthBytes,
        final long pageBytes)
    {
        if (address <= 0)
        {
            throw new IllegalArgumentException(
                "imported memory: address 0x" + Long.toHexString(address) + " is none of this process");
        }
        checkRange("address", address, lengthBytes, pageBytes);
        return new MemoryRegion(role, domain, address, lengthBytes, lengthBytes, pageBytes, true, NO_FD, 0);
    }

    /**
     * Memory behind a dma-buf descriptor, for {@link MemoryRegistry#add(MemoryRegion)}. The descriptor stays the
     * caller's, and open until the region has been removed.
     *
     * @param role        what it is for.
     * @param domain      who can access its addresses.
     * @param fd          descriptor of the dma-buf.
     * @param offsetBytes where in the dma-buf the memory begins; a multiple of the page size.
     * @param lengthBytes a positive multiple of the page size.
     * @param pageBytes   page size; a power of two, at least 4096.
     * @param address     of the first byte in this process, {@link #NO_ADDRESS} when it has none.
     * @return the region.
     * @throws IllegalArgumentException when they do not fit.
     */
    public static MemoryRegion importedDmaBuf(
        final MemoryRole role,
        final MemoryDomain domain,
        final int fd,
        final long offsetBytes,
        final long lengthBytes,
        final long pageBytes,
        final long address)
    {
        if (fd < 0)
        {
            throw new IllegalArgumentException("imported memory: descriptor " + fd + " of a dma-buf is negative");
        }
        checkRange("offset", offsetBytes, lengthBytes, pageBytes);
        if (NO_ADDRESS != address)
        {
            checkRange("address", address, lengthBytes, pageBytes);
        }
        return new MemoryRegion(
            role, domain, address, lengthBytes, lengthBytes, pageBytes, true, fd, offsetBytes);
    }

    private static void checkRange(
        final String what, final long start, final long lengthBytes, final long pageBytes)
    {
        if (pageBytes < SMALL_PAGE_BYTES || 1 != Long.bitCount(pageBytes))
        {
            throw new IllegalArgumentException("imported memory: page size " + pageBytes +
                " is not a power of two of at least " + SMALL_PAGE_BYTES);
        }
        if (start < 0 || lengthBytes <= 0 || 0 != ((start | lengthBytes) & pageBytes - 1) ||
            lengthBytes > Long.MAX_VALUE - start)
        {
            throw new IllegalArgumentException("imported memory: " + lengthBytes + " bytes at " + what + " 0x" +
                Long.toHexString(start) + " are not whole pages of " + pageBytes + " bytes");
        }
    }

    /**
     * {@return what it is for}
     */
    public MemoryRole role()
    {
        return role;
    }

    /**
     * {@return who can access its addresses}
     */
    public MemoryDomain domain()
    {
        return domain;
    }

    /**
     * {@return address of its first byte, a multiple of {@link #pageBytes()}; {@link #NO_ADDRESS} when this process has
     * none}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return its present length in bytes, a multiple of {@link #pageBytes()}}
     */
    public long lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return the most bytes that it can grow to}
     */
    public long reservedBytes()
    {
        return reservedBytes;
    }

    /**
     * {@return size of its pages in bytes}
     */
    public long pageBytes()
    {
        return pageBytes;
    }

    /**
     * Whether a page stays the same one as long as the region is mapped. Where it does not, since its owner gives pages
     * back, it must not be pinned: a device would access pages that the process no longer has.
     *
     * @return whether the region may be pinned as a whole.
     */
    public boolean hasStablePages()
    {
        return isImported || MemoryRole.LENT != role || pageBytes > SMALL_PAGE_BYTES;
    }

    /**
     * {@return whether the CPU and the kernel can use its addresses: it is in main memory and mapped here}
     */
    public boolean isHostAddressable()
    {
        return MemoryDomain.HOST == domain && NO_ADDRESS != address;
    }

    /**
     * {@return whether somebody else has mapped it}
     */
    public boolean isImported()
    {
        return isImported;
    }

    /**
     * {@return descriptor of the dma-buf that it is part of, or {@link #NO_FD}}
     */
    public int dmaBufFd()
    {
        return dmaBufFd;
    }

    /**
     * {@return where in the dma-buf it begins}
     */
    public long dmaBufOffsetBytes()
    {
        return dmaBufOffsetBytes;
    }

    State state()
    {
        return state;
    }

    void state(final State next)
    {
        state = next;
    }

    List<MemoryListener> holders()
    {
        return holders;
    }

    void lengthBytes(final long newLengthBytes)
    {
        lengthBytes = newLengthBytes;
    }

    /** Whether both have some address, all that they may grow to included. */
    boolean overlaps(final MemoryRegion other)
    {
        return NO_ADDRESS != address && NO_ADDRESS != other.address && domain == other.domain &&
            address < other.address + other.reservedBytes && other.address < address + reservedBytes;
    }

    @Override
    public String toString()
    {
        return lengthBytes + " bytes of " + domain + " memory" +
            (NO_ADDRESS == address ? "" : " at 0x" + Long.toHexString(address)) +
            (NO_FD == dmaBufFd ? "" : " (dma-buf " + dmaBufFd + ", offset " + dmaBufOffsetBytes + ')');
    }
}

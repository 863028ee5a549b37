package io.millrace.pci;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import io.millrace.memory.Hugepages;
import java.lang.foreign.Arena;
import java.util.TreeMap;

/**
 * DMA without an IOMMU: the function uses physical addresses ({@code Documentation/admin-guide/mm/pagemap.rst}), and
 * its accesses are not restricted. Only memory of the hugepage pool can be mapped, which the kernel does not move. Any
 * thread but a reactor's.
 */
final class PhysicalDmaMap implements DmaMap
{
    private static final String PAGE_MAP = "/proc/self/pagemap";
    private static final String PAGE_FLAGS = "/proc/kpageflags";
    private static final long PAGE_BYTES = 4096;
    private static final long FRAME_MASK = (1L << 55) - 1;
    private static final long PRESENT = 1L << 63;
    /** KPF_HUGE of linux/kernel-page-flags.h: a page of the pool, not a transparent one. */
    private static final long FLAG_HUGE = 1L << 17;

    private final String address;
    private final TreeMap<Long, Long> mapped = new TreeMap<>();

    PhysicalDmaMap(final String address)
    {
        this.address = address;
    }

    @Override
    public synchronized long map(final long rangeAddress, final long lengthBytes)
    {
        DmaRanges.check(rangeAddress, lengthBytes, PAGE_BYTES);
        try (Arena arena = Arena.ofConfined())
        {
            final long entry = arena.allocate(Long.BYTES, Long.BYTES).address();
            final DeviceFile pages = open(PAGE_MAP);
            try (pages; DeviceFile flags = open(PAGE_FLAGS))
            {
                final long first = frame(pages, entry, rangeAddress);
                for (long offset = 0; offset < lengthBytes; offset += PAGE_BYTES)
                {
                    final long frame = frame(pages, entry, rangeAddress + offset);
                    if (0 == (read(flags, entry, frame * Long.BYTES) & FLAG_HUGE))
                    {
                        throw new PciException("memory cannot be used for " + address +
                            " without an IOMMU, the kernel may move it: hugepages are needed, as root: " +
                            "sysctl vm.nr_hugepages=512 for 1 GiB");
                    }
                    if (frame * PAGE_BYTES != first * PAGE_BYTES + offset)
                    {
                        throw new PciException(lengthBytes + " bytes cannot be mapped in one piece for " + address +
                            " without an IOMMU: " + offset + " lie together");
                    }
                }
                mapped.put(first * PAGE_BYTES, lengthBytes);
                return first * PAGE_BYTES;
            }
        }
    }

    private long frame(final DeviceFile pages, final long entry, final long pageAddress)
    {
        // Touched, so that there is a page.
        NativeMemory.putByte(pageAddress, NativeMemory.getByte(pageAddress));
        final long value = read(pages, entry, pageAddress / PAGE_BYTES * Long.BYTES);
        if (0 == (value & PRESENT) || 0 == (value & FRAME_MASK))
        {
            throw new PciException("physical addresses for " + address +
                " are hidden from this process: without an IOMMU it has to be root");
        }
        return value & FRAME_MASK;
    }

    private long read(final DeviceFile file, final long entry, final long offset)
    {
        final long result = Files.pread(file.fd(), entry, Long.BYTES, offset);
        if (Long.BYTES != result)
        {
            throw new PciException("physical addresses for " + address + " cannot be read: " +
                (result < 0 ? Errno.describe((int)-result) : "no such memory"));
        }
        return NativeMemory.getLong(entry);
    }

    private static DeviceFile open(final String path)
    {
        final int fd = DeviceFile.openReadOnly(path);
        return new DeviceFile(path, DeviceFile.check(path + " cannot be read, without an IOMMU it takes root", fd));
    }

    @Override
    public synchronized void unmap(final long iova, final long lengthBytes)
    {
        if (!mapped.remove(iova, lengthBytes))
        {
            throw new PciException(
                lengthBytes + " bytes at 0x" + Long.toHexString(iova) + " are not mapped so for " + address);
        }
    }

    @Override
    public long pageBytes()
    {
        return PAGE_BYTES;
    }

    @Override
    public long rangeBytesMax()
    {
        return Hugepages.PAGE_BYTES;
    }
}

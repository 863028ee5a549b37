package io.millrace.pci;

import io.millrace.bindings.Errno;
import io.millrace.bindings.vfio.Vfio;
import io.millrace.bindings.vfio.VfioDmaRange;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one function has mapped in the IOMMU context of its group. Any thread but a reactor's.
 */
final class VfioDmaMap implements DmaMap
{
    private static final int FLAGS = Vfio.VFIO_DMA_MAP_FLAG_READ | Vfio.VFIO_DMA_MAP_FLAG_WRITE;

    private final String address;
    private final VfioGroup group;
    /** First address and length. */
    private final TreeMap<Long, Long> mapped = new TreeMap<>();

    VfioDmaMap(final String address, final VfioGroup group)
    {
        this.address = address;
        this.group = group;
    }

    @Override
    public long map(final long rangeAddress, final long lengthBytes)
    {
        DmaRanges.check(rangeAddress, lengthBytes, pageBytes());
        synchronized (group.addresses())
        {
            final long iova = group.addresses().allocate(rangeAddress, lengthBytes, pageBytes());
            if (iova < 0)
            {
                throw new PciException(lengthBytes + " bytes cannot be mapped for " + address +
                    ": of the IOMMU's addresses " + group.addresses().freeBytes() +
                    " are free, not so many in one piece; lower memory.size");
            }
            final int result = mapAt(rangeAddress, iova, lengthBytes);
            if (result < 0)
            {
                group.addresses().release(iova, lengthBytes);
                throw refusal(rangeAddress, lengthBytes, -result);
            }
            mapped.put(iova, lengthBytes);
            return iova;
        }
    }

    private int mapAt(final long rangeAddress, final long iova, final long lengthBytes)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long range = arena.allocate(VfioDmaRange.SIZE_BYTES, Long.BYTES).address();
            VfioDmaRange.map(range, FLAGS, rangeAddress, iova, lengthBytes);
            return group.container().call(Vfio.VFIO_IOMMU_MAP_DMA, range);
        }
    }

    private PciException refusal(final long rangeAddress, final long lengthBytes, final int errno)
    {
        return switch (errno)
        {
            case Errno.ENOMEM -> new PciException(LockedMemory.refusal(address, lengthBytes));
            case Errno.ENOSPC -> new PciException("no more ranges of memory can be mapped for " + address +
                ": raise dma_entry_limit of the module vfio_iommu_type1");
            default -> new PciException(lengthBytes + " bytes at 0x" + Long.toHexString(rangeAddress) +
                " cannot be mapped for " + address + ": " + Errno.describe(errno));
        };
    }

    @Override
    public void unmap(final long iova, final long lengthBytes)
    {
        synchronized (group.addresses())
        {
            if (!mapped.containsKey(iova) || mapped.get(iova) != lengthBytes)
            {
                throw new PciException(lengthBytes + " bytes at 0x" + Long.toHexString(iova) +
                    " are not mapped so for " + address);
            }
            DeviceFile.check("memory of " + address + " cannot be unmapped", unmapAt(iova, lengthBytes));
            mapped.remove(iova);
            group.addresses().release(iova, lengthBytes);
        }
    }

    private int unmapAt(final long iova, final long lengthBytes)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long range = arena.allocate(VfioDmaRange.SIZE_BYTES, Long.BYTES).address();
            VfioDmaRange.unmap(range, iova, lengthBytes);
            final int result = group.container().call(Vfio.VFIO_IOMMU_UNMAP_DMA, range);
            // The kernel answers success and 0 bytes for what is not mapped.
            return 0 == result && VfioDmaRange.unmappedBytes(range) != lengthBytes ? -Errno.ENOENT : result;
        }
    }

    @Override
    public long pageBytes()
    {
        return group.pageBytes();
    }

    /**
     * Takes everything away from the function, which was stopped. The kernel has done so already where the function was
     * removed; what it does not let go of stays taken until the group is closed.
     */
    void unmapAll()
    {
        synchronized (group.addresses())
        {
            for (final Map.Entry<Long, Long> range : mapped.entrySet())
            {
                if (0 == unmapAt(range.getKey(), range.getValue()))
                {
                    group.addresses().release(range.getKey(), range.getValue());
                }
            }
            mapped.clear();
        }
    }
}

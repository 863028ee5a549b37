package io.millrace.pci;

import io.millrace.bindings.Errno;
import java.util.Map;
import java.util.TreeMap;

/**
 * DMA mappings of one function in the IOMMU context of its group. Any thread but a reactor's.
 */
final class VfioDmaMap implements DmaMap
{
    private final String address;
    private final IommuContext context;
    /** First address and length. */
    private final TreeMap<Long, Long> mapped = new TreeMap<>();

    VfioDmaMap(final String address, final IommuContext context)
    {
        this.address = address;
        this.context = context;
    }

    @Override
    public long map(final long rangeAddress, final long lengthBytes)
    {
        DmaRanges.check(rangeAddress, lengthBytes, pageBytes());
        synchronized (context.addresses())
        {
            final long iova = context.addresses().allocate(rangeAddress, lengthBytes, pageBytes());
            if (iova < 0)
            {
                throw new PciException(lengthBytes + " bytes cannot be mapped for " + address +
                    ": of the IOMMU's addresses " + context.addresses().freeBytes() +
                    " are free, not so many in one piece; lower memory.size");
            }
            final int result = context.map(rangeAddress, iova, lengthBytes);
            if (result < 0)
            {
                context.addresses().release(iova, lengthBytes);
                throw refusal(rangeAddress, lengthBytes, -result);
            }
            mapped.put(iova, lengthBytes);
            return iova;
        }
    }

    private PciException refusal(final long rangeAddress, final long lengthBytes, final int errno)
    {
        return switch (errno)
        {
            case Errno.ENOMEM -> new PciException(LockedMemory.refusal(address, lengthBytes));
            case Errno.ENOSPC -> new PciException("no more ranges of memory can be mapped for " + address +
                ": raise " + context.mappingLimit());
            default -> new PciException(lengthBytes + " bytes at 0x" + Long.toHexString(rangeAddress) +
                " cannot be mapped for " + address + ": " + Errno.describe(errno));
        };
    }

    @Override
    public void unmap(final long iova, final long lengthBytes)
    {
        synchronized (context.addresses())
        {
            if (!mapped.containsKey(iova) || mapped.get(iova) != lengthBytes)
            {
                throw new PciException(lengthBytes + " bytes at 0x" + Long.toHexString(iova) +
                    " are not mapped so for " + address);
            }
            DeviceFile.check("memory of " + address + " cannot be unmapped", context.unmap(iova, lengthBytes));
            mapped.remove(iova);
            context.addresses().release(iova, lengthBytes);
        }
    }

    @Override
    public long pageBytes()
    {
        return context.pageBytes();
    }

    /**
     * Removes all mappings of the function, which was stopped. The kernel has removed them already where the function
     * was removed; mappings that it does not release stay until the group is closed.
     */
    void unmapAll()
    {
        synchronized (context.addresses())
        {
            for (final Map.Entry<Long, Long> range : mapped.entrySet())
            {
                if (0 == context.unmap(range.getKey(), range.getValue()))
                {
                    context.addresses().release(range.getKey(), range.getValue());
                }
            }
            mapped.clear();
        }
    }
}

package io.millrace.block.nvme;

import io.millrace.pci.DmaMap;
import io.millrace.pci.PciException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * An IOMMU made of a map. I/O virtual addresses are far from virtual ones, so that neither passes for the other.
 */
final class ModelDma implements DmaMap
{
    static final int PAGE_BYTES = 4096;
    private static final long FIRST_IOVA = 0x7700_0000_0000_0000L;
    private static final long GAP_BYTES = 4L << 20;

    private final TreeMap<Long, long[]> mappings = new TreeMap<>();
    private final Set<Long> addresses = new HashSet<>();
    private long nextIova = FIRST_IOVA;
    private long skewBytes;
    private int mapCount;
    private int mappedMax = Integer.MAX_VALUE;
    private long rangeBytesMax = Long.MAX_VALUE;

    /** A region: where it begins for the process, and how long it is. */
    @Override
    public synchronized long map(final long address, final long lengthBytes)
    {
        if (mappings.size() >= mappedMax || lengthBytes > rangeBytesMax)
        {
            throw new PciException("cannot map " + lengthBytes + " bytes: " + mappings.size() + " ranges are mapped");
        }
        if (lengthBytes <= 0 || 0 != ((address | lengthBytes) & PAGE_BYTES - 1) || !addresses.add(address))
        {
            throw new PciException("cannot map " + lengthBytes + " bytes at " + address);
        }
        final long iova = nextIova + skewBytes;
        mappings.put(iova, new long[]{address, lengthBytes});
        nextIova += lengthBytes + GAP_BYTES;
        mapCount++;
        return iova;
    }

    @Override
    public synchronized void unmap(final long iova, final long lengthBytes)
    {
        final long[] mapping = mappings.remove(iova);
        if (null == mapping || lengthBytes != mapping[1])
        {
            throw new PciException("no mapping of " + lengthBytes + " bytes at " + iova);
        }
        addresses.remove(mapping[0]);
    }

    @Override
    public long pageBytes()
    {
        return PAGE_BYTES;
    }

    /** Further mappings begin so far behind a multiple of 2 MiB. */
    void skew(final long bytes)
    {
        skewBytes = bytes;
    }

    @Override
    public long rangeBytesMax()
    {
        return rangeBytesMax;
    }

    /** Longer ranges are refused, so that memory is mapped in pieces that lie apart. */
    void rangeBytesMax(final long bytes)
    {
        rangeBytesMax = bytes;
    }

    /** More ranges are refused. */
    synchronized void mappedMax(final int count)
    {
        mappedMax = count;
    }

    synchronized int mapped()
    {
        return mappings.size();
    }

    synchronized int mapCount()
    {
        return mapCount;
    }

    synchronized void unmapAll()
    {
        mappings.clear();
        addresses.clear();
    }

    /** Answers where a mapping begins for the function. */
    synchronized long iova(final long address)
    {
        return mappings.entrySet().stream().filter((mapping) -> address == mapping.getValue()[0]).findFirst()
            .orElseThrow().getKey();
    }

    /** Answers the virtual address of a range that the function may reach; else it is a fault. */
    synchronized long address(final long iova, final long lengthBytes)
    {
        final Map.Entry<Long, long[]> mapping = mappings.floorEntry(iova);
        if (null != mapping)
        {
            final long offset = iova - mapping.getKey();
            if (lengthBytes <= mapping.getValue()[1] - offset)
            {
                return mapping.getValue()[0] + offset;
            }
        }
        throw new ModelFault("IOMMU fault: " + lengthBytes + " bytes at 0x" + Long.toHexString(iova));
    }
}

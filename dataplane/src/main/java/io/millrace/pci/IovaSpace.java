package io.millrace.pci;

import java.util.Map;
import java.util.TreeMap;

/**
 * The I/O virtual addresses of one IOMMU context that are still free. One thread at a time.
 */
final class IovaSpace
{
    /** Address 0 is never allocated: accesses with an unset address are blocked. */
    static final long FIRST_ADDRESS = 2L << 20;
    /** The kernel maps such pages whole when both addresses have the same offset in them. */
    private static final long HUGE_BYTES = 2L << 20;
    /** Beyond any IOMMU's reach; keeps addresses positive. */
    private static final long LAST_ADDRESS = (1L << 57) - 1;

    /** First to last address, both inclusive. */
    private final TreeMap<Long, Long> free = new TreeMap<>();

    /**
     * Adds a range that the IOMMU can map.
     *
     * @param first address, unsigned.
     * @param last  address, unsigned and inclusive.
     */
    void add(final long first, final long last)
    {
        final long from = first < 0 ? LAST_ADDRESS + 1 : Math.max(first, FIRST_ADDRESS);
        final long to = last < 0 ? LAST_ADDRESS : Math.min(last, LAST_ADDRESS);
        if (from <= to)
        {
            free.put(from, to);
        }
    }

    /**
     * Takes addresses that lie in their huge page as the memory does in its, or in their page when it is shorter.
     *
     * @param address     of the memory.
     * @param lengthBytes of the memory, a multiple of the page.
     * @param pageBytes   a power of two.
     * @return the first, or -1 when there are not so many in one piece.
     */
    long allocate(final long address, final long lengthBytes, final long pageBytes)
    {
        final long unit = lengthBytes >= HUGE_BYTES ? Math.max(HUGE_BYTES, pageBytes) : pageBytes;
        for (final Map.Entry<Long, Long> range : free.entrySet())
        {
            final long first = range.getKey();
            final long start = first + (address - first & unit - 1);
            if (start <= range.getValue() && range.getValue() - start >= lengthBytes - 1)
            {
                take(first, range.getValue(), start, start + lengthBytes - 1);
                return start;
            }
        }
        return -1;
    }

    private void take(final long first, final long last, final long from, final long to)
    {
        free.remove(first);
        if (first < from)
        {
            free.put(first, from - 1);
        }
        if (to < last)
        {
            free.put(to + 1, last);
        }
    }

    /**
     * Releases addresses of {@link #allocate}.
     *
     * @param start       first address.
     * @param lengthBytes as it was taken.
     */
    void release(final long start, final long lengthBytes)
    {
        long first = start;
        long last = start + lengthBytes - 1;
        final Map.Entry<Long, Long> before = free.floorEntry(start);
        if (null != before && before.getValue() == start - 1)
        {
            first = before.getKey();
        }
        final Long behind = free.remove(last + 1);
        if (null != behind)
        {
            last = behind;
        }
        free.put(first, last);
    }

    /**
     * {@return how many addresses are free}
     */
    long freeBytes()
    {
        long bytes = 0;
        for (final Map.Entry<Long, Long> range : free.entrySet())
        {
            bytes += range.getValue() - range.getKey() + 1;
        }
        return bytes;
    }
}

package io.millrace.pci;

/**
 * DMA mappings of a function: from virtual addresses of this process to the I/O virtual addresses (IOVA) that the
 * function uses. Set-up thread only; no call is made per I/O.
 */
public interface DmaMap
{
    /**
     * Maps a range for the function to read and write. Its pages are pinned until it is unmapped, so they count towards
     * the locked-memory limit.
     *
     * @param address     of the first byte; a multiple of {@link #pageBytes()}.
     * @param lengthBytes of the range; a positive multiple of {@link #pageBytes()}.
     * @return the IOVA of the first byte; those of the others follow without a gap.
     * @throws PciException when the range is not aligned, or when the locked-memory limit or the addresses of the IOMMU
     *                      do not suffice; nothing is mapped then.
     */
    long map(long address, long lengthBytes);

    /**
     * Unmaps a range from the function: the IOMMU blocks later accesses. The memory may be reused immediately only if
     * the function was stopped before.
     *
     * @param iova        result of {@link #map}.
     * @param lengthBytes as it was mapped.
     * @throws PciException when there is no such mapping.
     */
    void unmap(long iova, long lengthBytes);

    /**
     * {@return the unit of mappings in bytes; a power of two, at least 4096}
     */
    long pageBytes();

    /**
     * {@return the longest range that can be mapped in one piece, in bytes: without an IOMMU a hugepage, whose next
     * neighbour in memory may be any other}
     */
    default long rangeBytesMax()
    {
        return Long.MAX_VALUE;
    }
}

package io.millrace.pci;

/**
 * What a function may reach of this process's memory: from virtual addresses to the I/O virtual addresses (IOVA) that
 * the function is told. Set-up thread only; no call is made per I/O.
 */
public interface DmaMap
{
    /**
     * Lets the function read and write a range. Its pages are brought in and kept resident until it is unmapped, so
     * they count towards the locked-memory limit.
     *
     * @param address     of the first byte; a multiple of {@link #pageBytes()}.
     * @param lengthBytes of the range; a positive multiple of {@link #pageBytes()}.
     * @return the IOVA of the first byte; those of the others follow without a gap.
     * @throws PciException when the range is not aligned, or when the locked-memory limit or the addresses of the IOMMU
     *                      do not suffice; nothing is mapped then.
     */
    long map(long address, long lengthBytes);

    /**
     * Takes a range away from the function: what it still sends there is stopped by the IOMMU. Only when the function
     * was stopped before may the memory be used for something else at once.
     *
     * @param iova        what {@link #map} answered.
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

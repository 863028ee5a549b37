package io.millrace.pci;

/**
 * Maps memory for the functions of one IOMMU group that this process owns. Its mappings are created and removed under
 * the lock of {@link #addresses()}. Set-up only; any thread but a reactor's.
 */
interface IommuContext extends AutoCloseable
{
    /**
     * Opens a member of the group.
     *
     * @param device of the group.
     * @return the device's descriptor, the caller's.
     * @throws PciException when the kernel refuses.
     */
    DeviceFile openDevice(PciDevice device);

    /**
     * {@return whether there is an IOMMU at all}
     */
    boolean hasIommu();

    /**
     * {@return smallest page of the IOMMU}
     */
    long pageBytes();

    /**
     * {@return the free I/O virtual addresses}
     */
    IovaSpace addresses();

    /**
     * Maps memory.
     *
     * @param address     of the memory.
     * @param iova        taken from {@link #addresses()}.
     * @param lengthBytes of both.
     * @return 0, or a negated errno.
     */
    int map(long address, long iova, long lengthBytes);

    /**
     * Removes a mapping.
     *
     * @param iova        I/O virtual address.
     * @param lengthBytes length in bytes.
     * @return 0, or a negated errno; ENOENT when less was mapped.
     */
    int unmap(long iova, long lengthBytes);

    /**
     * {@return limit to raise when no more mappings are possible}
     */
    String mappingLimit();

    /** Releases the group and its mappings. Its devices were closed before. */
    @Override
    void close();
}

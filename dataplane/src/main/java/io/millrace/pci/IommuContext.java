package io.millrace.pci;

/**
 * What maps memory for the functions of one IOMMU group that this process has taken. Its mappings are made and taken
 * away under the lock of {@link #addresses()}. Set-up only; any thread but a reactor's.
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
     * {@return the addresses that are not taken}
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
     * Takes a mapping away.
     *
     * @param iova        of it.
     * @param lengthBytes of it.
     * @return 0, or a negated errno; ENOENT when less was mapped.
     */
    int unmap(long iova, long lengthBytes);

    /**
     * {@return what a user raises who may have no more mappings}
     */
    String mappingLimit();

    /** Lets the group go, and with it all that was mapped. Its devices were closed before. */
    @Override
    void close();
}

package io.millrace.pci;

/**
 * Whether a function may be taken without an IOMMU.
 */
public enum IommuMode
{
    /** Only where an IOMMU stops what was not mapped for the function. */
    REQUIRED,
    /**
     * Also where nothing stops it: a wrong address, of the driver or of the drive, overwrites any memory of the
     * machine. Needs root, hugepages and the kernel's consent, {@code enable_unsafe_noiommu_mode}.
     */
    UNSAFE_NO_IOMMU
}

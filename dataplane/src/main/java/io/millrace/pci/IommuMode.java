package io.millrace.pci;

/**
 * Whether a function may be taken without an IOMMU.
 */
public enum IommuMode
{
    /** Only with an IOMMU, which blocks access to memory that was not mapped for the function. */
    REQUIRED,
    /**
     * Also without one: a wrong address, of the driver or of the drive, overwrites any memory of the machine. Needs
     * root, hugepages and the module parameter {@code enable_unsafe_noiommu_mode}.
     */
    UNSAFE_NO_IOMMU
}

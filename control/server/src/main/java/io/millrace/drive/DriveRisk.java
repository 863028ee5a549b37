package io.millrace.drive;

import io.millrace.pci.IommuMode;
import picocli.CommandLine.Option;

/**
 * Whether a drive may be driven from here without an IOMMU.
 */
final class DriveRisk
{
    @Option(names = "--unsafe-noiommu",
        description = "Also without an IOMMU: then nothing stops a drive from overwriting any memory.")
    private boolean isUnsafe;

    boolean isUnsafe()
    {
        return isUnsafe;
    }

    IommuMode mode()
    {
        return isUnsafe ? IommuMode.UNSAFE_NO_IOMMU : IommuMode.REQUIRED;
    }
}

package io.millrace.cli.local.drive;

import io.millrace.pci.IommuMode;
import picocli.CommandLine.Option;

/**
 * Option to use a drive without an IOMMU.
 */
final class NoIommuOption
{
    @Option(names = "--unsafe-noiommu",
        description = "Do not require an IOMMU: the drive may then overwrite any memory.")
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

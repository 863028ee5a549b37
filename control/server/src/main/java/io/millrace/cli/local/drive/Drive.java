package io.millrace.cli.local.drive;

import io.millrace.pci.PciDevice;
import java.util.List;

/**
 * A detected NVMe drive. Immutable.
 *
 * @param device     its PCI function.
 * @param controller the kernel's name of it, such as {@code nvme0}; empty when the kernel does not drive it.
 * @param model      as it calls itself; empty when it cannot be asked.
 * @param serial     number; empty when it cannot be asked.
 * @param firmware   revision; empty when it cannot be asked.
 * @param namespaces the kernel's block devices.
 * @param uses       descriptions of its users; empty: not in use.
 */
record Drive(
    PciDevice device,
    String controller,
    String model,
    String serial,
    String firmware,
    List<DriveNamespace> namespaces,
    List<String> uses)
{
    String address()
    {
        return device.address().toString();
    }

    boolean isFree()
    {
        return uses.isEmpty();
    }

    long sizeBytes()
    {
        return namespaces.stream().mapToLong(DriveNamespace::sizeBytes).sum();
    }

    /**
     * A namespace as the kernel's block device.
     *
     * @param name       of the block device.
     * @param sizeBytes  of it.
     * @param blockBytes of a block.
     */
    record DriveNamespace(String name, long sizeBytes, int blockBytes)
    {
    }
}

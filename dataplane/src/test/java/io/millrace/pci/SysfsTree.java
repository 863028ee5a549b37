package io.millrace.pci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A folder with the files that the kernel has of PCI functions, as far as they are read. What the kernel does when an
 * attribute is written does not happen in it: that is for the tests in the emulated machine.
 */
public final class SysfsTree
{
    private static final String RESOURCES = """
        0x00000000fe800000 0x00000000fe803fff 0x0000000000140204
        0x0000000000000000 0x0000000000000000 0x0000000000000000
        0x0000000000000000 0x0000000000000000 0x0000000000000000
        0x0000000000000000 0x0000000000000000 0x0000000000000000
        0x00000000fe900000 0x00000000fe900fff 0x0000000000040200
        0x0000000000000000 0x0000000000000000 0x0000000000000000
        0x0000000000000000 0x0000000000000000 0x0000000000000000
        """;

    private final Path root;

    /**
     * An empty one.
     *
     * @param root folder for it.
     */
    public SysfsTree(final Path root)
    {
        this.root = root;
    }

    /**
     * Adds a function.
     *
     * @param address   where it is.
     * @param classCode 24 bits.
     * @param driver    that drives it, or empty.
     * @param group     of the IOMMU, or -1.
     * @return this.
     * @throws IOException when the folder cannot be written.
     */
    public SysfsTree device(final String address, final int classCode, final String driver, final int group)
        throws IOException
    {
        final String device = "sys/bus/pci/devices/" + address + "/";
        file(device + "vendor", "0x1b36");
        file(device + "device", "0x0010");
        file(device + "class", "0x0" + Integer.toHexString(classCode));
        file(device + "numa_node", "1");
        file(device + "driver_override", "(null)");
        file(device + "resource", RESOURCES);
        if (!driver.isEmpty())
        {
            file("sys/bus/pci/drivers/" + driver + "/new_id", "");
            link(device + "driver", "sys/bus/pci/drivers/" + driver);
        }
        if (group >= 0)
        {
            Files.createDirectories(root.resolve("sys/kernel/iommu_groups/" + group + "/devices"));
            link(device + "iommu_group", "sys/kernel/iommu_groups/" + group);
            link("sys/kernel/iommu_groups/" + group + "/devices/" + address, device);
        }
        return this;
    }

    /**
     * Adds a file, and the folders on its way.
     *
     * @param path below the root.
     * @param text of it.
     * @return this.
     * @throws IOException when the folder cannot be written.
     */
    public SysfsTree file(final String path, final String text) throws IOException
    {
        final Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
        return this;
    }

    /**
     * Adds a link, and the folders on its way.
     *
     * @param path   below the root.
     * @param target below the root; need not be there.
     * @return this.
     * @throws IOException when the folder cannot be written.
     */
    public SysfsTree link(final String path, final String target) throws IOException
    {
        final Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.createSymbolicLink(file, root.resolve(target));
        return this;
    }
}

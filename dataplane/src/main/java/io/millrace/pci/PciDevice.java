package io.millrace.pci;

import java.util.List;

/**
 * Properties of a PCI function, as read from sysfs. Immutable; any thread.
 *
 * @param address        where it is.
 * @param vendorId       16 bits.
 * @param deviceId       16 bits.
 * @param classCode      class, subclass and programming interface, 24 bits.
 * @param driver         that drives it; empty when none does.
 * @param driverOverride the one driver that may take it; empty when any may.
 * @param iommuGroup     number of its IOMMU group, or -1 when it has none.
 * @param numaNode       it is attached to, or -1 when that is not known.
 * @param barBytes       length of each base address register's range, 0 for missing ones.
 */
public record PciDevice(
    PciAddress address,
    int vendorId,
    int deviceId,
    int classCode,
    String driver,
    String driverOverride,
    int iommuGroup,
    int numaNode,
    List<Long> barBytes) implements Comparable<PciDevice>
{
    /** Class code of NVMe controllers: mass storage, non-volatile memory, NVM Express I/O controller. */
    public static final int CLASS_NVME = 0x010802;
    private static final int BASE_CLASS_SHIFT = 16;
    private static final int BASE_CLASS_BRIDGE = 0x06;

    /**
     * {@return whether it is an NVMe controller}
     */
    public boolean isNvme()
    {
        return CLASS_NVME == classCode;
    }

    /**
     * {@return whether it is a bridge; the kernel goes on driving those of a group that a process has taken}
     */
    public boolean isBridge()
    {
        return BASE_CLASS_BRIDGE == classCode >>> BASE_CLASS_SHIFT;
    }

    /**
     * {@return whether VFIO drives it}
     */
    public boolean isVfio()
    {
        return PciBus.VFIO_DRIVER.equals(driver);
    }

    /**
     * {@return the class as {@code lspci -n} writes it, with the programming interface, such as {@code 01:08:02}}
     */
    public String classText()
    {
        final String hex = Integer.toHexString(0x1000000 | classCode);
        return hex.substring(1, 3) + ":" + hex.substring(3, 5) + ":" + hex.substring(5);
    }

    /**
     * {@return vendor and device as {@code lspci -n} writes them, such as {@code 144d:a808}}
     */
    public String idText()
    {
        return Integer.toHexString(0x10000 | vendorId).substring(1) + ":" +
            Integer.toHexString(0x10000 | deviceId).substring(1);
    }

    @Override
    public int compareTo(final PciDevice other)
    {
        return address.compareTo(other.address);
    }
}

package io.millrace.pci;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Architecture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PciBusTest
{
    private static final PciAddress NVME = PciAddress.parse("0000:01:00.0");
    private static final PciAddress AUDIO = PciAddress.parse("0000:01:00.1");
    private static final PciAddress ALONE = PciAddress.parse("10000:02:00.0");

    @TempDir
    private Path root;
    private SysfsTree tree;
    private PciBus bus;

    @BeforeEach
    void setUp() throws IOException
    {
        tree = new SysfsTree(root)
            .device("10000:02:00.0", 0x010802, "vfio-pci", 7)
            .device("0000:01:00.1", 0x040300, "snd_hda_intel", 3)
            .device("0000:01:00.0", 0x010802, "nvme", 3)
            .device("0000:00:01.0", 0x060400, "pcieport", 3)
            .device("0000:00:1f.2", 0x010802, "", -1);
        bus = new PciBus(root);
    }

    @Test
    void shouldReadWhatSysfsSays()
    {
        final PciDevice device = bus.find(NVME);

        assertEquals(0x1b36, device.vendorId());
        assertEquals("1b36:0010", device.idText());
        assertEquals("01:08:02", device.classText());
        assertTrue(device.isNvme());
        assertFalse(device.isVfio());
        assertEquals("nvme", device.driver());
        assertEquals("", device.driverOverride());
        assertEquals(3, device.iommuGroup());
        assertEquals(1, device.numaNode());
        assertEquals(List.of(16384L, 0L, 0L, 0L, 4096L, 0L), device.barBytes());
    }

    @Test
    void shouldListInOrderOfAddresses()
    {
        assertEquals(List.of("0000:00:01.0", "0000:00:1f.2", "0000:01:00.0", "0000:01:00.1", "10000:02:00.0"),
            bus.list().stream().map((device) -> device.address().toString()).toList());
    }

    @Test
    void shouldNameTheOthersOfAGroup()
    {
        assertEquals(List.of(PciAddress.parse("0000:00:01.0"), AUDIO),
            bus.groupOthers(bus.find(NVME)).stream().map(PciDevice::address).toList());
        assertEquals(List.of(), bus.groupOthers(bus.find(ALONE)));
        assertTrue(bus.groupOthers(bus.find(NVME)).getFirst().isBridge());
    }

    @Test
    void shouldKnowAGroupThatStandsForNoIommu() throws IOException
    {
        assertFalse(bus.isGroupWithoutIommu(bus.find(ALONE)));
        assertTrue(bus.hasIommu());

        tree.file("sys/kernel/iommu_groups/7/name", "vfio-noiommu");

        assertTrue(bus.isGroupWithoutIommu(bus.find(ALONE)));
        assertTrue(bus.hasIommu());
    }

    @Test
    void shouldFindNothingWhereThereIsNoBus(@TempDir final Path empty)
    {
        assertEquals(List.of(), new PciBus(empty).list());
        assertFalse(new PciBus(empty).hasIommu());
        final PciException thrown = assertThrows(PciException.class, () -> new PciBus(empty).find(NVME));
        assertTrue(thrown.getMessage().startsWith("no PCI function is at 0000:01:00.0"), thrown.getMessage());
    }

    @Test
    void shouldRefuseADriverThatIsNotLoaded()
    {
        final PciException thrown = assertThrows(PciException.class, () -> bus.bind(NVME, "uio_pci_generic"));

        assertEquals("driver uio_pci_generic is not loaded: as root, modprobe uio_pci_generic", thrown.getMessage());
    }

    @Test
    void shouldSayWhyAFunctionCannotBeTaken()
    {
        assertRefused("0000:01:00.1 is not an NVMe drive: its class is 04:03:00, not 01:08:02", AUDIO);
        assertRefused("0000:01:00.0 is driven by the kernel's nvme, not by vfio-pci", NVME);
        assertRefused("0000:00:1f.2 has no IOMMU", PciAddress.parse("0000:00:1f.2"));
        VfioFunction.check(bus, bus.find(ALONE), IommuMode.REQUIRED);
    }

    @Test
    void shouldTakeDrivesWhereStoresReachThemInOrderAlone()
    {
        VfioFunction.checkProcessor(Architecture.X86_64);
        final PciException thrown = assertThrows(
            PciException.class, () -> VfioFunction.checkProcessor(Architecture.AARCH64));
        assertEquals("drives from user space work on x86-64 only: on aarch64 Java has no barrier that orders memory " +
            "before a doorbell for devices; leave the drive to the kernel and serve its block device, type file",
            thrown.getMessage());
    }

    @Test
    void shouldTakeNothingWithoutIommuUnlessSaid() throws IOException
    {
        tree.file("sys/kernel/iommu_groups/7/name", "vfio-noiommu");

        assertRefused("10000:02:00.0 has no IOMMU", ALONE);
        VfioFunction.check(bus, bus.find(ALONE), IommuMode.UNSAFE_NO_IOMMU);
    }

    private void assertRefused(final String begin, final PciAddress address)
    {
        final PciException thrown = assertThrows(
            PciException.class, () -> VfioFunction.check(bus, bus.find(address), IommuMode.REQUIRED));
        assertTrue(thrown.getMessage().startsWith(begin), thrown.getMessage());
    }

    @Test
    void shouldKnowTheFileOfAFunctionWhereTheKernelHasOne() throws IOException
    {
        assertEquals("", bus.vfioDeviceFile(bus.find(ALONE)));
        // Linux 6.1 has the name without the file.
        tree.file("sys/bus/pci/devices/10000:02:00.0/vfio-dev/vfio4/dev", "511:4");
        assertEquals("", bus.vfioDeviceFile(bus.find(ALONE)));
        tree.file("dev/vfio/devices/vfio4", "");
        assertEquals("/dev/vfio/devices/vfio4", bus.vfioDeviceFile(bus.find(ALONE)));
    }
}

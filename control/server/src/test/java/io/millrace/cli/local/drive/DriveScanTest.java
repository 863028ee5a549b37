package io.millrace.cli.local.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.pci.IommuMode;
import io.millrace.pci.PciException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Drives and their names, from files like the kernel's; the emulated machine has the kernel's own.
 */
class DriveScanTest
{
    private static final String DEVICES = "sys/bus/pci/devices/";
    private static final String KERNELS = "0000:01:00.0";
    private static final String VFIOS = "0000:02:00.0";

    @TempDir
    private Path root;
    private DriveScan scan;

    /** A drive that the kernel drives, one of VFIO and something else. */
    @BeforeEach
    void setUp() throws IOException
    {
        device(KERNELS, "0x010802", "nvme");
        device(VFIOS, "0x010802", "vfio-pci");
        device("0000:00:00.0", "0x060000", "");
        file(DEVICES + KERNELS + "/nvme/nvme3/state", "live");
        file("sys/class/nvme/nvme3/model", "A drive");
        // With multipathing in the kernel, namespaces have the number of their subsystem.
        file("sys/class/nvme/nvme3/nvme7c3n1/size", "0");
        file("sys/class/block/nvme7n1/size", "8");
        file("sys/class/block/nvme7n1/dev", "259:0");
        Files.createDirectories(root.resolve("sys/kernel/iommu_groups/5"));
        Files.createSymbolicLink(root.resolve(DEVICES + VFIOS + "/iommu_group"),
            root.resolve("sys/kernel/iommu_groups/5"));
        file("dev/vfio/5", "");
        file("dev/nvme7n1", "");
        scan = new DriveScan(root);
    }

    private void device(final String address, final String classCode, final String driver) throws IOException
    {
        file(DEVICES + address + "/class", classCode);
        if (!driver.isEmpty())
        {
            Files.createDirectories(root.resolve("sys/bus/pci/drivers/" + driver));
            Files.createSymbolicLink(root.resolve(DEVICES + address + "/driver"),
                root.resolve("sys/bus/pci/drivers/" + driver));
        }
    }

    private void file(final String path, final String text) throws IOException
    {
        final Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        KERNELS, "01:00.0", "nvme3", "/dev/nvme3", "nvme7n1", "/dev/nvme7n1", "nvme7n1p2", "/dev/nvme7n1p2"})
    void shouldFindADriveByAllItsNames(final String name)
    {
        assertEquals(KERNELS, scan.find(name).address());
    }

    @Test
    void shouldSayWhatANameIsThatIsNoDrive()
    {
        assertEquals("nvme0n1 is not an NVMe drive of this machine's PCI buses: 'millrace drive list' shows those " +
            "that are",
            assertThrows(PciException.class, () -> scan.find("/dev/nvme0n1")).getMessage());
        assertTrue(assertThrows(PciException.class, () -> scan.find("00:00.0")).getMessage()
            .startsWith("0000:00:00.0 is not an NVMe drive: its class is 06:00:00"));
    }

    @Test
    void shouldNameTheProcessThatHasADriveOpen() throws IOException
    {
        assertEquals(List.of(true, true), scan.list().stream().map(Drive::isFree).toList());
        final String self = " by process " + ProcessHandle.current().pid();

        try (RandomAccessFile group = new RandomAccessFile(root.resolve("dev/vfio/5").toFile(), "r");
            RandomAccessFile disk = new RandomAccessFile(root.resolve("dev/nvme7n1").toFile(), "r"))
        {
            assertTrue(group.getFD().valid() && disk.getFD().valid());
            final List<Drive> drives = scan.list();
            assertTrue(drives.getFirst().uses().getFirst().startsWith("nvme7n1 is open" + self), drives::toString);
            assertTrue(drives.getLast().uses().getFirst().startsWith("in use" + self), drives::toString);
            final PciException refused = assertThrows(PciException.class,
                () -> DriveAdmin.open(drives.getLast(), IommuMode.REQUIRED));
            assertTrue(refused.getMessage().startsWith(VFIOS + " is in use" + self) &&
                refused.getMessage().endsWith("see 'millrace events'"), refused.getMessage());
        }
        assertTrue(scan.find(VFIOS).isFree());
    }
}

package io.millrace.cli.local.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Capability;
import io.millrace.console.Terminal;
import io.millrace.reactor.Housekeeping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineProbeTest
{
    private static final String LIMITS = """
        Limit                     Soft Limit           Hard Limit           Units
        Max open files            1024                 1048576              files
        Max locked memory         8388608              8388608              bytes
        """;

    @TempDir
    private Path root;

    private void file(final String path, final String text) throws IOException
    {
        final Path file = root.resolve(path.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    private Capability find(final String name, final String path)
    {
        return new MachineProbe(new SystemFiles(root), Map.of("PATH", path)).run().stream()
            .map(Finding::capability).filter((c) -> c.name().equals(name)).findFirst().orElseThrow();
    }

    private Capability find(final String name)
    {
        return find(name, "/nowhere");
    }

    @Test
    void shouldGiveReasonAndRemedyForEveryThing()
    {
        final List<Finding> findings = new MachineProbe(new SystemFiles(Path.of("/")), System.getenv()).run();
        assertTrue(findings.size() > 12, findings.toString());
        for (final Finding finding : findings)
        {
            assertFalse(finding.use().isBlank());
            assertFalse(finding.capability().reason().isBlank());
            assertFalse(finding.capability().toString().contains("\n"), finding.toString());
            assertEquals(finding.capability().isAvailable() ? 1 : 3,
                DoctorCommand.lines(new Terminal(System.out, false, false), finding).size());
        }
    }

    @Test
    void shouldTellFreeHugepages() throws IOException
    {
        assertEquals("hugepages is off: this kernel has none of 2 MiB; run a kernel with CONFIG_HUGETLBFS",
            find("hugepages").toString());
        file("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "16");
        file("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "0");
        assertEquals("hugepages is off: 0 of 16 pages of 2 MiB are free; " +
            "as root: sysctl vm.nr_hugepages=80 for 128 MiB of them", find("hugepages").toString());
        file("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "12");
        assertEquals("hugepages is on: 12 of 16 pages of 2 MiB are free, 24 MiB", find("hugepages").toString());
    }

    @Test
    void shouldTellWhichCpusStayOutOfIdleStates() throws IOException
    {
        final int cpu = Housekeeping.allowed().nextSetBit(0);
        final String limit = "/sys/devices/system/cpu/cpu" + cpu + "/power/pm_qos_resume_latency_us";
        assertFalse(find("quick wake-up").isAvailable());
        file(limit, "0");
        assertFalse(find("quick wake-up").isAvailable());
        file(limit, "n/a");
        assertEquals("quick wake-up is on: CPUs " + cpu + " stay out of deep idle states",
            find("quick wake-up").toString());
    }

    @Test
    void shouldTellTransparentHugePages() throws IOException
    {
        assertFalse(find("transparent huge pages").isAvailable());
        file("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
        assertFalse(find("transparent huge pages").isAvailable());
        file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
        assertTrue(find("transparent huge pages").isAvailable());
    }

    @Test
    void shouldTellLimits() throws IOException
    {
        file("/proc/self/limits", LIMITS);
        file("/proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000");
        assertEquals("limited to 8192 KiB", find("locked memory").reason());
        assertEquals("limited to 1024", find("open files").reason());
        file("/proc/self/status", "Name:\tjava\nCapEff:\t000001ffffffffff");
        assertTrue(find("locked memory").isAvailable());
        file("/proc/self/limits", LIMITS.replace("1024 ", "unlimited "));
        assertTrue(find("open files").isAvailable());
    }

    @Test
    void shouldTellKernelModule() throws IOException
    {
        file("/proc/sys/kernel/osrelease", "6.1.0");
        assertEquals("not among the modules of kernel 6.1.0", find("nvme-tcp module").reason());
        file("/lib/modules/6.1.0/modules.dep", "kernel/drivers/nvme/host/nvme-tcp.ko: kernel/x.ko");
        assertEquals("as root: modprobe nvme-tcp", find("nvme-tcp module").remedy());
        file("/sys/module/nvme_tcp/refcnt", "0");
        assertEquals("loaded", find("nvme-tcp module").reason());
    }

    @Test
    void shouldFindToolsAndDevices() throws IOException
    {
        assertFalse(find("nvme-cli").isAvailable());
        file("/opt/bin/nvme", "");
        assertEquals("/opt/bin/nvme", find("nvme-cli", "relative:/nowhere:/opt/bin").reason());
        assertFalse(find("RDMA devices").isAvailable());
        file("/sys/class/infiniband/mlx5_0/node_type", "1: CA");
        assertEquals("mlx5_0", find("RDMA devices").reason());
        assertFalse(find("CPU isolation").isAvailable());
        file("/sys/devices/system/cpu/isolated", "2-3");
        assertTrue(find("CPU isolation").isAvailable());
    }

    @Test
    void shouldTellWhoMayOpenRdmaDevices() throws IOException
    {
        file("/sys/class/infiniband_verbs/abi_version", "6");
        file("/sys/class/infiniband_verbs/uverbs1/ibdev", "rxe0");
        assertEquals("/dev/infiniband/uverbs1 is missing", find("permission for uverbs1").reason());
        file("/dev/infiniband/uverbs1", "");
        assertEquals("/dev/infiniband/uverbs1 may be opened", find("permission for uverbs1").reason());
        assertFalse(find("ib_uverbs module").isAvailable());
        file("/sys/module/ib_uverbs/refcnt", "1");
        assertTrue(find("ib_uverbs module").isAvailable());
    }

    @Test
    void shouldTellWhatVfioNeeds() throws IOException
    {
        assertEquals("functions are in no IOMMU groups", find("IOMMU").reason());
        assertEquals("first the module vfio-pci", find("drives bound to VFIO").remedy());
        file("/sys/kernel/iommu_groups/7/type", "DMA");
        file("/sys/module/vfio_pci/refcnt", "0");
        assertEquals("1 groups", find("IOMMU").reason());
        assertTrue(find("vfio-pci module").isAvailable());
        assertTrue(find("drives bound to VFIO").remedy().startsWith("as root: millrace drive bind ADDRESS"));
        file("/sys/bus/pci/drivers/vfio-pci/new_id", "");
        file("/sys/bus/pci/drivers/vfio-pci/0000:01:00.0/vendor", "0x1b36");
        final Path device = Files.createDirectories(root.resolve("sys/bus/pci/devices/0000:01:00.0"));
        Files.createSymbolicLink(device.resolve("iommu_group"), root.resolve("sys/kernel/iommu_groups/7"));
        assertEquals("0000:01:00.0", find("drives bound to VFIO").reason());
        assertEquals("/dev/vfio/7 is missing", find("permission for 0000:01:00.0").reason());
        file("/dev/vfio/7", "");
        assertEquals("/dev/vfio/7 may be opened", find("permission for 0000:01:00.0").reason());
        file("/sys/kernel/iommu_groups/7/name", "vfio-noiommu");
        assertEquals("/dev/vfio/noiommu-7 is missing", find("permission for 0000:01:00.0").reason());
        file("/sys/bus/pci/devices/0000:01:00.0/vfio-dev/vfio2/dev", "511:2");
        file("/dev/vfio/devices/vfio2", "");
        assertFalse(find("permission for 0000:01:00.0").isAvailable());
        file("/dev/iommu", "");
        assertEquals("/dev/vfio/devices/vfio2 and /dev/iommu may be opened",
            find("permission for 0000:01:00.0").reason());
    }
}

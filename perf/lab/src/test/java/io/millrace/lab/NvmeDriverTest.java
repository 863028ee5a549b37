package io.millrace.lab;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The user-space driver on QEMU's drives, over VFIO and behind an IOMMU; the kernel's driver is the other side.
 */
@LabTest
final class NvmeDriverTest
{
    @Test
    void shouldShareDataWithTheKernelsDriver() throws Exception
    {
        final List<String> jvm = TargetProcess.command("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        jvm.removeLast();
        final LabResult result = Lab.named("nvme-driver")
            .option("--image", "ns512:64M").option("--image", "ns4096:64M").option("--image", "nsmeta:64M")
            .option("--device", "nvme,serial=FORMATS,id=formats")
            .option("--device", "nvme-ns,drive=ns512,bus=formats,nsid=1")
            .option("--device", "nvme-ns,drive=ns4096,bus=formats,nsid=2,logical_block_size=4096," +
                "physical_block_size=4096")
            .option("--device", "nvme-ns,drive=nsmeta,bus=formats,nsid=3,logical_block_size=4096," +
                "physical_block_size=4096,ms=8")
            .run(200, "nvme-driver.sh", String.join(" ", jvm));
        result.assertPassed();
        List.of("kernel-writes", "driver", "kernel-reads").forEach(result::assertStep);
    }
}

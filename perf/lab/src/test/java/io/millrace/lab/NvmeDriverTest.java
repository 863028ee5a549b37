package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The user-space driver on QEMU's drives, over VFIO and behind an IOMMU; the kernel's driver is the other side.
 */
@LabTest
final class NvmeDriverTest
{
    @Test
    void shouldShareDataWithTheKernelsDriverAndKeepTheContract() throws Exception
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
            .option("--drives", 0)
            // As many blocks as make 8 MiB, and their metadata.
            .option("--image", "c512:8192K").option("--image", "c4096:8192K").option("--image", "cmeta:8208K")
            .option("--image", "cpi:8208K")
            .option("--device", "nvme,serial=CONTRACT,id=contract")
            .option("--device", "nvme-ns,drive=c512,bus=contract,nsid=1")
            .option("--device", "nvme-ns,drive=c4096,bus=contract,nsid=2,logical_block_size=4096," +
                "physical_block_size=4096")
            .option("--device", "nvme-ns,drive=cmeta,bus=contract,nsid=3,logical_block_size=4096," +
                "physical_block_size=4096,ms=8")
            .option("--device", "nvme-ns,drive=cpi,bus=contract,nsid=4,logical_block_size=4096," +
                "physical_block_size=4096,ms=8,pi=1")
            .run(300, "nvme-driver.sh", String.join(" ", jvm));
        result.assertPassed();
        List.of("kernel-writes", "driver", "beside", "kernel-reads", "contract").forEach(result::assertStep);
        // QEMU's drive offers Copy; where blocks have metadata the driver does not use it.
        final List<String> contract = result.lines("CONTRACT");
        for (int nsid = 1; nsid <= 4; nsid++)
        {
            assertEquals(nsid <= 2, contract.contains("namespace " + nsid + " copies"), result::description);
        }
    }
}

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
        final List<String> jvm = GuestJvm.command();
        final LabResult result = Lab.withJvms("nvme-driver")
            // A processor for each vector.
            .option("--cpus", 2)
            .option("--image", "ns512:64M").option("--image", "ns4096:64M").option("--image", "nsmeta:64M")
            .option("--device", "nvme,serial=FORMATS,id=formats")
            .option("--device", "nvme-ns,drive=ns512,bus=formats,nsid=1")
            .option("--device", "nvme-ns,drive=ns4096,bus=formats,nsid=2,logical_block_size=4096," +
                "physical_block_size=4096")
            .option("--device", "nvme-ns,drive=nsmeta,bus=formats,nsid=3,logical_block_size=4096," +
                "physical_block_size=4096,ms=8")
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
            .option("--image", "m1:1M").option("--image", "m2:1M").option("--image", "m3:1M")
            .option("--image", "m4:1M").option("--image", "m5:1M").option("--image", "m6:1M")
            .option("--device", "nvme,serial=MANY,id=many,max_ioqpairs=2,msix_qsize=3")
            .option("--device", "nvme-ns,drive=m1,bus=many,nsid=1")
            .option("--device", "nvme-ns,drive=m2,bus=many,nsid=2")
            .option("--device", "nvme-ns,drive=m3,bus=many,nsid=3")
            .option("--device", "nvme-ns,drive=m4,bus=many,nsid=4")
            .option("--device", "nvme-ns,drive=m5,bus=many,nsid=5")
            .option("--device", "nvme-ns,drive=m6,bus=many,nsid=6")
            .run(600, "nvme-driver.sh", String.join(" ", jvm));
        result.assertPassed();
        List.of("kernel-writes", "driver", "beside", "kernel-reads", "sharing", "contract").forEach(result::assertStep);
        // QEMU's drive offers Copy; where blocks have metadata the driver does not use it.
        final List<String> contract = result.lines("CONTRACT");
        for (int nsid = 1; nsid <= 4; nsid++)
        {
            assertEquals(nsid <= 2, contract.contains("namespace " + nsid + " copies"), result::description);
        }
        // Of two reactors each is woken by a vector of its own.
        assertEquals(List.of("vector 1 interrupts", "vector 2 interrupts",
            "namespaces 6 on 2 reactors, resets 0, notes 0"), result.lines("NAMESPACES"), result::description);
    }
}

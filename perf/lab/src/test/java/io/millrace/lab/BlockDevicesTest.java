package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * File devices on block devices of the kernel: NVMe drives that its driver has, loop, device mapper.
 */
@LabTest
final class BlockDevicesTest
{
    @Test
    void shouldKeepTheContractOnBlockDevicesOfTheKernel() throws Exception
    {
        final List<String> jvm = GuestJvm.command();
        final LabResult result = Lab.withJvms("block-devices").onOneHostCpu().drives(2)
            .option("--image", "c512:8192K").option("--image", "c4096:8192K")
            .option("--device", "nvme,serial=CONTRACT,id=contract")
            .option("--device", "nvme-ns,drive=c512,bus=contract,nsid=1")
            .option("--device", "nvme-ns,drive=c4096,bus=contract,nsid=2,logical_block_size=4096," +
                "physical_block_size=4096")
            .option("--image", "spare:16M").option("--device", "nvme,serial=SPARE,drive=spare")
            .option("--image", "removed:16M").option("--device", "nvme,serial=REMOVED,drive=removed")
            .run(900, "block-devices.sh", String.join(" ", jvm));
        result.assertPassed();
        List.of("setup", "runs").forEach(result::assertStep);
        final List<String> lines = result.lines("CONTRACT");
        // The checks and the contract on four block devices.
        assertEquals(5, lines.stream().filter((line) -> line.contains(" passed ")).count(), result::description);
        assertEquals("failed with MEDIA_ERROR, is DEGRADED", lines.getFirst(), result::description);
        assertEquals("is ONLINE after a minute", lines.getLast(), result::description);
    }
}

package io.millrace.lab;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * NVMe drives given to VFIO and back by {@code millrace drive}, and what a process that takes one gets: registers, DMA
 * mappings behind the machine's IOMMU, interrupts, reset, word of its removal. Without the driver.
 */
@LabTest
final class DriveTest
{
    @Test
    void shouldGiveDrivesToVfioAndBackUnlessTheyAreInUse() throws Exception
    {
        final List<String> jvm = GuestJvm.command();
        final LabResult result;
        try (LabMachine machine = Lab.withJvms("drive")
            .drives(4)
            .option("--image", "group0:64M").option("--image", "group1:64M").option("--image", "hot:64M")
            .option("--device", "nvme,serial=GROUP1,drive=group1,bus=hotplug3,addr=0.1")
            .option("--device", "nvme,serial=GROUP0,drive=group0,bus=hotplug3,addr=0.0,multifunction=on")
            .option("--device", "nvme,serial=HOT,drive=hot,bus=hotplug0,id=hot")
            .start(480, "drive.sh", String.join(" ", jvm)))
        {
            machine.awaitLine("ready to unplug");
            try (QemuMonitor monitor = machine.monitor())
            {
                monitor.unplug("hot");
            }
            result = machine.await();
        }
        result.assertPassed();
        List.of("use", "list", "refuse", "bind", "take", "beside", "group", "without-root", "unplug", "give-back")
            .forEach(result::assertStep);
    }
}

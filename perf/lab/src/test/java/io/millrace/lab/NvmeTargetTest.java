package io.millrace.lab;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@code millrace serve} over a drive that it drives itself, with the kernel's NVMe/TCP initiator in the same machine:
 * what the drive does to the data plane, the kernel must be told of, and no more.
 */
@LabTest
final class NvmeTargetTest
{
    @Test
    void shouldServeADriveThatIsResetAndPulledUnderLoad() throws Exception
    {
        final List<String> jvm = TargetProcess.command("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m");
        jvm.removeLast();
        final Path image = Lab.directory("nvme-target").resolve("hot.img");
        final LabResult result;
        try (LabMachine machine = Lab.named("nvme-target")
            .option("--drives", 0).option("--image", "hot:48M")
            .option("--device", "nvme,serial=HOT,drive=hot,bus=hotplug0,id=hot")
            .start(300, "nvme-target.sh", String.join(" ", jvm), TargetProcess.NQN))
        {
            machine.awaitLine("ready to unplug");
            try (QemuMonitor monitor = machine.monitor())
            {
                monitor.unplug("hot");
                monitor.awaitUnplugged("hot");
                machine.awaitLine("ready to plug");
                monitor.plugDrive("again", image, 0);
            }
            result = machine.await();
        }
        result.assertPassed();
        List.of("serve", "file-system", "verify", "reset", "unplug", "plug", "give-back").forEach(result::assertStep);
    }
}

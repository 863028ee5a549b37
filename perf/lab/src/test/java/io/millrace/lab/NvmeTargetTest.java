package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code millrace serve} over a drive that it drives itself, with the kernel's NVMe/TCP initiator in the same machine:
 * what the drive does to the data plane, the kernel must be told of, and no more.
 */
@LabTest
final class NvmeTargetTest
{
    private static final String FLUSH_EVENT = "pci_nvme_flush_ns";

    @Test
    void shouldServeADriveThatIsResetAndPulledUnderLoad() throws Exception
    {
        final List<String> jvm = GuestJvm.command("-Xmx128m");
        final Path image = Lab.directory("nvme-target").resolve("hot.img");
        final LabResult result;
        try (LabMachine machine = Lab.withJvms("nvme-target")
            .option("--image", "hot:48M")
            .option("--device", "nvme,serial=HOT,drive=hot,bus=hotplug0,id=hot")
            .start(600, "nvme-target.sh", String.join(" ", jvm), TargetProcess.NQN))
        {
            machine.awaitLine("will flush");
            try (QemuMonitor monitor = machine.monitor())
            {
                // The machine logs each flush that its drive executes.
                monitor.execute("trace-event-set-state", "{\"name\": \"" + FLUSH_EVENT + "\", \"enable\": true}");
                machine.awaitLine("ready to unplug");
                monitor.unplug("hot");
                monitor.awaitUnplugged("hot");
                machine.awaitLine("ready to plug");
                monitor.plugDrive("again", image, 0);
            }
            result = machine.await();
        }
        result.assertPassed();
        List.of("serve", "file-system", "verify", "reset", "unplug", "plug", "give-back").forEach(result::assertStep);
        final long flushes;
        try (Stream<String> lines = Files.lines(result.directory().resolve("qemu.log")))
        {
            flushes = lines.filter((line) -> line.contains(FLUSH_EVENT)).count();
        }
        final long expected = Long.parseLong(new Answers(result).value("flushes"));
        assertTrue(0 != expected && flushes >= expected,
            "the file system flushed " + expected + " times, the drive " + flushes + " times");
    }
}

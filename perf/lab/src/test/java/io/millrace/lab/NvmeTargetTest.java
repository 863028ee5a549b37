package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
        final long flushes;
        try (LabMachine machine = Lab.named("nvme-target")
            .option("--drives", 0).option("--image", "hot:48M")
            .option("--device", "nvme,serial=HOT,drive=hot,bus=hotplug0,id=hot")
            .start(300, "nvme-target.sh", String.join(" ", jvm), TargetProcess.NQN))
        {
            machine.awaitLine("flushed");
            try (QemuMonitor monitor = machine.monitor())
            {
                flushes = flushes(monitor, "hot");
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
        final long expected = Long.parseLong(new Answers(result).value("flushes"));
        assertTrue(0 != expected && flushes >= expected,
            "the file system flushed " + expected + " times, the drive " + flushes + " times");
    }

    /** How many flushes the drive has executed, as the machine counts them. */
    private static long flushes(final QemuMonitor monitor, final String drive) throws IOException
    {
        final Object answer = Answers.parse(monitor.execute("query-blockstats", "{}"));
        for (final Object each : (List<?>)((Map<?, ?>)answer).get("return"))
        {
            final Map<?, ?> device = (Map<?, ?>)each;
            if (drive.equals(device.get("device")))
            {
                return ((Number)((Map<?, ?>)device.get("stats")).get("flush_operations")).longValue();
            }
        }
        throw new AssertionError("the machine has no drive " + drive + ": " + answer);
    }
}

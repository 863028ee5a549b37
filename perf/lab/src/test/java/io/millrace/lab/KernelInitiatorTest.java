package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Our target under the kernel's initiator: one machine does everything, each test looks at one step of it.
 */
@LabTest
final class KernelInitiatorTest
{
    private static LabResult result;
    private static boolean targetSurvived;

    @BeforeAll
    static void run() throws Exception
    {
        final Path directory = Lab.directory("kernel-initiator-target");
        final List<Path> images = List.of(directory.resolve("file4k.img"), directory.resolve("file512.img"));
        for (final Path image : images)
        {
            Files.deleteIfExists(image);
        }
        final List<String> devices = List.of(
            "{name: memory4k, type: memory, size: 64MiB, block-size: 4096}",
            "{name: memory512, type: memory, size: 32MiB, block-size: 512}",
            "{name: file4k, type: file, path: " + images.get(0) + ", size: 32MiB, block-size: 4096}",
            "{name: file512, type: file, path: " + images.get(1) + ", size: 64MiB, block-size: 512}");
        try (TargetProcess target = TargetProcess.start(
            "kernel-initiator", devices, "memory4k", "memory512", "file4k", "file512"))
        {
            result = Lab.named("kernel-initiator").run(480, "kernel-initiator.sh", target.port(), TargetProcess.NQN);
            targetSurvived = target.isAlive();
        }
        for (final Path image : images)
        {
            Files.deleteIfExists(image);
        }
    }

    @Test
    void shouldBeDiscovered()
    {
        result.assertStep("discover");
    }

    @Test
    void shouldBeConnectedToAndDisconnectedFrom()
    {
        result.assertStep("connect");
        result.assertStep("disconnect");
    }

    @Test
    void shouldAnswerEveryCommandOfNvmeCli()
    {
        result.assertStep("nvme-cli");
    }

    @Test
    void shouldRefuseWithTheRightStatus()
    {
        result.assertStep("refusals");
    }

    @Test
    void shouldCarryAFileSystemInMemory()
    {
        result.assertStep("file-system-memory");
    }

    @Test
    void shouldCarryAFileSystemInAFile()
    {
        result.assertStep("file-system-file");
    }

    @Test
    void shouldKeepDataUnderDigests()
    {
        result.assertStep("connect-with-digests");
        result.assertStep("verify-4k");
        result.assertStep("verify-128k");
    }

    @Test
    void shouldGiveTheKernelNothingToComplainOf()
    {
        assertEquals(List.of(), result.lines("WARNING"), result::description);
    }

    @Test
    void shouldEndWell()
    {
        result.assertPassed();
        assertTrue(targetSurvived, "the target did not live through it");
    }
}

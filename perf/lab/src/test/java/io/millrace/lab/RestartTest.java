package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.lab.guest.AcknowledgedWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Our target killed without a word under the kernel's initiator.
 */
@LabTest
final class RestartTest
{
    private static final int KILLS = 2;
    private static final String ACKNOWLEDGED = "WRITER ack ";

    @Test
    void shouldLoseNothingAcknowledgedWhenKilledUnderLoad() throws Exception
    {
        final Path directory = Lab.directory("restart-target");
        final List<Path> images = List.of(directory.resolve("load.img"), directory.resolve("writer.img"));
        for (final Path image : images)
        {
            Files.deleteIfExists(image);
        }
        final List<String> devices = images.stream().map((image) -> "{name: " +
            image.getFileName().toString().replace(".img", "") + ", type: file, path: " + image +
            ", size: 16MiB, block-size: 4096}").toList();
        final LabResult result;
        try (TargetProcess target = TargetProcess.start("restart", devices, "load", "writer");
            LabMachine machine = Lab.named("restart").start(480, "restart.sh", target.port(), TargetProcess.NQN,
                ProcessHandle.current().info().command().orElseThrow(), Lab.testClasses(), KILLS))
        {
            for (int i = 1; i <= KILLS; i++)
            {
                machine.awaitLine("ready for kill " + i);
                target.kill();
                machine.awaitLine("connection lost " + i);
                assertEquals(0, AcknowledgedWriter.lost(images.getLast(), acknowledged(machine)), "after kill " + i);
                target.start();
                machine.awaitLine("live again " + i);
            }
            result = machine.await();
        }
        result.assertPassed();
        assertEquals("lost 0", result.lines("WRITER").getLast(), result::description);
        for (final Path image : images)
        {
            Files.deleteIfExists(image);
        }
    }

    /** Number of the last record that the writer has seen flushed. */
    private static long acknowledged(final LabMachine machine)
    {
        final List<String> acknowledged = machine.output().lines().filter((l) -> l.startsWith(ACKNOWLEDGED)).toList();
        assertFalse(acknowledged.isEmpty(), "the writer wrote nothing before the kill");
        return Long.parseLong(acknowledged.getLast().substring(ACKNOWLEDGED.length()));
    }
}

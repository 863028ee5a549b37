package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two {@code millrace serve} processes that serve one subsystem, as two paths of the kernel's native multipath: one file
 * that both have open to read, under a load that verifies every block while either process is killed and started again.
 */
@LabTest
final class TwoPathsTest
{
    private static final int KILLS = 2;
    private static final long FILL_SECONDS = 60;

    @Test
    void shouldReadOnThroughTheOtherProcessWhenOneIsKilled() throws Exception
    {
        final Path image = Lab.directory("two-paths-target").resolve("shared.img");
        fill(image);
        final List<String> devices = List.of(
            "{name: shared, type: file, path: " + image + ", read-only: true, block-size: 4096}");
        final LabResult result;
        try (TargetProcess first = TargetProcess.start("two-paths-first",
                "limits: {controller-id-first: 1, controller-id-last: 100}\n", devices, "shared");
            TargetProcess second = TargetProcess.start("two-paths-second",
                "limits: {controller-id-first: 101, controller-id-last: 200}\n", devices, "shared");
            LabMachine machine = Lab.named("two-paths").start(300, "two-paths.sh", first.port(), second.port(),
                TargetProcess.NQN, KILLS))
        {
            for (int i = 1; i <= KILLS; i++)
            {
                for (final TargetProcess each : List.of(first, second))
                {
                    machine.awaitLine("ready for kill " + i + " of " + each.port());
                    each.kill();
                    machine.awaitLine("I/O goes on without " + each.port() + ", " + i);
                    each.start();
                }
            }
            result = machine.await();
        }
        result.assertPassed();
        assertEquals(List.of("1 101"), result.lines("IDS"), result::description);
        Files.delete(image);
    }

    /** Blocks that fio can verify wherever it reads them. */
    private static void fill(final Path image) throws IOException, InterruptedException
    {
        Files.deleteIfExists(image);
        final Path log = image.resolveSibling("fill.log");
        final Process fio = new ProcessBuilder("fio", "--name=load", "--filename=" + image, "--rw=write", "--bs=4k",
            "--size=8M", "--verify=crc32c", "--do_verify=0", "--output=" + log).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).directory(image.getParent().toFile()).start();
        assertTrue(fio.waitFor(FILL_SECONDS, TimeUnit.SECONDS), "fio does not end");
        assertEquals(0, fio.exitValue(), Files.exists(log) ? Files.readString(log) : "fio wrote no log");
    }
}

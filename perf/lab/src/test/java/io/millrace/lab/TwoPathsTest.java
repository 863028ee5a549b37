package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Role;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two {@code millrace serve} processes that serve one subsystem, as two paths of the kernel's native multipath: a file
 * that both have open to read, and a file that one has open to write, whose lock decides who may.
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
            LabMachine machine = Lab.named("two-paths").start(480, "two-paths.sh", first.port(), second.port(),
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

    /** What a manager's hook would do when a data plane is down, and what keeps that one out when it comes back. */
    @Test
    void shouldWriteOnThroughTheOtherProcessWhenItTakesOverTheFile() throws Exception
    {
        final Path image = Lab.directory("takeover-target").resolve("volume.img");
        final Path control = Path.of("/dev/shm/millrace-takeover-" + ProcessHandle.current().pid());
        Files.deleteIfExists(image);
        final LabResult result;
        try (TargetProcess first = TargetProcess.start("takeover-first",
                "limits: {controller-id-first: 1, controller-id-last: 100}\nstatus: {file: none}\n",
                List.of("{name: volume, type: file, path: " + image + ", size: 16MiB}"), "volume");
            TargetProcess second = TargetProcess.start("takeover-second",
                "limits: {controller-id-first: 101, controller-id-last: 200}\nstatus: {file: none}\n" +
                "control: {directory: " + control + ", device-directories: [" + image.getParent() + "]}\n",
                List.of("{name: unused, type: memory, size: 1MiB}"));
            LabMachine machine = Lab.named("takeover").start(480, "takeover.sh", first.port(), second.port(),
                TargetProcess.NQN))
        {
            machine.awaitLine("ready for kill");
            first.kill();
            machine.awaitLine("I/O waits");
            try (ControlClient client = ControlClient.connect(new ControlClientContext()
                .aeronDirectoryName(control.toString()).role(Role.ADMIN).clientName("lab")))
            {
                client.createDevice(DeviceSpec.file("volume", image.toString(), 0));
                client.addNamespace(new NamespaceSpec(TargetProcess.NQN, 1, "volume"));
            }
            machine.awaitLine("I/O goes on");
            final String refusal = assertThrows(AssertionError.class, first::start).getMessage();
            assertTrue(refusal.contains("volume.img"), refusal);
            machine.awaitLine("verified");
            result = machine.await();
        }
        result.assertPassed();
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

package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The lab itself: what it promises about output, status, drives, monitor and time.
 */
@LabTest
final class MachineTest
{
    @Test
    void shouldRunAScriptAndPlugHardwareWhileItRuns() throws Exception
    {
        final Path share = Lab.directory("machine-share");
        Files.deleteIfExists(share.resolve("from-guest"));
        Files.writeString(share.resolve("from-host"), "hello\n");
        final Path image = share.resolve("drive.img");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw"))
        {
            file.setLength(64 << 20);
        }

        final LabResult result;
        try (LabMachine machine = Lab.named("machine").drives(2).share(share).start(480, "machine.sh", "a b", "c"))
        {
            machine.awaitLine("ready for the drive");
            try (QemuMonitor monitor = machine.monitor())
            {
                monitor.plugDrive("extra", image, 1);
                machine.awaitLine("drive is there");
                monitor.link(false);
                machine.awaitLine("link is down");
                monitor.link(true);
                machine.awaitLine("link is up");
            }
            result = machine.await();
        }

        assertEquals(7, result.status(), result::description);
        assertEquals("arguments: <a b> <c>", result.output().lines().findFirst().orElse(""));
        assertTrue(result.output().contains("\nlauncher's JVM: -XX:TieredStopAtLevel=1\n"), result::description);
        assertTrue(result.errors().startsWith("this goes to standard error\n"), result::description);
        assertFalse(result.output().contains("standard error"), result::description);
        assertEquals("hello\n", Files.readString(share.resolve("from-guest")));
        assertTrue(result.kernelLog().contains("lab: marker in the kernel's log"), result::kernelLogOrReason);
    }

    /** It has stood still since another test had it saved, and knows nothing of this run then. */
    @Test
    void shouldStartFromASavedStateWithTheTimeOfTheHost() throws Exception
    {
        for (int i = 0; i < 2; i++)
        {
            final long before = Instant.now().getEpochSecond();
            final LabResult result = Lab.named("saved").share(Lab.directory("saved-share-" + i)).run(
                300, "saved.sh", "run " + i);
            final long after = Instant.now().getEpochSecond();

            assertEquals(0, result.status(), result::description);
            final List<String> lines = result.output().lines().toList();
            assertEquals("run " + i, lines.get(0));
            final long seconds = Long.parseLong(lines.get(1));
            assertTrue(before - 1 <= seconds && seconds <= after + 1, () -> before + " " + seconds + " " + after);
            assertFalse(result.kernelLog().contains("lab: waiting"), result::kernelLogOrReason);
            assertEquals("run " + i + "\n", Files.readString(Lab.directory("saved-share-" + i).resolve("kept")));
        }
    }

    @Test
    void shouldSayWhenTheMachineStoppedByItself() throws Exception
    {
        final LabResult result = Lab.named("panic").run(60, "panic.sh");

        assertEquals(125, result.status(), result::description);
        assertTrue(result.errors().contains("the machine stopped"), result::description);
        assertTrue(result.kernelLog().contains("Kernel panic"), result::kernelLogOrReason);
        assertEquals("before\n", result.output());
    }

    @Test
    void shouldStopTheMachineAtTheTimeLimit() throws Exception
    {
        final LabResult result = Lab.named("time-limit").run(20, "time-limit.sh");

        assertEquals(124, result.status(), result::description);
        assertEquals("before\n", result.output());
        assertTrue(result.errors().contains("time limit of 20 s reached"), result::description);
    }
}

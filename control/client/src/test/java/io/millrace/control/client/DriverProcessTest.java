package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverProcessTest
{
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(10);

    @TempDir
    private Path directory;

    @Test
    void shouldKnowThatAProcessWasKilled() throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder("sleep", "600").start();
        try
        {
            DriverProcess.write(directory, process.pid());
            final DriverProcess known = DriverProcess.of(directory);
            assertFalse(known.hasEnded());
            assertFalse(DriverProcess.of(directory).hasEnded());
            process.destroyForcibly();
            final long deadlineNs = System.nanoTime() + WAIT_NS;
            while (!known.hasEnded())
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, "waited for 10 s");
                LockSupport.parkNanos(1_000_000);
            }
            process.waitFor();
            assertTrue(known.hasEnded());
            assertTrue(DriverProcess.of(directory).hasEnded());
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    /** Of another that got its id, of one in another container, and of nobody. */
    @Test
    void shouldTellProcessesOfOneIdApart() throws IOException
    {
        assertSame(DriverProcess.UNKNOWN, DriverProcess.of(directory));
        assertFalse(DriverProcess.UNKNOWN.hasEnded());
        final Path file = directory.resolve("process");
        DriverProcess.write(directory, ProcessHandle.current().pid());
        final String[] parts = Files.readString(file).strip().split(" ");
        assertFalse(DriverProcess.of(directory).hasEnded());
        Files.writeString(file, parts[0] + " 1" + parts[1] + " " + parts[2]);
        assertTrue(DriverProcess.of(directory).hasEnded(), "started at another time");
        Files.writeString(file, parts[0] + " 1" + parts[1] + " pid:[1]");
        assertFalse(DriverProcess.of(directory).hasEnded(), "of another namespace: nothing is known");
        for (final String damaged : new String[]{"", "x y z", "1 2", "\0".repeat(1000)})
        {
            Files.writeString(file, damaged);
            assertSame(DriverProcess.UNKNOWN, DriverProcess.of(directory));
        }
    }
}

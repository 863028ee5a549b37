package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What others do to the file system that the control directory is in must not end a process that serves hosts. */
class ControlFaultTest
{
    private Path directory;

    @BeforeEach
    void make() throws IOException
    {
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "fault");
    }

    @AfterEach
    void remove()
    {
        IoUtil.delete(directory.toFile(), true);
    }

    /** Those of what is mapped: size, allocated bytes, name. */
    private List<String> files() throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder("find", directory.resolve("aeron").toString(), "-type", "f", "-size",
            "+4k", "-printf", "%s %b %p\n").redirectErrorStream(true).start();
        final String lines = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), lines);
        return Arrays.asList(lines.split("\n"));
    }

    @Test
    void shouldHaveAllPagesBeforeTheyAreWritten() throws IOException, InterruptedException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            fixture.connect(fixture.context()).devices("");
            fixture.connect(fixture.udpContext()).devices("");
            final List<String> files = files();
            assertTrue(files.size() >= 6, files::toString);
            for (final String file : files)
            {
                final String[] words = file.split(" ");
                assertTrue(512 * Long.parseLong(words[1]) >= Long.parseLong(words[0]), file);
            }
        }
    }

    /** Asked once: a file that exists may be gone a moment later, while control starts again. */
    private static boolean isAnother(final Path file, final Object formerInode) throws IOException
    {
        try
        {
            return !formerInode.equals(Files.getAttribute(file, "unix:ino"));
        }
        catch (final NoSuchFileException _)
        {
            return false;
        }
    }

    /** A page that is not there any more is met as one is that is unavailable. */
    @Test
    void shouldStartControlAgainWhenItsMemoryFaults() throws IOException
    {
        final Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        final Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, error) -> uncaught.add(error));
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final Path counters = fixture.settings().directory().resolve("cnc.dat");
            final Object former = Files.getAttribute(counters, "unix:ino");
            try (RandomAccessFile file = new RandomAccessFile(counters.toFile(), "rw"))
            {
                file.setLength(0);
            }
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!isAnother(counters, former))
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, () -> "not started again: " + fixture.errors());
                Thread.onSpinWait();
            }
            final ControlClient client = fixture.connect(fixture.context());
            assertTrue(client.devices("").isEmpty());
            assertTrue(fixture.errors().stream().anyMatch((line) -> line.contains("InternalError")),
                () -> fixture.errors().toString());
            assertFalse(uncaught.stream().anyMatch(VirtualMachineError.class::isInstance), uncaught::toString);
        }
        finally
        {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }
}

package io.millrace.control.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.setting.InvalidSettingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DriverDirectoryTest
{
    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private Path parent;
    private Path directory;

    @BeforeEach
    void make() throws IOException
    {
        parent = Files.createTempDirectory(Path.of("/dev/shm"), "millrace-directory-test");
        directory = parent.resolve("control");
    }

    @AfterEach
    void remove()
    {
        IoUtil.delete(parent.toFile(), true);
    }

    private static ControlSettings of(final Path directory)
    {
        return new ControlSettings(directory, ControlSettings.IPC_CHANNEL, ControlSettings.STREAM_ID_DEFAULT, null,
            ControlSettings.NAME_DEFAULT);
    }

    /** A media driver in a directory that it took, until it is killed. */
    static final class DriverProcess
    {
        private DriverProcess()
        {
        }

        public static void main(final String[] arguments) throws Exception
        {
            final Path directory = Path.of(arguments[0]);
            try (DriverDirectory taken = DriverDirectory.take(of(directory));
                MediaDriver driver = MediaDriver.launch(new MediaDriver.Context()
                    .aeronDirectoryName(directory.toString()).threadingMode(ThreadingMode.SHARED)))
            {
                System.out.println("ready " + ProcessHandle.current().pid());
                Thread.sleep(TimeUnit.MINUTES.toMillis(1));
                System.out.println(taken + " " + driver);
            }
        }
    }

    /** Its parent never asks how it ended, as a container's first process may do. */
    @Test
    void shouldTakeWhatAKilledProcessLeftWhileItIsAZombie() throws Exception
    {
        final Process shell = new ProcessBuilder("sh", "-c",
            "\"$@\" & exec sleep 60", "sh",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
            "-cp", System.getProperty("java.class.path"), DriverProcess.class.getName(), directory.toString())
            .redirectErrorStream(true).start();
        long pid = 0;
        try (BufferedReader out = shell.inputReader())
        {
            String line = out.readLine();
            final StringBuilder output = new StringBuilder();
            while (null != line && !line.startsWith("ready "))
            {
                output.append(line).append('\n');
                line = out.readLine();
            }
            assertTrue(null != line, output::toString);
            pid = Long.parseLong(line.substring("ready ".length()));
            final InvalidSettingException e =
                assertThrows(InvalidSettingException.class, () -> DriverDirectory.take(of(directory)));
            assertTrue(e.getMessage().contains(" in use by another data plane or manager, process " +
                pid + " (java) of "), e.getMessage());
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            final long startNs = System.nanoTime();
            DriverDirectory.take(of(directory)).close();
            assertTrue(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) < 5);
            assertTrue(Files.exists(Path.of("/proc", Long.toString(pid))), "it is still to be waited for");
        }
        finally
        {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
            shell.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldNameTheSettingThatMakesASecondDataPlanePossible() throws IOException
    {
        final String name = "test-" + ProcessHandle.current().pid();
        final ControlSettings settings = new ControlSettings(ControlDirectories.dataPlane(name),
            ControlSettings.IPC_CHANNEL, ControlSettings.STREAM_ID_DEFAULT, null, name);
        final Path lock = Path.of(ControlDirectories.dataPlane(name) + ".lock");
        try (DriverDirectory first = DriverDirectory.take(settings))
        {
            final InvalidSettingException e =
                assertThrows(InvalidSettingException.class, () -> DriverDirectory.take(settings), first::toString);
            assertTrue(e.getMessage().startsWith("control.name = " + name + ": a data plane of this user " +
                "with this name runs already, process " + ProcessHandle.current().pid() + " "), e.getMessage());
            assertTrue(e.getMessage().endsWith("; stop that one, or give this one a name of its own"), e.getMessage());
        }
        finally
        {
            Files.deleteIfExists(lock);
        }
    }

    /** The driver deletes its directory as a whole. */
    @Test
    void shouldRefuseADirectoryWithOtherFiles() throws IOException
    {
        final Path file = Files.createFile(Files.createDirectory(directory, PRIVATE).resolve("volume.img"));
        assertRefused(" holds other files, which would be removed; ");
        assertTrue(Files.exists(file));
        Files.delete(file);
        DriverDirectory.take(of(directory)).close();
    }

    /** One that knows nothing of the lock file. */
    @Test
    void shouldRefuseTheDirectoryOfAnotherDriver() throws IOException
    {
        Files.createDirectory(directory, PRIVATE);
        try (MediaDriver driver = MediaDriver.launch(new MediaDriver.Context()
            .aeronDirectoryName(directory.toString()).threadingMode(ThreadingMode.SHARED)))
        {
            assertRefused(" in use by another media driver; ");
            assertTrue(Files.exists(directory.resolve("cnc.dat")), driver::toString);
        }
    }

    private void assertRefused(final String part)
    {
        final InvalidSettingException e =
            assertThrows(InvalidSettingException.class, () -> DriverDirectory.take(of(directory)));
        assertTrue(e.getMessage().startsWith("control.directory = " + directory + ":") &&
            e.getMessage().contains(part), e.getMessage());
    }

    /** Whoever reaches the files of a driver without network may do what an administrator may. */
    @Test
    void shouldOpenADriversDirectoryToItsUserAlone() throws IOException
    {
        try (ControlDriver driver = new ControlDriver(of(directory), (line) ->
        {
        }))
        {
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)),
                driver::toString);
        }
    }

    @Test
    void shouldKeepItsLockFromOthers() throws IOException
    {
        final Path lock = parent.resolve("control.lock");
        Files.createFile(lock, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
        DriverDirectory.take(of(directory)).close();
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(lock)));
        assertFalse(Files.exists(directory));
    }
}

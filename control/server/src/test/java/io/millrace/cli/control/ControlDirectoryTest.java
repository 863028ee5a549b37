package io.millrace.cli.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.millrace.cli.control.ControlDirectory.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlDirectoryTest
{
    private static final int NOBODY = 65_534;

    @TempDir
    private Path directory;

    /** Prints what is found. */
    static final class Finder
    {
        private Finder()
        {
        }

        public static void main(final String[] arguments)
        {
            final ControlDirectory found = ControlDirectory.of(Path.of(arguments[0]));
            System.out.println(found.state() + " " + found.text());
        }
    }

    @Test
    void shouldTellThatItIsNotThere() throws IOException
    {
        final Path none = directory.resolve("none");
        assertEquals(new ControlDirectory(none, State.ABSENT, "there is no directory " + none),
            ControlDirectory.of(none));
        final Path file = Files.createFile(directory.resolve("file"));
        assertEquals(new ControlDirectory(file, State.ABSENT, file + " is no directory"), ControlDirectory.of(file));
        assertEquals(State.ABSENT, ControlDirectory.of(directory).state());
    }

    @Test
    void shouldTellALivingProcessFromOneThatEnded() throws IOException
    {
        final Path path = directory.resolve("control");
        try (MediaDriver driver = MediaDriver.launch(new MediaDriver.Context().aeronDirectoryName(path.toString())
            .threadingMode(ThreadingMode.SHARED)))
        {
            assertEquals(State.ALIVE, ControlDirectory.of(path).state(), driver::toString);
        }
        final ControlDirectory dead = ControlDirectory.of(path);
        assertEquals(State.DEAD, dead.state());
        assertTrue(dead.text().startsWith("process " + ProcessHandle.current().pid() + ", which took commands in " +
            path), dead.text());
        Files.write(path.resolve("cnc.dat"), new byte[100_000]);
        assertEquals(State.DEAD, ControlDirectory.of(path).state());
    }

    @Test
    void shouldSayWhyItIsNotTrusted() throws IOException
    {
        final Path path = Files.createDirectory(directory.resolve("shared"));
        Files.write(path.resolve("cnc.dat"), new byte[100_000]);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertEquals(new ControlDirectory(path, State.FORBIDDEN, "directory " + path + " can be written by all " +
            "users: chmod go-w " + path + ", and is not used; name another directory, or trust a group with " +
            "$MILLRACE_CONTROL_GROUP"), ControlDirectory.of(path));
    }

    /** As a user to whom modes apply, which they do not to root. */
    @Test
    void shouldTellThatItMayNotBeUsedAndByWhomItMay() throws IOException, InterruptedException
    {
        final Path path = Files.createDirectory(directory.resolve("theirs"));
        final Path inside = Files.createDirectory(path.resolve("inside"));
        final List<String> command = new ArrayList<>();
        if (Objects.equals(0, Files.getAttribute(Path.of("/proc/self"), "unix:uid")))
        {
            command.addAll(List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search",
                "--inh-caps=-dac_override,-dac_read_search"));
            for (final Path each : List.of(inside, path))
            {
                Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxrwx---"));
                Files.setAttribute(each, "unix:gid", NOBODY);
                Files.setAttribute(each, "unix:uid", NOBODY);
            }
        }
        else
        {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("---rwx---"));
        }
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), Finder.class.getName()));
        final String owner = Files.getOwner(path).getName();
        for (final Path each : List.of(path, inside))
        {
            final List<String> line = new ArrayList<>(command);
            line.add(each.toString());
            final Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
            final String found = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), found);
            assertTrue(found.startsWith("FORBIDDEN " + System.getProperty("user.name") + " may not use " + path +
                ", which belongs to " + owner + " and group "), found);
            assertTrue(found.contains("rwx---: run the command as " + owner + ", or as a member of group "), found);
        }
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
    }
}

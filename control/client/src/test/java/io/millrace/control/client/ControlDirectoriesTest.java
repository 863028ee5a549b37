package io.millrace.control.client;

import static io.millrace.testing.Requirement.requireRoot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlDirectoriesTest
{
    private static final String USER = "somebody";

    @TempDir
    private Path directory;
    private Path mine;

    @BeforeEach
    void make() throws IOException
    {
        mine = made("mine", "rwx------");
    }

    private Path made(final String name, final String mode) throws IOException
    {
        final Path path = Files.createDirectory(directory.resolve(name));
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static String group(final Path path) throws IOException
    {
        return Files.getAttribute(path, "posix:group").toString();
    }

    @Test
    void shouldGiveEachNameADirectoryAndBack()
    {
        assertEquals(ControlDirectories.dataPlane(), ControlDirectories.dataPlane("millrace"));
        assertEquals("millrace", ControlDirectories.nameOf(ControlDirectories.dataPlane()));
        assertEquals("rack-7", ControlDirectories.nameOf(ControlDirectories.dataPlane("rack-7")));
    }

    @Test
    void shouldTrustWhatIsThisUsersAlone() throws IOException
    {
        assertNull(ControlDirectories.trustProblem(mine, null));
        assertNull(ControlDirectories.trustProblem(made("read", "rwxr-xr-x"), null));
        assertNull(ControlDirectories.trustProblem(directory.resolve("missing"), null));
        assertNull(ControlDirectories.trustProblem(Path.of("/dev/shm/millrace-not-there"), null));
    }

    @Test
    void shouldDistrustWhatOthersCanWrite() throws IOException
    {
        final Path all = made("all", "rwxrwxrwx");
        assertEquals("can be written by all users: chmod go-w " + all, ControlDirectories.trustProblem(all, null));
        final Path shared = made("group", "rwxrwx---");
        assertEquals("can be written by group " + group(shared) + ", which was not named: chmod go-w " + shared,
            ControlDirectories.trustProblem(shared, null));
        assertNotNull(ControlDirectories.trustProblem(shared, "another"));
        assertNull(ControlDirectories.trustProblem(shared, group(shared)));
    }

    @Test
    void shouldDistrustALinkInThePlaceOfADirectory() throws IOException
    {
        assertEquals("is no directory",
            ControlDirectories.trustProblem(Files.createSymbolicLink(directory.resolve("link"), mine), null));
        assertEquals("is no directory",
            ControlDirectories.trustProblem(Files.createFile(directory.resolve("file")), null));
    }

    /** Who made a link can have it point elsewhere tomorrow. */
    @Test
    void shouldFollowLinksOfThisUserAloneOnTheWayThere() throws IOException
    {
        requireRoot();
        final Path inside = Files.createDirectory(mine.resolve("inside"));
        final Path theirs = Files.createSymbolicLink(directory.resolve("theirs"), mine);
        final Path ours = Files.createSymbolicLink(directory.resolve("ours"), Path.of("theirs"));
        assertNull(ControlDirectories.trustProblem(ours.resolve(inside.getFileName()), null));
        Files.setAttribute(theirs, "unix:uid", 1234, LinkOption.NOFOLLOW_LINKS);
        final String expected = "is in " + theirs + ", which is a link that belongs to user 1234, and neither to " +
            "this user nor to root";
        assertEquals(expected, ControlDirectories.trustProblem(theirs.resolve("inside"), null));
        assertEquals(expected, ControlDirectories.trustProblem(ours.resolve("inside"), null));
        // Before anything is there, too.
        assertEquals(expected, ControlDirectories.trustProblem(theirs.resolve("missing"), null));
        final Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));
        assertNotNull(ControlDirectories.trustProblem(loop.resolve("inside"), null));
    }

    @Test
    void shouldDistrustWhatIsInADirectoryThatOthersCanWrite() throws IOException
    {
        final Path open = made("open", "rwxrwxrwx");
        final String trustProblem = ControlDirectories.trustProblem(Files.createDirectory(open.resolve("inside")),
            null);
        assertEquals("is in " + open + ", which can be written by all users: chmod go-w " + open, trustProblem);
        Files.setAttribute(open, "unix:mode", 01777);
        assertNull(ControlDirectories.trustProblem(open.resolve("inside"), null));
    }

    @Test
    void shouldDistrustWhatBelongsToSomebodyElse() throws IOException
    {
        requireRoot();
        Files.setAttribute(mine, "unix:uid", 1234);
        assertTrue(ControlDirectories.trustProblem(mine, null).startsWith("belongs to user 1234"));
        assertNull(ControlDirectories.trustProblem(mine, group(mine)));
        // Nor does it help that it is sticky: its owner replaces there what they like.
        final Path inside = Files.createDirectory(mine.resolve("inside"));
        Files.setAttribute(mine, "unix:mode", 01777);
        assertTrue(ControlDirectories.trustProblem(inside, null)
            .startsWith("is in " + mine + ", which belongs to user 1234"));
    }

    @Test
    void shouldChooseADirectoryInMemoryThatIsThisUsers() throws IOException
    {
        // Of the file system of /dev/shm, which is in memory.
        final Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "directories");
        try
        {
            final Path shared = Path.of("/dev/shm");
            assertEquals(memory.resolve("millrace"), ControlDirectories.base(
                Map.of("XDG_RUNTIME_DIR", memory.toString()), directory, shared, USER));
            assertEquals(shared.resolve("millrace-" + USER),
                ControlDirectories.base(Map.of("XDG_RUNTIME_DIR", "relative"), directory, shared, USER));
            assertEquals(memory.resolve("millrace"), ControlDirectories.base(Map.of(), memory, shared, USER));
            Files.setPosixFilePermissions(memory, PosixFilePermissions.fromString("rwxrwx---"));
            assertEquals(shared.resolve("millrace-" + USER), ControlDirectories.base(
                Map.of("XDG_RUNTIME_DIR", memory.toString()), memory, shared, USER));
        }
        finally
        {
            Files.delete(memory);
        }
    }
}

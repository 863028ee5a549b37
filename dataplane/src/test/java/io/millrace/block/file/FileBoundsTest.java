package io.millrace.block.file;

import static io.millrace.testing.Requirement.requireRoot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Paths of file devices, honest and not.
 */
class FileBoundsTest
{
    private static final int RACES = 300;
    private static final long RACE_NS_MAX = 20_000_000_000L;
    private static final int BYTES = 1 << 20;

    @TempDir
    Path root;
    private Path allowed;
    private Path outside;

    @BeforeEach
    void makeDirectories() throws IOException
    {
        root = root.toRealPath();
        allowed = Files.createDirectory(root.resolve("allowed"));
        outside = Files.createDirectory(root.resolve("outside"));
    }

    private FileBounds bounds()
    {
        return FileBounds.below("control.device-directories", List.of(allowed), List.of(root.resolve("own.img")));
    }

    private FileDevice open(final FileBounds bounds, final String path)
    {
        return FileDevice.open(FileDeviceConfig.of("f", Path.of(path), BYTES, 4096).withBounds(bounds));
    }

    private String refusal(final String path)
    {
        return assertThrows(BlockDeviceException.class, () -> open(bounds(), path).close(), path).getMessage();
    }

    @Test
    void shouldMakeGrowAndRemoveFilesWithinTheBounds() throws IOException
    {
        try (FileDevice device = open(bounds(), allowed + "/a.img"))
        {
            device.grow(2 * BYTES);
        }
        assertEquals(2 * BYTES, Files.size(allowed.resolve("a.img")));
        Files.createDirectory(allowed.resolve("deeper"));
        open(bounds(), allowed + "/deeper/../deeper/b.img").close();
        open(bounds(), root + "/own.img").close();
        assertThrows(BlockDeviceException.class, () -> FileDevice.open(FileDeviceConfig.of(
            "f", allowed.resolve("c.img"), Long.MAX_VALUE & -4096, 4096).withBounds(bounds())));
        assertFalse(Files.exists(allowed.resolve("c.img")), "left behind");
    }

    @Test
    void shouldSayWhatIsAllowedAndHowToAllowMore()
    {
        assertEquals("device f: path " + outside + "/a.img is in none of the directories of " +
            "control.device-directories (" + allowed + "): choose a path there, or name its directory in that " +
            "setting of the data plane's configuration file and start the data plane again",
            refusal(outside + "/a.img"));
        assertFalse(Files.exists(outside.resolve("a.img")));
    }

    @Test
    void shouldFollowWhatLeadsOutside() throws IOException
    {
        final Path secret = Files.write(outside.resolve("secret"), new byte[BYTES]);
        Files.createSymbolicLink(allowed.resolve("file"), secret);
        Files.createSymbolicLink(allowed.resolve("directory"), outside);
        Files.createSymbolicLink(allowed.resolve("dangling"), outside.resolve("new"));
        Files.createSymbolicLink(root.resolve("way-in"), allowed);
        assertTrue(refusal(allowed + "/file").contains("leads to " + secret + ", which is in none of"));
        assertTrue(refusal(allowed + "/directory/new").contains("leads to " + outside + "/new, which is in none of"));
        assertTrue(refusal(allowed + "/../outside/secret").contains("is in none of"));
        assertTrue(refusal(allowed + "/directory/../outside/secret").contains("is in none of"));
        refusal(allowed + "/dangling");
        assertTrue(refusal(root + "/allowed-too/x").contains("is in none of"));
        assertTrue(refusal("/").contains("is in none of"));
        refusal(allowed.toString());
        assertFalse(Files.exists(outside.resolve("new")));
        open(bounds(), root + "/way-in/x.img").close();
        assertTrue(Files.exists(allowed.resolve("x.img")));
    }

    /** What is outside cannot be explored by asking for it. */
    @Test
    void shouldNotTellWhetherAPathOutsideIsThere() throws IOException
    {
        Files.write(outside.resolve("there"), new byte[BYTES]);
        Files.createSymbolicLink(outside.resolve("link"), root);
        assertEquals(refusal(outside + "/there").replace("/there", "/gone"), refusal(outside + "/gone"));
        assertEquals(refusal(outside + "/there").replace("/there", "/link"), refusal(outside + "/link"));
        assertEquals(refusal(outside + "/there").replace("/there", "/no/such"), refusal(outside + "/no/such"));
    }

    /** Between the check and the opening: the directory becomes a link, or the file in it does. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldOpenWhatWasCheckedOrNothing(final boolean isDirectory) throws IOException
    {
        final Path way = Files.createDirectory(allowed.resolve("way"));
        final Path file = Files.write(way.resolve("x.img"), new byte[BYTES]);
        final Path victim = Files.write(outside.resolve("x.img"), new byte[BYTES]);
        try (Arena arena = Arena.ofConfined();
            BoundedPath place = BoundedPath.open(
                arena, FileDeviceConfig.of("f", file, BYTES, 4096).withBounds(bounds())))
        {
            if (isDirectory)
            {
                Files.move(way, allowed.resolve("spare"));
                Files.createSymbolicLink(way, outside);
                assertTrue(Files.isSameFile(place.path(), allowed.resolve("spare/x.img")), "not what was checked");
            }
            else
            {
                Files.delete(file);
                Files.createSymbolicLink(file, victim);
            }
            final int fd = io.millrace.bindings.linux.Files.open(
                arena.allocateFrom(place.path().toString()).address(), io.millrace.bindings.linux.Files.O_RDWR, 0);
            assertTrue(fd >= 0, "errno " + -fd);
            final String refusal =
                assertThrows(BlockDeviceException.class, () -> place.check(fd)).getMessage();
            io.millrace.bindings.linux.Files.close(fd);
            assertEquals("device f: path " + file + " was changed while it was opened: try again", refusal);
        }
    }

    /** A device does not take what a link leads to that came into the place of its file after the check. */
    @Test
    void shouldNotTakeAFileThatALinkLedToAfterTheCheck() throws IOException
    {
        final Path file = Files.write(allowed.resolve("x.img"), new byte[4096]);
        final Path victim = Files.write(outside.resolve("x.img"), new byte[4096]);
        final FileDeviceConfig config = FileDeviceConfig.of("f", file, BYTES, 4096).withBounds(bounds());
        try (Arena arena = Arena.ofConfined())
        {
            final BoundedPath place = BoundedPath.open(arena, config);
            Files.delete(file);
            Files.createSymbolicLink(file, victim);
            assertEquals("device f: path " + file + " was changed while it was opened: try again",
                assertThrows(BlockDeviceException.class, () -> BackingFile.open(arena, config, place).close())
                    .getMessage());
        }
        assertEquals(4096, Files.size(victim), "a file outside was made larger");
        assertTrue(Files.exists(victim), "a file outside was removed");
    }

    /** Nor does it make a file in a directory that has left the bounds since. */
    @Test
    void shouldMakeNoFileInADirectoryThatLeftTheBoundsAfterTheCheck() throws IOException
    {
        final Path way = Files.createDirectory(allowed.resolve("way"));
        final FileDeviceConfig config =
            FileDeviceConfig.of("f", way.resolve("x.img"), BYTES, 4096).withBounds(bounds());
        try (Arena arena = Arena.ofConfined())
        {
            final BoundedPath place = BoundedPath.open(arena, config);
            Files.move(way, outside.resolve("way"));
            assertTrue(assertThrows(BlockDeviceException.class, () -> BackingFile.open(arena, config, place).close())
                .getMessage().endsWith("was changed while it was opened: try again"));
        }
        assertFalse(Files.exists(outside.resolve("way/x.img")), "a file was left outside");
    }

    /** Somebody swaps a directory for a link all the time: whatever is opened, it lies within the bounds. */
    @Test
    void shouldNotBeOutrunByLinks() throws Exception
    {
        final Path victim = Files.write(outside.resolve("x.img"), new byte[4096]);
        final Path way = Files.createDirectory(allowed.resolve("way"));
        final Path spare = allowed.resolve("spare");
        final AtomicBoolean isDone = new AtomicBoolean();
        final Thread attacker = Thread.ofPlatform().start(() ->
        {
            while (!isDone.get())
            {
                try
                {
                    Files.move(way, spare);
                    Files.createSymbolicLink(way, outside);
                    Files.delete(way);
                    Files.move(spare, way, StandardCopyOption.ATOMIC_MOVE);
                }
                catch (final IOException e)
                {
                    throw new AssertionError(e);
                }
            }
        });
        int opened = 0;
        int refused = 0;
        final long startNs = System.nanoTime();
        // A busy machine may let one of both run for long.
        for (int i = 0; i < RACES || (0 == opened || 0 == refused) && System.nanoTime() - startNs < RACE_NS_MAX; i++)
        {
            try
            {
                open(bounds(), way + "/x.img").close();
                opened++;
            }
            catch (final BlockDeviceException _)
            {
                refused++;
            }
            assertEquals(4096, Files.size(victim), "a file outside was made larger");
        }
        isDone.set(true);
        attacker.join();
        System.out.println("raced: " + opened + " opened inside, " + refused + " refused");
        assertTrue(opened > 0 && refused > 0, opened + " opened, " + refused + " refused: nothing was raced");
    }

    /** As /dev/disk/by-id has them: they lead to a name of the kernel, which may be another after each start. */
    @Test
    void shouldCountLinksOfRootInDevWhereTheyLie() throws IOException
    {
        requireRoot();
        final Path dev = Files.createTempDirectory(Path.of("/dev/shm"), "millrace-links");
        final Path target = Files.createTempFile(Path.of("/dev/shm"), "millrace-target", ".img");
        final Path link = Files.createSymbolicLink(dev.resolve("by-name"), target);
        final Path outsideLink = Files.createSymbolicLink(dev.resolve("out"), outside.resolve("x.img"));
        try
        {
            final FileBounds bounds = FileBounds.below("control.device-directories", List.of(dev), List.of());
            Files.setPosixFilePermissions(dev, PosixFilePermissions.fromString("rwxr-xr-x"));
            open(bounds, link.toString()).close();
            assertEquals(BYTES, Files.size(target));
            assertThrows(BlockDeviceException.class, () -> open(bounds, target.toString()));
            assertThrows(BlockDeviceException.class, () -> open(bounds, outsideLink.toString()), "leads out of /dev");
            Files.setPosixFilePermissions(dev, PosixFilePermissions.fromString("rwxrwxrwx"));
            assertThrows(BlockDeviceException.class, () -> open(bounds, link.toString()), "anybody's link");
        }
        finally
        {
            for (final Path each : List.of(link, outsideLink, dev, target))
            {
                Files.deleteIfExists(each);
            }
        }
    }

    @Test
    void shouldMakeItsHomeForItselfAlone() throws IOException
    {
        final Path home = root.resolve("state/volumes");
        final FileBounds bounds = FileBounds.home("control.device-directories", home, List.of());
        assertThrows(BlockDeviceException.class, () -> open(bounds, outside + "/a.img"));
        assertFalse(Files.exists(home));
        open(bounds, home + "/a.img").close();
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(home)));
        assertEquals("device f: path " + home + "/no/a.img cannot be opened: make its directory first",
            assertThrows(BlockDeviceException.class, () -> open(bounds, home + "/no/a.img")).getMessage());
    }
}

package io.millrace.lock;

import static io.millrace.testing.Requirement.requireRoot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.file.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LockFileTest
{
    private static final int NOBODY = 65_534;

    private Path directory;
    private Path path;

    @BeforeEach
    void make() throws IOException
    {
        // A file system whose device /proc/locks shows as programs see it.
        directory = Files.createTempDirectory(Path.of("/dev/shm"), "millrace-lock-test");
        path = directory.resolve("a.lock");
    }

    @AfterEach
    void remove() throws IOException
    {
        Files.deleteIfExists(path);
        Files.delete(directory);
    }

    /** Takes the lock in its argument, says so, and waits. */
    static final class Holder
    {
        private Holder()
        {
        }

        public static void main(final String[] arguments) throws Exception
        {
            try (LockFile lock = LockFile.take(Path.of(arguments[0])))
            {
                System.out.println(lock.path());
                Thread.sleep(TimeUnit.MINUTES.toMillis(1));
            }
        }
    }

    private String mode() throws IOException
    {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void shouldBeForItsOwnerAlone() throws IOException
    {
        LockFile.take(path).close();
        assertEquals("rw-------", mode());
    }

    /** Whoever may read a file may lock it. */
    @Test
    void shouldTakeAwayWhatAFormerFileAllowed() throws IOException
    {
        Files.createFile(path);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--rw-"));
        LockFile.take(path).close();
        assertEquals("rw-------", mode());
    }

    @Test
    void shouldNameWhoHasIt() throws Exception
    {
        final Process child = new ProcessBuilder(ChildJvm.command(Holder.class, path.toString()))
            .redirectErrorStream(true).start();
        try (BufferedReader out = child.inputReader())
        {
            assertEquals(path.toString(), out.readLine());
            final LockedException e = assertThrows(LockedException.class, () -> LockFile.take(path));
            assertTrue(e.getMessage().startsWith(path + " is locked by process " + child.pid() + " (java) of "),
                e.getMessage());
            // The kernel takes its memory away first; a lock is waited for meanwhile.
            child.destroyForcibly();
            LockFile.take(path).close();
        }
        finally
        {
            child.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldRefuseASecondOneOfThisProcess() throws IOException
    {
        try (LockFile lock = LockFile.take(path))
        {
            assertEquals(path, lock.path());
            // Each time: what was opened in vain must not take the first lock away.
            for (int i = 0; i < 3; i++)
            {
                assertThrows(LockedException.class, () -> LockFile.take(path));
                assertTrue(LockFile.isHeld(path));
                assertEquals(ProcessHandle.current().pid(), LockHolder.pid(path));
            }
        }
        assertFalse(LockFile.isHeld(path));
        LockFile.take(path).close();
    }

    @Test
    void shouldRefuseAFileOfAnotherUser() throws IOException
    {
        Files.createFile(path);
        requireRoot();
        Files.setAttribute(path, "unix:uid", NOBODY);
        final IOException e = assertThrows(IOException.class, () -> LockFile.take(path));
        final String owner = Files.getOwner(path).getName();
        assertEquals(path + " belongs to " + owner + ", who could lock it at any time: have it removed by " + owner +
            " or root", e.getMessage());
        // As in /dev/shm, where the kernel itself keeps others from it (fs.protected_regular).
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setAttribute(directory, "unix:mode", 0_1777);
        assertEquals(e.getMessage(), assertThrows(IOException.class, () -> LockFile.take(path)).getMessage());
    }

    @Test
    void shouldNotFollowALink() throws IOException
    {
        final Path elsewhere = directory.resolve("elsewhere");
        Files.createSymbolicLink(path, elsewhere);
        final IOException e = assertThrows(IOException.class, () -> LockFile.take(path));
        assertEquals(path + " is a symbolic link, which is not followed: remove it", e.getMessage());
        assertFalse(Files.exists(elsewhere));
    }

    @Test
    void shouldFindTheHolderOfALockOfAnyType() throws IOException
    {
        assertEquals("another process", LockHolder.describe(path));
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE))
        {
            assertEquals(0, LockHolder.pid(path));
            channel.lock();
            assertEquals(ProcessHandle.current().pid(), LockHolder.pid(path));
        }
        assertEquals(0, LockHolder.pid(path));
    }

    private static String command(final long pid)
    {
        try
        {
            return Files.readString(Path.of("/proc", Long.toString(pid), "comm")).strip();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(final String what, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, what);
            Thread.onSpinWait();
        }
    }

    /** A child that nobody has waited for: the process that started it has become one that never does. */
    @Test
    void shouldNotTakeAZombieForAlive() throws Exception
    {
        final Process parent = new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; exec sleep 60").start();
        try (BufferedReader out = parent.inputReader())
        {
            final long pid = Long.parseLong(out.readLine());
            assertTrue(ProcessState.isAlive(pid));
            // A shell that is still one reads the exit status of its child.
            await("the parent is no shell any more", () -> "sleep".equals(command(parent.pid())));
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            await("the child is not alive", () -> !ProcessState.isAlive(pid));
            assertTrue(Files.exists(Path.of("/proc", Long.toString(pid))), "it is still to be waited for");
        }
        finally
        {
            parent.destroyForcibly().waitFor();
        }
        assertTrue(ProcessState.isAlive(ProcessHandle.current().pid()));
        assertFalse(ProcessState.isAlive(0));
        assertFalse(ProcessState.isAlive(Long.MAX_VALUE));
    }
}

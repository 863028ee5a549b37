package io.millrace.lock;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A file that is locked while this process uses a resource; the kernel releases the lock when the process ends, in
 * whatever way. Only its owner may open the file: a user who can open a file for reading can lock it and block others.
 * For that reason a file of another user in its place is refused, and a symbolic link is not followed. Any thread.
 */
public final class LockFile implements AutoCloseable
{
    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");
    private static final Set<OpenOption> OPTIONS = Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    /** A process that checks the lock holds it for a moment. */
    private static final long LIVING_WAIT_MS = 500;
    /** A killed process holds its locks until the kernel has freed its memory. */
    private static final long ENDING_WAIT_MS = 5_000;
    private static final long RETRY_MS = 10;
    /** The kernel releases all locks of a process on a file when the process closes any descriptor of the file. */
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path path;
    private final FileChannel channel;

    private LockFile(final Path path, final FileChannel channel)
    {
        this.path = path;
        this.channel = channel;
    }

    /**
     * Makes the file when it is not there, and locks it. Waits for half a second for a live process, and up to five
     * seconds for a killed one that is about to end.
     *
     * @param path of the file.
     * @return the lock, to be closed.
     * @throws LockedException when another process holds it; names the process.
     * @throws IOException     when the file cannot be created or belongs to another user; names the user.
     */
    public static LockFile take(final Path path) throws IOException
    {
        final Path absolute = path.toAbsolutePath().normalize();
        if (!HELD_HERE.add(absolute))
        {
            throw new LockedException(path + " is locked by " + ProcessState.describe(ProcessHandle.current().pid()));
        }
        FileChannel channel = null;
        try
        {
            channel = open(path);
            restrict(path);
            lock(path, channel);
            return new LockFile(absolute, channel);
        }
        catch (final IOException | RuntimeException e)
        {
            HELD_HERE.remove(absolute);
            if (null != channel)
            {
                channel.close();
            }
            throw e;
        }
    }

    /**
     * {@return whether a lock file is locked; checked without taking the lock when this process holds it}
     *
     * @param path of the file.
     * @throws AccessDeniedException when only the owner can check.
     * @throws IOException           when it cannot be opened, such as when it is not there.
     */
    public static boolean isHeld(final Path path) throws IOException
    {
        if (HELD_HERE.contains(path.toAbsolutePath().normalize()))
        {
            return true;
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
            FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true))
        {
            return null == lock;
        }
    }

    private static FileChannel open(final Path path) throws IOException
    {
        try
        {
            return FileChannel.open(path, OPTIONS, PosixFilePermissions.asFileAttribute(MODE));
        }
        catch (final AccessDeniedException e)
        {
            final PosixFileAttributes found = attributesOrNull(path);
            throw new IOException(null == found ?
                path + " cannot be made: permission denied in " + path.getParent() : foreign(path, found), e);
        }
        catch (final NoSuchFileException e)
        {
            throw new IOException(path + " cannot be made: no directory " + path.getParent(), e);
        }
        catch (final IOException e)
        {
            throw Files.isSymbolicLink(path) ?
                new IOException(path + " is a symbolic link, which is not followed: remove it", e) : e;
        }
    }

    private static PosixFileAttributes attributesOrNull(final Path path)
    {
        try
        {
            return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        }
        catch (final IOException e)
        {
            return null;
        }
    }

    /** Ensures that no other user can open it, whatever its creator and mode. */
    private static void restrict(final Path path) throws IOException
    {
        final PosixFileAttributeView view =
            Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        final PosixFileAttributes found = view.readAttributes();
        if (!Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS)
            .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")))
        {
            throw new IOException(foreign(path, found));
        }
        if (!found.isRegularFile())
        {
            throw new IOException(path + " is not a regular file: remove it");
        }
        if (!MODE.equals(found.permissions()))
        {
            view.setPermissions(MODE);
        }
    }

    private static String foreign(final Path path, final PosixFileAttributes found)
    {
        return path + " belongs to " + found.owner().getName() + ", who could lock it at any time: have it removed " +
            "by " + found.owner().getName() + " or root";
    }

    private static void lock(final Path path, final FileChannel channel) throws IOException
    {
        final long startNs = System.nanoTime();
        while (null == channel.tryLock())
        {
            final long pid = LockHolder.pid(path);
            final long waitMs = 0 == pid || ProcessState.isAlive(pid) ? LIVING_WAIT_MS : ENDING_WAIT_MS;
            if (System.nanoTime() - startNs >= TimeUnit.MILLISECONDS.toNanos(waitMs))
            {
                throw new LockedException(path + " is locked by " +
                    (0 == pid ? "another process" : ProcessState.describe(pid)));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
        }
    }

    /**
     * {@return the file, absolute}
     */
    public Path path()
    {
        return path;
    }

    /**
     * Releases the lock. The file stays: another process may have opened it already.
     */
    @Override
    public void close() throws IOException
    {
        channel.close();
        HELD_HERE.remove(path);
    }
}

package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Files;
import io.millrace.block.BlockDeviceException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;

/**
 * The path of a file device while the device has it: within bounds it is reached through a descriptor of its
 * directory, so that nobody can put a link in its way between the check and the opening. One thread at a time.
 */
final class BoundedPath implements AutoCloseable
{
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final FileDeviceConfig config;
    private final Path real;
    private int directoryFd;

    private BoundedPath(final FileDeviceConfig config, final Path real, final int directoryFd)
    {
        this.config = config;
        this.real = real;
        this.directoryFd = directoryFd;
    }

    /**
     * Opens the directory of a device's path when that has bounds.
     *
     * @throws BlockDeviceException when it lies outside of them.
     */
    static BoundedPath open(final Arena arena, final FileDeviceConfig config)
    {
        if (FileBounds.ANYWHERE == config.bounds())
        {
            return new BoundedPath(config, null, -1);
        }
        final Path real = config.bounds().resolve(config.name(), config.path());
        final Path directory = real.getParent();
        if (null == directory)
        {
            throw new BlockDeviceException("device " + config.name() + ": path " + config.path() +
                " is neither a regular file nor a block device: name one");
        }
        // With the dot nothing but a directory is opened.
        final int fd = Files.open(arena.allocateFrom(directory + "/.").address(),
            Files.O_CLOEXEC | Files.O_RDONLY, 0);
        if (fd < 0)
        {
            throw new BlockDeviceException("device " + config.name() + ": path " + config.path() +
                " cannot be opened: its directory: " + Errno.describe(-fd) +
                ": give this user the right to read and write it");
        }
        final BoundedPath place = new BoundedPath(config, real, fd);
        try
        {
            place.checkIs(fd, directory);
            return place;
        }
        catch (final BlockDeviceException e)
        {
            place.close();
            throw e;
        }
    }

    static Path ofDescriptor(final int fd)
    {
        return DESCRIPTORS.resolve(Integer.toString(fd));
    }

    /** {@return what to open} */
    Path path()
    {
        return directoryFd < 0 ? config.path() : ofDescriptor(directoryFd).resolve(real.getFileName());
    }

    /** {@return the directory that it lies in} */
    Path directory()
    {
        return directoryFd < 0 ? config.path().toAbsolutePath().getParent() : ofDescriptor(directoryFd);
    }

    /**
     * Looks at what was opened.
     *
     * @throws BlockDeviceException when it is something else than what was found to be within the bounds.
     */
    void check(final int fd)
    {
        if (directoryFd >= 0)
        {
            checkIs(fd, real);
        }
    }

    private void checkIs(final int fd, final Path expected)
    {
        try
        {
            if (java.nio.file.Files.readSymbolicLink(ofDescriptor(fd)).equals(expected))
            {
                return;
            }
        }
        catch (final IOException _)
        {
            // Without proof it is refused.
        }
        throw new BlockDeviceException("device " + config.name() + ": path " + config.path() +
            " was changed while it was opened: try again");
    }

    @Override
    public void close()
    {
        if (directoryFd >= 0)
        {
            Files.close(directoryFd);
            directoryFd = -1;
        }
    }
}

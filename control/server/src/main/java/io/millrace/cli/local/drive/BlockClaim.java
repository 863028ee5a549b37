package io.millrace.cli.local.drive;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Files;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Block devices opened exclusively: while open, they and their partitions cannot be mounted or claimed; devices in use
 * cannot be opened. Requires root.
 */
final class BlockClaim implements AutoCloseable
{
    private final List<Integer> descriptors = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();

    /**
     * Claims all that can be claimed.
     *
     * @param disks names of block devices.
     */
    BlockClaim(final List<String> disks)
    {
        for (final String disk : disks)
        {
            try (Arena arena = Arena.ofConfined())
            {
                final int fd = Files.open(arena.allocateFrom("/dev/" + disk).address(),
                    Files.O_RDONLY | Files.O_EXCL | Files.O_CLOEXEC, 0);
                if (fd >= 0)
                {
                    descriptors.add(fd);
                }
                else if (-Errno.EBUSY == fd)
                {
                    refused.add(disk);
                }
            }
        }
    }

    /**
     * {@return devices that are claimed by others}
     */
    List<String> refused()
    {
        return refused;
    }

    @Override
    public void close()
    {
        descriptors.forEach(Files::close);
        descriptors.clear();
    }
}

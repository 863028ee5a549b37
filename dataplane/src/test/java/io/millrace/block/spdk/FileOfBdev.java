package io.millrace.block.spdk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * A file below a bdev.
 */
public final class FileOfBdev
{
    private FileOfBdev()
    {
    }

    /**
     * {@return a sparse file for a bdev}
     *
     * @param directory that it is made in.
     * @param sizeBytes of it.
     * @throws IOException if it cannot be made.
     */
    public static Path make(final Path directory, final long sizeBytes) throws IOException
    {
        final Path path = directory.resolve("bdev.img");
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
        {
            file.setLength(sizeBytes);
        }
        return path;
    }

    static void truncate(final Path path, final long sizeBytes) throws IOException
    {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
        {
            file.setLength(sizeBytes);
        }
    }
}

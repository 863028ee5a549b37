package io.millrace.status;

import io.millrace.lock.LockFile;
import io.millrace.lock.ProcessState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the status file of a data plane of this machine that runs, was stopped or crashed. It costs the data plane
 * nothing but the kernel's work to map the pages once. One thread at a time.
 */
public final class StatusReader
{
    private final Path path;
    private final UnsafeBuffer header;
    private final UnsafeBuffer errors;
    private final List<UnsafeBuffer> parts;

    private StatusReader(
        final Path path, final UnsafeBuffer header, final UnsafeBuffer errors, final List<UnsafeBuffer> parts)
    {
        this.path = path;
        this.header = header;
        this.errors = errors;
        this.parts = parts;
    }

    /**
     * Maps a file, which stays as it was mapped when another process takes its place.
     *
     * @param path path.
     * @return its reader.
     * @throws StatusException when it is not there, cannot be read, or is not a status file of this version.
     */
    public static StatusReader open(final Path path)
    {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ))
        {
            final long lengthBytes = channel.size();
            if (!Files.isRegularFile(path) || lengthBytes < StatusLayout.HEADER_BYTES)
            {
                throw new StatusException(path, "is not a status file of a data plane");
            }
            final UnsafeBuffer header = map(channel, 0, StatusLayout.HEADER_BYTES);
            if (StatusLayout.MAGIC != header.getLongAcquire(StatusLayout.MAGIC_OFFSET))
            {
                throw new StatusException(path, "is not a status file of a data plane");
            }
            checkVersion(path, header);
            return map(path, channel, header, lengthBytes);
        }
        catch (final NoSuchFileException e)
        {
            throw new StatusException(path, "does not exist: start a data plane that writes it, or name another");
        }
        catch (final AccessDeniedException e)
        {
            throw new StatusException(path, "may not be read by " + System.getProperty("user.name") +
                ": run the command as the user of the data plane, or as a member of the group of the file");
        }
        catch (final IOException e)
        {
            throw new StatusException(path, "cannot be read: " +
                (null == e.getMessage() || path.toString().equals(e.getMessage()) ? e.getClass().getSimpleName() :
                    e.getMessage()));
        }
    }

    private static void checkVersion(final Path path, final UnsafeBuffer header)
    {
        final int version = header.getInt(StatusLayout.VERSION_OFFSET);
        if (StatusLayout.VERSION != version)
        {
            throw new StatusException(path, "has version " + version + " of the format, not " +
                StatusLayout.VERSION + ": use the program that wrote it");
        }
        if (LatencyBuckets.COUNT != header.getInt(StatusLayout.BUCKETS_OFFSET) ||
            LatencyBuckets.SUB_BUCKET_BITS != header.getInt(StatusLayout.SUB_BUCKET_BITS_OFFSET) ||
            LatencyBuckets.UNIT_NS != header.getInt(StatusLayout.UNIT_OFFSET))
        {
            throw new StatusException(path, "is damaged: its histograms have other buckets");
        }
    }

    private static StatusReader map(
        final Path path, final FileChannel channel, final UnsafeBuffer header, final long lengthBytes)
        throws IOException
    {
        final long errorsOffset = header.getLong(StatusLayout.ERRORS_OFFSET_OFFSET);
        final long errorsBytes = header.getLong(StatusLayout.ERRORS_BYTES_OFFSET);
        final long partsOffset = header.getLong(StatusLayout.PARTS_OFFSET_OFFSET);
        final long partBytes = header.getLong(StatusLayout.PART_BYTES_OFFSET);
        final int partCount = header.getInt(StatusLayout.PARTS_OFFSET);
        if (errorsOffset < 0 || errorsBytes < 0 || errorsBytes > Integer.MAX_VALUE ||
            errorsBytes > lengthBytes - errorsOffset || partCount < 0 || partsOffset < 0 ||
            partBytes < StatusLayout.PART_HEADER_BYTES || partBytes > StatusSettings.BYTES_EACH_MAX ||
            partsOffset > lengthBytes || partCount > (lengthBytes - partsOffset) / partBytes)
        {
            throw new StatusException(path, "is damaged: its " + partCount + " parts of " + partBytes +
                " bytes do not fit into its " + lengthBytes);
        }
        final List<UnsafeBuffer> parts = new ArrayList<>(partCount);
        for (int i = 0; i < partCount; i++)
        {
            parts.add(map(channel, partsOffset + i * partBytes, (int)partBytes));
        }
        return new StatusReader(path, header, map(channel, errorsOffset, (int)errorsBytes), parts);
    }

    private static UnsafeBuffer map(final FileChannel channel, final long offset, final int lengthBytes)
        throws IOException
    {
        return new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_ONLY, offset, lengthBytes));
    }

    /**
     * {@return its present values}
     *
     * @throws StatusException when its contents are invalid.
     */
    public StatusSnapshot read()
    {
        final StatusParser parser = new StatusParser(path.toString());
        parser.header(header);
        parser.errors(errors);
        parts.forEach(parser::part);
        return parser.result();
    }

    /**
     * {@return whether a live process writes a file of this name; it may be another than the one that wrote this file}
     *
     * @throws StatusException when the lock beside it cannot be checked.
     */
    public boolean isWriterAlive()
    {
        final Path lockFile = StatusFile.lockFile(path.toAbsolutePath().normalize());
        try
        {
            return LockFile.isHeld(lockFile);
        }
        catch (final NoSuchFileException e)
        {
            return false;
        }
        catch (final AccessDeniedException e)
        {
            // The lock is for its owner alone; the file may be read by a group.
            return ProcessState.isAlive(header.getLong(StatusLayout.PROCESS_ID_OFFSET));
        }
        catch (final IOException e)
        {
            throw new StatusException(lockFile, "cannot be checked for a live writer: " +
                e.getClass().getSimpleName());
        }
    }

    static boolean hasMagic(final Path path) throws IOException
    {
        return StatusLayout.MAGIC == readLong(path, StatusLayout.MAGIC_OFFSET);
    }

    static boolean isStopped(final Path path) throws IOException
    {
        return 0 != readLong(path, StatusLayout.STOP_OFFSET);
    }

    /** 0 when the file is not as long. */
    private static long readLong(final Path path, final int offset) throws IOException
    {
        final ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ))
        {
            channel.read(bytes, offset);
        }
        return bytes.hasRemaining() ? 0 : bytes.getLong(0);
    }
}

package io.millrace.status;

import io.millrace.lock.LockFile;
import io.millrace.lock.LockedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;

/**
 * Counters of a data plane, in a mapped file or, without one, in memory of the process. Made and closed by the thread
 * that sets up; each {@link StatusPart} is written by its reactor, errors by any thread.
 * <p>
 * The file is made beside its place and renamed to it when the data plane has started, so a reader never sees an
 * incomplete file and keeps its mapping, and a failed start removes nothing. It stays when the process ends, in
 * whatever way, until the next one replaces it; a lock beside it, {@code FILE.lock}, shows that its writer is alive,
 * and the kernel releases it. The last one whose writer ended without a clean stop is kept as {@code FILE.crashed}. It
 * has the largest size of all parts, and is sparse: pages are allocated piece by piece before they are touched. Memory
 * stays mapped until nothing refers to it, so that counters may be read after the end.
 */
public final class StatusFile implements AutoCloseable
{
    private static final int PAGE_BYTES = 4096;
    private static final int GROWTH_BYTES = 64 << 10;
    private static final int MEMORY_ERRORS_BYTES = 16 << 10;

    /** Distinct errors that have no stack trace of their own: a message is what distinguishes them. */
    private static final class Notice extends RuntimeException
    {
        private static final long serialVersionUID = 1L;

        Notice(final String message)
        {
            super(message, null, false, false);
        }

        @Override
        public String toString()
        {
            return getMessage();
        }
    }

    private final Path path;
    private Path fresh;
    private Path crashed;
    private final LockFile lock;
    private final FileChannel channel;
    private final UnsafeBuffer header;
    private final UnsafeBuffer errorsBuffer;
    private final DistinctErrorLog errors;
    private final List<StatusPart> parts = new ArrayList<>();

    private StatusFile(
        final Path path,
        final LockFile lock,
        final FileChannel channel,
        final UnsafeBuffer header,
        final UnsafeBuffer errorsBuffer)
    {
        this.path = path;
        this.lock = lock;
        this.channel = channel;
        this.header = header;
        this.errorsBuffer = errorsBuffer;
        errors = new DistinctErrorLog(errorsBuffer, System::currentTimeMillis);
    }

    /**
     * Creates counters without a file.
     *
     * @param partCount reactors there are.
     * @return the counters.
     */
    public static StatusFile inMemory(final int partCount)
    {
        final StatusFile status = new StatusFile(null, null, null,
            StatusPart.memory(StatusLayout.HEADER_BYTES), StatusPart.memory(MEMORY_ERRORS_BYTES));
        status.writeHeader("", 0, partCount);
        for (int i = 0; i < partCount; i++)
        {
            status.parts.add(StatusPart.inMemory(i));
        }
        return status;
    }

    /**
     * Makes the file of a data plane beside its place, to be published when the data plane has started.
     *
     * @param settings  with a path.
     * @param partCount reactors there are.
     * @return the counters.
     * @throws StatusException when it cannot be created, a live data plane uses it, or another file is in its place.
     */
    public static StatusFile create(final StatusSettings settings, final int partCount)
    {
        final Path path = settings.file().toAbsolutePath().normalize();
        final Path fresh = path.resolveSibling("." + path.getFileName() + "." + ProcessHandle.current().pid());
        LockFile lock = null;
        FileChannel channel = null;
        try
        {
            lock = LockFile.take(lockFile(path));
            checkReplaceable(path);
            // A former process of the same id may have been killed while it was here.
            Files.deleteIfExists(fresh);
            channel = FileChannel.open(fresh,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
            final StatusFile status = map(path, lock, channel, settings, partCount);
            status.fresh = fresh;
            return status;
        }
        catch (final LockedException e)
        {
            throw new StatusException(path, "is in use by another data plane: " + e.getMessage());
        }
        catch (final IOException | StatusException e)
        {
            CloseHelper.quietCloseAll(channel, lock);
            deleteQuietly(fresh);
            throw e instanceof final StatusException refused ? refused :
                new StatusException(path, "cannot be made: " + reason((IOException)e));
        }
    }

    private static StatusFile map(
        final Path path,
        final LockFile lock,
        final FileChannel channel,
        final StatusSettings settings,
        final int partCount) throws IOException
    {
        final int partBytes = (settings.bytesEach() + PAGE_BYTES - 1) & -PAGE_BYTES;
        final int headBytes = StatusLayout.HEADER_BYTES + StatusLayout.ERRORS_BYTES;
        ensure(channel, 0, headBytes);
        final UnsafeBuffer head =
            new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, 0, headBytes));
        final StatusFile status = new StatusFile(path, lock, channel,
            new UnsafeBuffer(head, 0, StatusLayout.HEADER_BYTES),
            new UnsafeBuffer(head, StatusLayout.HEADER_BYTES, StatusLayout.ERRORS_BYTES));
        for (int i = 0; i < partCount; i++)
        {
            final long offset = headBytes + (long)i * partBytes;
            ensure(channel, offset, PAGE_BYTES);
            final StatusPart part = new StatusPart(
                new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, offset, partBytes)), i,
                new FileGrowth(channel, offset, partBytes), System::currentTimeMillis);
            part.prepare();
            status.parts.add(part);
        }
        status.writeHeader(settings.program(), partBytes, partCount);
        return status;
    }

    private void writeHeader(final String program, final int partBytes, final int partCount)
    {
        header.putInt(StatusLayout.VERSION_OFFSET, StatusLayout.VERSION);
        header.putInt(StatusLayout.HEADER_BYTES_OFFSET, StatusLayout.HEADER_BYTES);
        header.putLong(StatusLayout.PROCESS_ID_OFFSET, ProcessHandle.current().pid());
        header.putLong(StatusLayout.START_OFFSET, System.currentTimeMillis());
        header.putLong(StatusLayout.ERRORS_OFFSET_OFFSET, StatusLayout.HEADER_BYTES);
        header.putLong(StatusLayout.ERRORS_BYTES_OFFSET, errorsBuffer.capacity());
        header.putLong(StatusLayout.PARTS_OFFSET_OFFSET, StatusLayout.HEADER_BYTES + StatusLayout.ERRORS_BYTES);
        header.putLong(StatusLayout.PART_BYTES_OFFSET, partBytes);
        header.putInt(StatusLayout.PARTS_OFFSET, partCount);
        header.putInt(StatusLayout.BUCKETS_OFFSET, LatencyBuckets.COUNT);
        header.putInt(StatusLayout.SUB_BUCKET_BITS_OFFSET, LatencyBuckets.SUB_BUCKET_BITS);
        header.putInt(StatusLayout.UNIT_OFFSET, (int)LatencyBuckets.UNIT_NS);
        final byte[] text = RecordSlot.fit(program, StatusLayout.PROGRAM_BYTES_MAX);
        header.putInt(StatusLayout.PROGRAM_BYTES_OFFSET, text.length);
        header.putBytes(StatusLayout.PROGRAM_OFFSET, text);
        header.putLongRelease(StatusLayout.MAGIC_OFFSET, StatusLayout.MAGIC);
    }

    /**
     * Publishes the file under its name; the file of a former process is replaced. Does nothing without a file.
     *
     * @throws StatusException when that cannot be done.
     */
    public void publish()
    {
        if (null == fresh)
        {
            return;
        }
        try
        {
            crashed = keepCrashed(path);
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            fresh = null;
        }
        catch (final IOException e)
        {
            throw new StatusException(path, "cannot be made: " + reason(e));
        }
    }

    /**
     * {@return where the file is; null when there is none}
     */
    public Path path()
    {
        return path;
    }

    /**
     * {@return the file of a former process that ended without a clean stop; null when there is none}
     */
    public Path crashed()
    {
        return crashed;
    }

    /**
     * {@return a reactor's part}
     *
     * @param index of the reactor.
     */
    public StatusPart part(final int index)
    {
        return parts.get(index);
    }

    /**
     * Records an error, or counts it when it was recorded before. Any thread.
     *
     * @param error that happened.
     */
    public void onError(final Throwable error)
    {
        errors.record(error);
    }

    /**
     * Records an error that is known by its message alone. Any thread.
     *
     * @param message one sentence.
     */
    public void onError(final String message)
    {
        errors.record(new Notice(message));
    }

    /**
     * {@return its present values, including those that did not fit into the file; any thread}
     */
    public StatusSnapshot snapshot()
    {
        final StatusParser parser = new StatusParser(null == path ? "status" : path.toString());
        parser.header(header);
        parser.errors(errorsBuffer);
        for (final StatusPart part : parts)
        {
            parser.part(part.buffer());
            part.unpublishedRecords().forEach(parser::record);
        }
        return parser.result();
    }

    /**
     * Marks the file as stopped, and releases its lock; an unpublished file is removed. Reactors may not write any
     * more. Again does nothing.
     */
    @Override
    public void close()
    {
        if (0 == header.getLong(StatusLayout.STOP_OFFSET))
        {
            header.putLongRelease(StatusLayout.STOP_OFFSET, System.currentTimeMillis());
        }
        if (null != fresh)
        {
            deleteQuietly(fresh);
            fresh = null;
        }
        CloseHelper.quietCloseAll(channel, lock);
    }

    static Path lockFile(final Path path)
    {
        return path.resolveSibling(path.getFileName() + ".lock");
    }

    private static void checkReplaceable(final Path path) throws IOException
    {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS))
        {
            return;
        }
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || !StatusReader.hasMagic(path))
        {
            throw new StatusException(path, "exists and is not a status file");
        }
    }

    /**
     * Services are restarted immediately when they crash, so the file of the crashed process is kept under another
     * name.
     */
    private static Path keepCrashed(final Path path) throws IOException
    {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS) || StatusReader.isStopped(path))
        {
            return null;
        }
        final Path kept = path.resolveSibling(path.getFileName() + ".crashed");
        Files.move(path, kept, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return kept;
    }

    /** Writing zeroes allocates pages for a range that was not touched yet. */
    private static void ensure(final FileChannel channel, final long offset, final int lengthBytes) throws IOException
    {
        final ByteBuffer zeroes = ByteBuffer.allocateDirect(lengthBytes);
        while (zeroes.hasRemaining())
        {
            channel.write(zeroes, offset + zeroes.position());
        }
    }

    private static void deleteQuietly(final Path file)
    {
        try
        {
            Files.deleteIfExists(file);
        }
        catch (final IOException e)
        {
            // The cause of the failure is reported; a left-over partial file does no harm.
        }
    }

    private static String reason(final IOException e)
    {
        final String message = e.getMessage();
        return null == message || e.getClass() == IOException.class ?
            String.valueOf(message) : e.getClass().getSimpleName() + " of " + message;
    }

    /** Grows the pages of one part, on its reactor: a few times in its life. */
    private static final class FileGrowth implements StatusPart.Growth
    {
        private final FileChannel channel;
        private final long offset;
        private final int partBytes;
        /** The first page is there from the beginning. */
        private int backed = PAGE_BYTES;

        FileGrowth(final FileChannel channel, final long offset, final int partBytes)
        {
            this.channel = channel;
            this.offset = offset;
            this.partBytes = partBytes;
        }

        @Override
        public int ensure(final int lengthBytes)
        {
            try
            {
                while (backed < lengthBytes || PAGE_BYTES == backed)
                {
                    final int next = Math.min(partBytes, (backed & -GROWTH_BYTES) + GROWTH_BYTES);
                    StatusFile.ensure(channel, offset + backed, next - backed);
                    backed = next;
                }
            }
            catch (final IOException e)
            {
                // Part of it was written before the disk was full, but the amount is unknown.
            }
            return backed;
        }
    }
}

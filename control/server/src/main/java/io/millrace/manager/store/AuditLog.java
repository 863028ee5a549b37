package io.millrace.manager.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The log of who asked for what: lines of JSON in {@code audit.jsonl}, which becomes {@code audit.1.jsonl} and so on
 * when it is long; the oldest of those is removed. What was appended is on stable storage. {@link #recent()} may be
 * asked by any thread, all else is for one thread at a time.
 */
public final class AuditLog implements AutoCloseable
{
    /** How many entries are remembered. */
    public static final int RECENT_MAX = 1000;

    private static final int FILES_MAX = 8;
    private static final long LENGTH_MAX_BYTES = 16L << 20;
    private static final int TAIL_LENGTH_BYTES = 1 << 20;

    private final Path directory;
    private final long lengthMaxBytes;
    private final ArrayDeque<AuditEntry> recent = new ArrayDeque<>(RECENT_MAX);
    private FileChannel channel;
    private long sequence;

    private AuditLog(final Path directory, final long lengthMaxBytes)
    {
        this.directory = directory;
        this.lengthMaxBytes = lengthMaxBytes;
    }

    /**
     * Opens the log, and makes it when it is not there.
     *
     * @param directory that it is in.
     * @return the log.
     * @throws IOException when it cannot be read or written.
     */
    public static AuditLog open(final Path directory) throws IOException
    {
        return open(directory, LENGTH_MAX_BYTES);
    }

    static AuditLog open(final Path directory, final long lengthMaxBytes) throws IOException
    {
        final AuditLog log = new AuditLog(directory, lengthMaxBytes);
        log.readTail(log.file(1));
        log.openFile();
        log.readTail(log.file(0));
        log.endLine();
        return log;
    }

    private Path file(final int index)
    {
        return directory.resolve(0 == index ? "audit.jsonl" : "audit." + index + ".jsonl");
    }

    private void openFile() throws IOException
    {
        channel = FileChannel.open(file(0),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
    }

    private void readTail(final Path file) throws IOException
    {
        final ByteBuffer bytes;
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ))
        {
            final long start = Math.max(0, from.size() - TAIL_LENGTH_BYTES);
            bytes = ByteBuffer.allocate((int)(from.size() - start));
            while (bytes.hasRemaining() && from.read(bytes, start + bytes.position()) > 0)
            {
                Thread.onSpinWait();
            }
        }
        catch (final NoSuchFileException e)
        {
            return;
        }
        // A first line that is cut, and one that a crash cut, are none.
        new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).lines().map(AuditEntry::parse)
            .forEach((entry) ->
            {
                if (null != entry)
                {
                    remember(entry);
                    sequence = Math.max(sequence, entry.sequence());
                }
            });
    }

    /** A crash may have cut the last line. */
    private void endLine() throws IOException
    {
        final ByteBuffer last = ByteBuffer.allocate(1);
        try (FileChannel from = FileChannel.open(file(0), StandardOpenOption.READ))
        {
            if (from.size() > 0 && from.read(last, from.size() - 1) > 0 && '\n' != last.get(0))
            {
                channel.write(ByteBuffer.wrap(new byte[]{'\n'}));
            }
        }
    }

    private synchronized void remember(final AuditEntry entry)
    {
        if (RECENT_MAX == recent.size())
        {
            recent.removeFirst();
        }
        recent.addLast(entry);
    }

    /**
     * {@return the last entries, the oldest first; any thread}
     */
    public synchronized List<AuditEntry> recent()
    {
        return List.copyOf(recent);
    }

    /**
     * Appends entries and brings them to stable storage.
     *
     * @param entries in order; get their numbers here.
     * @throws IOException when that fails; they are remembered nevertheless.
     */
    public void append(final Collection<AuditEntry> entries) throws IOException
    {
        final StringBuilder lines = new StringBuilder();
        for (final AuditEntry each : entries)
        {
            final AuditEntry entry = each.numbered(++sequence);
            remember(entry);
            lines.append(entry.line()).append('\n');
        }
        if (null == channel)
        {
            openFile();
            endLine();
        }
        if (channel.size() >= lengthMaxBytes)
        {
            rotate();
        }
        final ByteBuffer bytes = ByteBuffer.wrap(lines.toString().getBytes(StandardCharsets.UTF_8));
        try
        {
            while (bytes.hasRemaining())
            {
                channel.write(bytes);
            }
            channel.force(false);
        }
        catch (final IOException e)
        {
            // A line may have been cut.
            close();
            throw e;
        }
    }

    private void rotate() throws IOException
    {
        close();
        Files.deleteIfExists(file(FILES_MAX - 1));
        for (int i = FILES_MAX - 2; i >= 0; i--)
        {
            if (Files.exists(file(i)))
            {
                Files.move(file(i), file(i + 1), StandardCopyOption.ATOMIC_MOVE);
            }
        }
        openFile();
    }

    @Override
    public void close() throws IOException
    {
        if (null != channel)
        {
            final FileChannel open = channel;
            channel = null;
            open.close();
        }
    }
}

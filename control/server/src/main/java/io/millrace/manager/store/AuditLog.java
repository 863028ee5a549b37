package io.millrace.manager.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;

/**
 * The audit log: lines of JSON in {@code audit.jsonl}, which becomes {@code audit.1.jsonl} and so on when it is long;
 * the oldest of those is removed. What was appended is on stable storage, and so is the name of the file that it is in;
 * a crash loses nothing of it, wherever it happens. {@link #recent()} may be asked by any thread, all else is for one
 * thread at a time.
 */
public final class AuditLog
{
    /** How many entries are remembered. */
    public static final int RECENT_MAX = 1000;

    static final int FILES_MAX = 8;
    private static final long LENGTH_MAX_BYTES = 16L << 20;
    private static final int TAIL_LENGTH_BYTES = 1 << 20;

    private final StateDisk disk;
    private final long lengthMaxBytes;
    private final ArrayDeque<AuditEntry> recent = new ArrayDeque<>(RECENT_MAX);
    private long lengthBytes;
    /** A crash or an error may have cut the last line. */
    private boolean isCut;
    /** The name of the present file may be lost yet. */
    private boolean isNew;
    private long sequence;
    private int unreadCount;

    private AuditLog(final StateDisk disk, final long lengthMaxBytes)
    {
        this.disk = disk;
        this.lengthMaxBytes = lengthMaxBytes;
    }

    /**
     * Opens the log; its file is made by the first entry.
     *
     * @param disk that it is on.
     * @return the log.
     * @throws IOException when it cannot be read.
     */
    public static AuditLog open(final StateDisk disk) throws IOException
    {
        return open(disk, LENGTH_MAX_BYTES);
    }

    static AuditLog open(final StateDisk disk, final long lengthMaxBytes) throws IOException
    {
        final AuditLog log = new AuditLog(disk, lengthMaxBytes);
        log.load();
        return log;
    }

    static String file(final int index)
    {
        return 0 == index ? "audit.jsonl" : "audit." + index + ".jsonl";
    }

    private void load() throws IOException
    {
        final List<String> names = disk.list();
        if (names.contains(file(1)))
        {
            readEnd(file(1));
        }
        isNew = !names.contains(file(0));
        if (!isNew)
        {
            final byte[] end = readEnd(file(0));
            isCut = end.length > 0 && '\n' != end[end.length - 1];
            lengthBytes = disk.lengthBytes(file(0));
            // A process that was killed may have left names that the disk has not yet.
            disk.syncDirectory();
        }
    }

    /**
     * {@return lines that could not be read when the log was opened, and are not among the entries}
     */
    public int unreadCount()
    {
        return unreadCount;
    }

    private byte[] readEnd(final String name) throws IOException
    {
        final byte[] bytes = disk.readEnd(name, TAIL_LENGTH_BYTES);
        // The bytes may begin within a line. A line that a crash cut cannot be read.
        final boolean isFirstCut = bytes.length < disk.lengthBytes(name);
        final List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
        for (int i = isFirstCut ? 1 : 0; i < lines.size(); i++)
        {
            final AuditEntry entry = AuditEntry.parse(lines.get(i));
            if (null == entry)
            {
                unreadCount++;
                continue;
            }
            remember(entry);
            sequence = Math.max(sequence, entry.sequence());
        }
        return bytes;
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
        if (lengthBytes >= lengthMaxBytes)
        {
            rotate();
        }
        final byte[] bytes = ((isCut ? "\n" : "") + lines).getBytes(StandardCharsets.UTF_8);
        isCut = true;
        lengthBytes += bytes.length;
        disk.append(file(0), bytes);
        disk.sync(file(0));
        if (isNew)
        {
            disk.syncDirectory();
            isNew = false;
        }
        isCut = false;
    }

    /** Each name is on stable storage before the next file takes the one that became free. */
    private void rotate() throws IOException
    {
        final List<String> names = disk.list();
        for (int i = FILES_MAX - 2; i >= 0; i--)
        {
            if (names.contains(file(i)))
            {
                disk.rename(file(i), file(i + 1));
                disk.syncDirectory();
            }
        }
        isNew = true;
        isCut = false;
        lengthBytes = 0;
    }
}

package io.millrace.lock;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The holder of a lock on a file, from {@code /proc/locks}. Stateless; any thread.
 */
public final class LockHolder
{
    private static final Path LOCKS = Path.of("/proc/locks");
    /** Fields: number, type, kind, access, process, device and inode, start, end; a waiter has an arrow besides. */
    private static final int PROCESS_FIELD = 4;
    private static final int FILE_FIELD = 5;
    private static final int FIELDS = 8;

    private LockHolder()
    {
    }

    /**
     * {@return the id of a process that has a lock on a file, of any type; 0 when none is known, as for a file system
     * that shows another device there than to programs}
     *
     * @param file that is locked.
     */
    public static long pid(final Path file)
    {
        try
        {
            final Map<String, Object> attributes = Files.readAttributes(file, "unix:dev,ino");
            final String id = id((Long)attributes.get("dev"), (Long)attributes.get("ino"));
            for (final String line : Files.readAllLines(LOCKS, StandardCharsets.ISO_8859_1))
            {
                final String[] fields = line.strip().split("\\s+");
                // Locks of open file descriptions have -1 for a process.
                if (FIELDS == fields.length && id.equals(fields[FILE_FIELD]) && !fields[PROCESS_FIELD].startsWith("-"))
                {
                    return Long.parseLong(fields[PROCESS_FIELD]);
                }
            }
        }
        catch (final IOException | UnsupportedOperationException | IllegalArgumentException e)
        {
            // Not to be found then.
        }
        return 0;
    }

    /**
     * {@return the holder of a lock on a file, such as {@code process 4711 (java) of alice}; {@code another process}
     * when it cannot be found}
     *
     * @param file that is locked.
     */
    public static String describe(final Path file)
    {
        final long pid = pid(file);
        return 0 == pid ? "another process" : ProcessState.describe(pid);
    }

    /** As the kernel prints it: 12 bits of major number, 20 of minor. */
    private static String id(final long device, final long inode)
    {
        final long major = device >>> 8 & 0xFFF | device >>> 32 & ~0xFFFL;
        final long minor = device & 0xFF | device >>> 12 & ~0xFFL & 0xFFFFFFFFL;
        return String.format("%02x:%02x:%d", major, minor, inode);
    }
}

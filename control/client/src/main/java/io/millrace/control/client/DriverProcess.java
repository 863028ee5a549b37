package io.millrace.control.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Which process takes commands in a control directory, written down there, so that others know at once that it was
 * killed, instead of when its driver has given no sign of life for long enough. A process is known by its id, the time
 * it was started at, and the namespace that the id counts in: of one in another container nothing is known, and its
 * signs of life decide. Immutable; any thread.
 */
public final class DriverProcess
{
    /** Of a directory of which nothing is known. */
    static final DriverProcess UNKNOWN = new DriverProcess(0, "", "");

    private static final String FILE = "process";
    private static final Path PROC = Path.of("/proc");
    private static final String OWN_NAMESPACE = ownNamespace();
    private static final int PARTS = 3;
    private static final int LENGTH_MAX = 256;
    /** Fields behind the name, from 0: state, parent, group, session, terminal, its group, flags. */
    private static final int STATE_FIELD = 0;
    private static final int FLAGS_FIELD = 6;
    private static final int START_FIELD = 19;
    private static final int FLAG_EXITING = 0x4;

    private final long pid;
    private final String start;
    private final String namespace;

    private DriverProcess(final long pid, final String start, final String namespace)
    {
        this.pid = pid;
        this.start = start;
        this.namespace = namespace;
    }

    /**
     * Writes down that a process takes commands in a directory.
     *
     * @param directory of its media driver.
     * @param pid       of the process.
     * @throws IOException when it cannot be written.
     */
    public static void write(final Path directory, final long pid) throws IOException
    {
        final String[] fields = fields(pid);
        if (null != fields)
        {
            final Path file = directory.resolve(FILE);
            Files.writeString(file, pid + " " + fields[START_FIELD] + " " + OWN_NAMESPACE + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        }
    }

    /**
     * {@return the process that takes commands in a directory, as far as anything is known of it}
     *
     * @param directory of its media driver.
     */
    public static DriverProcess of(final Path directory)
    {
        try
        {
            final Path file = directory.resolve(FILE);
            if (Files.size(file) > LENGTH_MAX)
            {
                return UNKNOWN;
            }
            final String[] parts = Files.readString(file, StandardCharsets.ISO_8859_1).strip().split(" ");
            return PARTS == parts.length ? new DriverProcess(Long.parseLong(parts[0]), parts[1], parts[2]) : UNKNOWN;
        }
        catch (final IOException | NumberFormatException _)
        {
            // None is written by earlier versions, or it is being written.
            return UNKNOWN;
        }
    }

    /**
     * {@return whether it is known that the process has ended; false says nothing}
     */
    public boolean hasEnded()
    {
        if (pid <= 0 || !namespace.equals(OWN_NAMESPACE))
        {
            return false;
        }
        final String[] fields = fields(pid);
        return null == fields ? isVisible() : !start.equals(fields[START_FIELD]) ||
            "ZXx".indexOf(fields[STATE_FIELD].charAt(0)) >= 0 ||
            0 != (Long.parseLong(fields[FLAGS_FIELD]) & FLAG_EXITING);
    }

    /** Whether processes of others are seen at all: they are not where {@code /proc} hides them. */
    private static boolean isVisible()
    {
        return Files.exists(PROC.resolve("1"));
    }

    private static String[] fields(final long pid)
    {
        try
        {
            // The name may hold blanks and parentheses.
            final String stat = Files.readString(
                PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
            final String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
            return fields.length > START_FIELD ? fields : null;
        }
        catch (final IOException _)
        {
            return null;
        }
    }

    private static String ownNamespace()
    {
        try
        {
            return Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
        }
        catch (final IOException _)
        {
            return "unknown";
        }
    }
}

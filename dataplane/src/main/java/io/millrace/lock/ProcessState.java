package io.millrace.lock;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether a process is alive, from {@code /proc}. A killed process is not alive, although its id is used until its
 * parent has read its exit status (a zombie), and although the kernel may need a while to free its memory and files.
 * Stateless; any thread.
 */
public final class ProcessState
{
    private static final int FLAG_EXITING = 0x4;
    /** Fields behind the name, from 0: state, parent, group, session, terminal, its group, flags. */
    private static final int STATE_FIELD = 0;
    private static final int FLAGS_FIELD = 6;

    private ProcessState()
    {
    }

    /**
     * {@return whether a process is alive; false for one that ends or has ended}
     *
     * @param pid of the process.
     */
    public static boolean isAlive(final long pid)
    {
        if (pid <= 0)
        {
            return false;
        }
        try
        {
            // The name may hold blanks and parentheses.
            final String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"),
                StandardCharsets.ISO_8859_1);
            final String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
            return "ZXx".indexOf(fields[STATE_FIELD].charAt(0)) < 0 &&
                0 == (Long.parseLong(fields[FLAGS_FIELD]) & FLAG_EXITING);
        }
        catch (final IOException e)
        {
            return false;
        }
    }

    /** Such as {@code process 4711 (java) of alice}. */
    static String describe(final long pid)
    {
        final Path directory = Path.of("/proc", Long.toString(pid));
        String name = "";
        String owner = "";
        try
        {
            name = " (" + Files.readString(directory.resolve("comm"), StandardCharsets.ISO_8859_1).strip() + ")";
            owner = " of " + Files.getOwner(directory).getName();
        }
        catch (final IOException e)
        {
            // It ended meanwhile, or is hidden from this user.
        }
        return "process " + pid + name + owner;
    }
}

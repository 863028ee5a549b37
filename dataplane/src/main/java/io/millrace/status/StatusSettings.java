package io.millrace.status;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Settings of a status file. Immutable.
 *
 * @param file      path of it; null for none.
 * @param isRequired  whether it was configured: then a data plane that cannot create it does not start.
 * @param bytesEach that each reactor may fill, {@link #BYTES_EACH_MIN} to {@link #BYTES_EACH_MAX}; what it does not use
 *                  takes no space.
 * @param program   name and version for those who read the file.
 */
public record StatusSettings(Path file, boolean isRequired, int bytesEach, String program)
{
    /** Least of {@link #bytesEach()}. */
    public static final int BYTES_EACH_MIN = 1 << 20;
    /** Most of {@link #bytesEach()}. */
    public static final int BYTES_EACH_MAX = 1 << 30;
    /** Default of {@link #bytesEach()}: about ten thousand namespaces in use. */
    public static final int BYTES_EACH_DEFAULT = 64 << 20;
    /** No file. */
    public static final StatusSettings NONE = new StatusSettings(null, false, BYTES_EACH_DEFAULT, "");

    /**
     * Checks the bounds.
     */
    public StatusSettings
    {
        Objects.requireNonNull(program, "program");
        if (bytesEach < BYTES_EACH_MIN || bytesEach > BYTES_EACH_MAX)
        {
            throw new IllegalArgumentException("status file: " + bytesEach + " bytes for each reactor is not within " +
                BYTES_EACH_MIN + " to " + BYTES_EACH_MAX);
        }
    }

    /**
     * {@return the file when none is named: in memory, one for each user}
     */
    public static Path fileDefault()
    {
        return fileDefault("");
    }

    /**
     * {@return the file of a data plane when none is named: in memory, one for each user and name}
     *
     * @param name of the data plane; empty: it has none of its own.
     */
    public static Path fileDefault(final String name)
    {
        return Path.of("/dev/shm", "millrace-" + System.getProperty("user.name") +
            (name.isEmpty() ? "" : "-" + name) + ".status");
    }
}

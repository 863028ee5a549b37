package io.millrace.serve;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.settings.BaseDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The file behind the volume of {@code quickstart}. Main thread, before anything is started.
 *
 * @param path      of the file.
 * @param sizeBytes to make or grow it to; 0 to take it as it is.
 * @param isFresh   whether nothing was in it before, so that it may be written to.
 */
record QuickstartVolume(Path path, long sizeBytes, boolean isFresh)
{
    static final long SIZE_BYTES_DEFAULT = 1L << 30;

    /**
     * Decides which file to use, and makes its directory.
     *
     * @param path        that was asked for, or null.
     * @param sizeBytes   that was asked for, or null.
     * @param environment of the process.
     * @return the file.
     * @throws CommandException naming the option, when there can be no such file.
     */
    static QuickstartVolume locate(final Path path, final Long sizeBytes, final Map<String, String> environment)
    {
        final Path file = (null == path ? defaultPath(environment) : path).toAbsolutePath().normalize();
        try
        {
            final boolean isFresh = Files.notExists(file) || Files.isRegularFile(file) && 0 == Files.size(file);
            if (null == path)
            {
                Files.createDirectories(file.getParent());
            }
            final long otherwise = isFresh ? SIZE_BYTES_DEFAULT : 0;
            return new QuickstartVolume(file, null == sizeBytes ? otherwise : sizeBytes, isFresh);
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.USAGE, "--path " + file + ": its directory cannot be made (" +
                e.getMessage() + "); name a file in another with --path", e);
        }
    }

    private static Path defaultPath(final Map<String, String> environment)
    {
        return BaseDirectories.data(environment).resolve("millrace/quickstart.img");
    }
}

package io.millrace.serve;

import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.settings.BaseDirectories;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.agrona.IoUtil;

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

    /**
     * Deletes the file and the state of earlier runs, when it is confirmed. The content of a block device stays.
     *
     * @param terminal     to ask on and to say it.
     * @param confirmation asks.
     * @param environment  of the process.
     */
    void delete(final Terminal terminal, final Confirmation confirmation, final Map<String, String> environment)
    {
        final Path state = QuickstartState.directory(path, environment);
        final List<Path> found = Stream.of(path, state)
            .filter((each) -> Files.isRegularFile(each) || Files.isDirectory(each)).toList();
        if (found.isEmpty())
        {
            return;
        }
        final String names = found.stream().map(Path::toString).collect(Collectors.joining(" and "));
        // Before the question: a volume in use is not deleted, whatever the answer.
        try (AppliedStateFile lock = QuickstartState.lock(state, path))
        {
            confirmation.require(terminal, "deletes " + names + (found.contains(path) ?
                " with the data in the volume" : ""));
            if (null != lock)
            {
                IoUtil.delete(state.toFile(), false);
            }
            if (found.contains(path))
            {
                Files.delete(path);
            }
            terminal.line("deleted: " + names);
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.FAILURE, "--fresh: cannot delete all of " + names + ": " +
                reason(e) + "; delete them by hand, or use another file with --path FILE", e);
        }
    }

    /** The message of most exceptions about files is the path alone. */
    private static String reason(final IOException e)
    {
        return e instanceof AccessDeniedException ? "permission denied" :
            e instanceof final FileSystemException f && null != f.getReason() ? f.getReason() : e.getMessage();
    }

    private static Path defaultPath(final Map<String, String> environment)
    {
        return BaseDirectories.data(environment).resolve("millrace/quickstart.img");
    }
}

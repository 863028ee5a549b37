package io.millrace.cli.control;

import io.aeron.CommonContext;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import java.io.File;
import java.nio.file.Path;

/**
 * Where commands are sent. Immutable.
 *
 * @param directory of the media driver over IPC; null over UDP.
 * @param channel   over UDP; null over IPC.
 * @param dataPlane of a manager's; empty: the only one.
 * @param keyName   of the secret; empty without.
 * @param keyFile   with the secret, or null.
 */
record ControlTarget(Path directory, String channel, String dataPlane, String keyName, Path keyFile)
{
    private static final String UDP = "aeron:udp";
    private static final String DIRECTORIES = "/dev/shm";
    /** A driver that has not said for so long that it lives is taken for dead. */
    private static final long LIVENESS_MS = 3_001;

    /**
     * Finds whom to talk to.
     *
     * @param control   directory or channel that was named, or null.
     * @param dataPlane of a manager's; empty: the only one.
     * @param keyName   of the secret; empty without.
     * @param keyFile   with the secret, or null.
     * @return where commands are sent.
     * @throws CommandException when nobody is there, or the options do not fit each other.
     */
    static ControlTarget find(
        final String control, final String dataPlane, final String keyName, final Path keyFile)
    {
        if (keyName.isEmpty() != (null == keyFile))
        {
            throw new CommandException(ExitCode.USAGE, "--key-name and --key-file belong together: give both or none");
        }
        if (null != control && control.startsWith("aeron:"))
        {
            if (!control.startsWith(UDP))
            {
                throw new CommandException(ExitCode.USAGE, "--control " + control +
                    ": write aeron:udp?endpoint=ADDRESS:PORT, or the directory of a data plane or manager");
            }
            if (null == keyFile)
            {
                throw new CommandException(ExitCode.USAGE, "--control " + control +
                    " goes over UDP, where a key has to be proven: add --key-name and --key-file");
            }
            return new ControlTarget(null, control, dataPlane, keyName, keyFile);
        }
        if (null != control)
        {
            final Path directory = Path.of(control);
            if (!isAlive(directory))
            {
                throw new CommandException(ExitCode.FAILURE, "nobody takes commands in " + directory +
                    ": start 'millrace serve' or 'millrace manager' with that control directory, or name another");
            }
            return new ControlTarget(directory, null, dataPlane, keyName, keyFile);
        }
        final Path manager = directoryOf("millrace-manager-");
        final Path own = directoryOf("millrace-");
        final Path found = isAlive(manager) ? manager : isAlive(own) ? own : null;
        if (null == found)
        {
            throw new CommandException(ExitCode.FAILURE, "nobody takes commands, neither a manager in " + manager +
                " nor a data plane in " + own +
                ": start 'millrace serve' with a control section in its configuration, or name one with --control");
        }
        return new ControlTarget(found, null, dataPlane, keyName, keyFile);
    }

    private static Path directoryOf(final String prefix)
    {
        return Path.of(DIRECTORIES, prefix + System.getProperty("user.name"));
    }

    private static boolean isAlive(final Path directory)
    {
        final File file = directory.toFile();
        try
        {
            return CommonContext.newCncFile(file.getPath()).exists() &&
                CommonContext.isDriverActive(file, LIVENESS_MS, (message) ->
                {
                });
        }
        catch (final RuntimeException _)
        {
            // The file is being made or taken away at this moment, or is none of a driver.
            return false;
        }
    }
}

package io.millrace.cli.control;

import io.millrace.cli.control.ControlDirectory.State;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlDirectories;
import java.nio.file.Path;

/**
 * Target of commands. Immutable.
 *
 * @param directory of the media driver over IPC; null over UDP.
 * @param channel   over UDP; null over IPC.
 * @param dataPlane of a manager's; empty: the only one.
 * @param keyName   of the secret; empty without.
 * @param keyFile   with the secret, or null.
 */
record ControlTarget(Path directory, String channel, String dataPlane, String keyName, Path keyFile)
{
    /** What a channel begins with, and no directory. */
    static final String CHANNEL_PREFIX = "aeron:";

    private static final String UDP = "aeron:udp";
    private static final String GROUP_VARIABLE = "MILLRACE_CONTROL_GROUP";

    /**
     * Finds the target of commands.
     *
     * @param control   directory or channel that was named, or null.
     * @param dataPlane of a manager's; empty: the only one.
     * @param keyName   of the secret; empty without.
     * @param keyFile   with the secret, or null.
     * @return the target.
     * @throws CommandException when no process accepts commands, or the options contradict each other.
     */
    static ControlTarget find(
        final String control, final String dataPlane, final String keyName, final Path keyFile)
    {
        if (keyName.isEmpty() != (null == keyFile))
        {
            throw new CommandException(ExitCode.USAGE, "--key-name and --key-file belong together: give both " +
                "or none, also as MILLRACE_KEY and MILLRACE_KEY_FILE, or in the client file");
        }
        if (null != control && control.startsWith(CHANNEL_PREFIX))
        {
            if (!control.startsWith(UDP))
            {
                throw new CommandException(ExitCode.USAGE, "--control " + control +
                    ": write aeron:udp?endpoint=ADDRESS:PORT, or the directory of a data plane or manager");
            }
            if (null == keyFile)
            {
                throw new CommandException(ExitCode.USAGE, "--control " + control +
                    " goes over UDP, where a key has to be proven: add --key-name and --key-file, or set " +
                    "MILLRACE_KEY and MILLRACE_KEY_FILE, or key-name and key-file in " +
                    ClientSettings.file(System.getenv()));
            }
            return new ControlTarget(null, control, dataPlane, keyName, keyFile);
        }
        if (null != control)
        {
            final ControlDirectory directory = ControlDirectory.of(Path.of(control));
            if (!directory.isAlive())
            {
                throw new CommandException(ExitCode.FAILURE, State.FORBIDDEN == directory.state() ? directory.text() :
                    "no process accepts commands: " + directory.text() +
                    ": start 'millrace serve' or 'millrace manager' with that control directory, or name another");
            }
            return new ControlTarget(directory.path(), null, dataPlane, keyName, keyFile);
        }
        final ControlDirectory manager = ControlDirectory.of(ControlDirectories.manager());
        final ControlDirectory own = ControlDirectory.of(ControlDirectories.dataPlane());
        if (!manager.isAlive() && !own.isAlive())
        {
            throw new CommandException(ExitCode.FAILURE, "no process accepts commands: no manager, since " +
                manager.text() +
                "; no data plane, since " + own.text() +
                ": start 'millrace serve' with a control section in its configuration, or name one with --control");
        }
        return new ControlTarget(
            manager.isAlive() ? manager.path() : own.path(), null, dataPlane, keyName, keyFile);
    }

    /**
     * {@return this user's data plane, even if a manager runs}
     *
     * @param dataPlane name that it has to have; empty: any.
     * @throws CommandException when it does not run.
     */
    static ControlTarget ownDataPlane(final String dataPlane)
    {
        return find(ControlDirectories.dataPlane().toString(), dataPlane, "", null);
    }

    /**
     * {@return whether this is the data plane of this user, the fallback when no manager is found}
     */
    boolean isOwnDataPlane()
    {
        return ControlDirectories.dataPlane().equals(directory);
    }

    /** Group that may own control directories besides the user and root; null: none. */
    static String group()
    {
        final String group = System.getenv(GROUP_VARIABLE);
        return null == group || group.isBlank() ? null : group;
    }
}

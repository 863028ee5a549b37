package io.millrace.cli.control;

import io.millrace.cli.control.ControlDirectory.State;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlDirectories;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

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
        if (manager.isAlive())
        {
            return new ControlTarget(manager.path(), null, dataPlane, keyName, keyFile);
        }
        return new ControlTarget(own(dataPlane, manager).path(), null, dataPlane, keyName, keyFile);
    }

    /**
     * The data plane of this user that was named, and no other; when none was, the one without a name of its own, or
     * the only one.
     *
     * @param manager that does not run.
     */
    private static ControlDirectory own(final String dataPlane, final ControlDirectory manager)
    {
        final ControlDirectory named = ControlDirectory.of(
            dataPlane.isEmpty() ? ControlDirectories.dataPlane() : ControlDirectories.dataPlane(dataPlane));
        if (named.isAlive() || State.FORBIDDEN == named.state())
        {
            return checked(named, manager);
        }
        final List<ControlDirectory> others = ControlDirectories.dataPlanes().stream().map(ControlDirectory::of)
            .filter(ControlDirectory::isAlive).toList();
        if (others.size() > 1 || !dataPlane.isEmpty() && !others.isEmpty())
        {
            throw new CommandException(ExitCode.USAGE,
                (dataPlane.isEmpty() ? "which data plane? name one with --data-plane: " :
                    "this user has no data plane " + dataPlane + "; running: ") + others.stream()
                .map((each) -> ControlDirectories.nameOf(each.path())).collect(Collectors.joining(", ")));
        }
        return others.isEmpty() ? checked(named, manager) : others.getFirst();
    }

    private static ControlDirectory checked(final ControlDirectory own, final ControlDirectory manager)
    {
        if (!own.isAlive())
        {
            throw new CommandException(ExitCode.FAILURE, "no process accepts commands: no manager, since " +
                manager.text() + "; no data plane, since " + own.text() +
                ": start 'millrace serve' or 'millrace quickstart', or name one with --control");
        }
        return own;
    }

    /**
     * {@return this user's data plane, even if a manager runs}
     *
     * @param dataPlane name that it has to have; empty: any.
     * @throws CommandException when it does not run.
     */
    static ControlTarget ownDataPlane(final String dataPlane)
    {
        return new ControlTarget(own(dataPlane, ControlDirectory.of(ControlDirectories.manager())).path(), null,
            dataPlane, "", null);
    }

    /**
     * {@return whether this is a data plane of this user, the fallback when no manager is found}
     */
    boolean isOwnDataPlane()
    {
        return ControlDirectories.dataPlanes().contains(directory);
    }

    /** Group that may own control directories besides the user and root; null: none. */
    static String group()
    {
        return ControlDirectories.trustedGroup(System.getenv());
    }
}

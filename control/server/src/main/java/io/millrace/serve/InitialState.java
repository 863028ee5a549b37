package io.millrace.serve;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.agent.ControlAgent;
import io.millrace.control.agent.ControlOwner;
import io.millrace.control.agent.PersistedState;
import io.millrace.control.agent.RestoredState;
import io.millrace.control.device.DeviceContent;
import io.millrace.control.device.DeviceTypes;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.ManagerName;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StatePlan;
import io.millrace.dataplane.DataPlane;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.manager.store.StoreException;
import io.millrace.serve.config.ConfigReader;
import io.millrace.settings.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Initial state of a data plane with control: the state that its manager applied last, or else that of the
 * configuration file. Set-up thread.
 */
final class InitialState
{
    private static final int NAMES_MAX = 10;

    private final Path config;
    private final FileBounds bounds;
    private final FileRecords records;
    private final AppliedStateFile file;
    private AppliedState found;
    private final boolean isImport;

    private InitialState(
        final ConfigReader.Result read,
        final FileRecords records,
        final AppliedStateFile file,
        final AppliedState found,
        final boolean isImport)
    {
        config = Path.of(read.file());
        bounds = read.bounds();
        this.records = records;
        this.file = file;
        this.found = found;
        this.isImport = isImport;
    }

    /**
     * Reads the applied state.
     *
     * @param isImport whether to use the configuration file nevertheless.
     * @param records  of files that devices had; those of the state are added.
     * @throws CommandException when there is one that cannot be read: to serve something else instead might let hosts
     * in
     *                          that were refused.
     */
    static InitialState read(final ConfigReader.Result read, final boolean isImport, final FileRecords records)
    {
        final AppliedStateFile file = AppliedStateFile.in(read.stateDirectory(), Path.of(read.file()));
        try
        {
            final AppliedState found = file.read();
            if (null != found && !isImport && !read.isStateDirectoryNamed())
            {
                checkBelongs(file, read);
            }
            if (null != found)
            {
                ControlAgent.adopt(found.state(), records);
            }
            return new InitialState(read, records, file, found, isImport);
        }
        catch (final StoreException e)
        {
            if (isImport && file.isOpen())
            {
                // Damaged, but not needed: the next manager applies another.
                return new InitialState(read, records, file, null, false);
            }
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.USAGE, file.where() + ": cannot be read: " + e +
                "; let this user read it, or name another directory with state.directory", e);
        }
    }

    /**
     * The default directory is that of a user and a name, which another configuration may have too: it must not begin
     * with what was applied to the first.
     */
    private static void checkBelongs(final AppliedStateFile file, final ConfigReader.Result read)
    {
        final Path own = Path.of(read.file()).toAbsolutePath().normalize();
        final String other = file.foundConfiguration();
        if (other.isEmpty() || isSame(Path.of(other), own))
        {
            return;
        }
        file.close();
        throw new CommandException(ExitCode.USAGE, own + ": " + file.where() +
            " has the state that a manager applied to the data plane of " + other + "; give this one another " +
            "control.name " +
            "or a state.directory of its own, or write 'state: {directory: " + read.stateDirectory() +
            "}' into it to continue with that state, or start once with --import to use this file");
    }

    private static boolean isSame(final Path one, final Path other)
    {
        try
        {
            return one.equals(other) || Files.isSameFile(one, other);
        }
        catch (final IOException _)
        {
            // One of them is gone.
            return false;
        }
    }

    /** Whether the applied state is restored, for which the data plane is started empty. */
    boolean isRestored()
    {
        return null != found && !isImport;
    }

    PersistedState kept()
    {
        return PersistedState.of(file, found, isImport, records);
    }

    /** Restores the applied state, and prints its source and what could not be restored. */
    void restore(final DataPlane dataPlane, final ControlOwner owner, final Terminal terminal)
    {
        if (null == found)
        {
            return;
        }
        final LeadershipInfo leadership = found.leadership();
        if (isImport)
        {
            terminal.line("state: imported from " + config + "; " + ManagerName.phrase(leadership.managerName()) +
                " shows what differs from " + leadership.position() + " as drift");
            return;
        }
        terminal.line("state: as " + ManagerName.phrase(leadership.managerName()) + " applied it (" +
            leadership.position() +
            "), from " + file.where());
        final RestoredState restored = ControlAgent.restore(dataPlane, found, owner, bounds, records);
        restored.problems().forEach((problem) -> terminal.line("state: " + problem));
        found = restored.state();
        final List<String> empty = found.state().devices().values().stream()
            .filter((device) ->
                DeviceContent.VOLATILE == DeviceTypes.of(device.type()).content()).map(DeviceSpec::name).toList();
        if (!empty.isEmpty())
        {
            terminal.line("state: memory devices are empty after a start: " +
                String.join(", ", empty.subList(0, Math.min(NAMES_MAX, empty.size()))) +
                (empty.size() > NAMES_MAX ? " and " + (empty.size() - NAMES_MAX) + " more" : ""));
        }
        final String difference = difference();
        if (!difference.isEmpty())
        {
            terminal.line("state: what " + config + " declares " + difference +
                " and is ignored: change it through the manager, or start once with --import");
        }
    }

    /** How the configuration file differs from the applied state, as a clause; empty when it does not. */
    String difference()
    {
        try
        {
            final DesiredState declared = StateDocument.readResolving(config.toString(),
                StateDocument.text(config)).state();
            final StatePlan plan = StatePlan.between(found.state(), declared);
            return DesiredState.EMPTY.equals(declared) || plan.isEmpty() ? "" : "differs in " +
                Units.count(plan.steps().size() + plan.obstacles().size(), "step");
        }
        catch (final ConfigException e)
        {
            // It is good as a configuration, but not as a desired state.
            return "cannot be compared with it (" + e.getMessage() + ')';
        }
    }
}

package io.millrace.serve;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.agent.ControlAgent;
import io.millrace.control.agent.ControlOwner;
import io.millrace.control.agent.PersistedState;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.manager.store.StateInUseException;
import io.millrace.manager.store.StoreException;
import io.millrace.settings.BaseDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.agrona.IoUtil;

/**
 * What was made in a {@code quickstart}, kept from one run to the next in a directory beside the volume: the state that
 * was applied last, which files devices had, and the state of the manager. Main thread.
 */
final class QuickstartState
{
    static final String VOLUME = "volume";
    private static final String SUFFIX = ".state";

    private final Path directory;
    private final Path volume;
    private final AppliedStateFile file;
    private final AppliedState found;
    private final FileRecords records;

    private QuickstartState(
        final Path directory, final Path volume, final AppliedStateFile file, final AppliedState found)
    {
        this.volume = volume;
        this.directory = directory;
        this.file = file;
        this.found = found;
        records = FileRecords.in(directory.resolve("files"));
    }

    /** {@return the directory for a volume; of a block device with the user's state} */
    static Path directory(final Path volume, final Map<String, String> environment)
    {
        return Files.isRegularFile(volume) || Files.notExists(volume) ? Path.of(volume + SUFFIX) :
            BaseDirectories.state(environment).resolve("millrace")
                .resolve("quickstart" + volume.toString().replace('/', '-') + SUFFIX);
    }

    /**
     * Reads the state.
     *
     * @param directory of it, which is made later.
     * @param volume    that it is of.
     * @throws CommandException when it cannot be used.
     */
    static QuickstartState open(final Path directory, final Path volume)
    {
        final AppliedStateFile file = AppliedStateFile.in(directory.resolve("data-plane"));
        try
        {
            final AppliedState found = file.read();
            if (null != found && Files.notExists(volume))
            {
                throw new CommandException(ExitCode.USAGE, "--path " + volume + ": does not exist, but its state in " +
                    directory + " does: restore the file, or begin anew with --fresh");
            }
            final QuickstartState state = new QuickstartState(directory, volume, file, found);
            if (null != found)
            {
                ControlAgent.adopt(found.state(), state.records);
            }
            return state;
        }
        catch (final StateInUseException e)
        {
            throw new CommandException(ExitCode.USAGE, runs(volume, e), e);
        }
        catch (final StoreException | IOException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage() + "; correct that, or begin anew with --fresh",
                e);
        }
    }

    private static String runs(final Path volume, final StateInUseException e)
    {
        return "a quickstart of " + volume + " runs already" + e.holder() +
            "; use that one, stop it with Ctrl-C, or serve another file with --path FILE";
    }

    boolean isNew()
    {
        return null == found;
    }

    Path directory()
    {
        return directory;
    }

    PersistedState kept()
    {
        return PersistedState.of(file, found, false, records);
    }

    /**
     * Options of the command line have to agree with the state, which is changed by commands.
     *
     * @param sizeBytes     asked for; null: any.
     * @param port          asked for; null or 0: any.
     * @param discoveryPort asked for; null or 0: any.
     * @throws CommandException when they differ.
     */
    void check(final Long sizeBytes, final Integer port, final Integer discoveryPort)
    {
        if (isNew())
        {
            return;
        }
        checkPort("--port", port, false);
        checkPort("--discovery-port", discoveryPort, true);
        final DeviceSpec device = found.state().devices().get(VOLUME);
        // A device without a size is as long as its file.
        final long currentBytes = null == device ? -1 : 0 == device.sizeBytes() ? volume.toFile().length() :
            device.sizeBytes();
        if (null != sizeBytes && sizeBytes != currentBytes)
        {
            throw differs("--size " + Units.size(sizeBytes), null == device ? "device " + VOLUME + " was deleted" :
                "the volume has " + Units.size(currentBytes),
                "device resize " + VOLUME + ' ' + Units.size(sizeBytes));
        }
    }

    private void checkPort(final String option, final Integer port, final boolean isDiscovery)
    {
        final List<ListenerSpec> listeners = found.state().listeners().values().stream()
            .filter((each) -> isDiscovery == each.discoveryOnly()).toList();
        if (null != port && 0 != port && listeners.stream().noneMatch((each) -> port == each.port()))
        {
            throw differs(option + ' ' + port, listeners.isEmpty() ? "there are no such listeners" : "listeners are " +
                listeners.stream().map((each) -> each.address() + ':' + each.port()).collect(Collectors.joining(", ")),
                "listener add 127.0.0.1:" + port + (isDiscovery ? " --discovery-only" : ""));
        }
    }

    private CommandException differs(final String option, final String state, final String command)
    {
        file.close();
        return new CommandException(ExitCode.USAGE, option + ": " + state + " by the state in " + directory +
            "; change it while it runs with 'millrace " + command + "', or begin anew with --fresh");
    }

    /**
     * Restores the state on a data plane without resources.
     *
     * @return a sentence about what is there, and one for each resource that is not.
     */
    List<String> restore(final DataPlane dataPlane, final ControlOwner owner, final FileBounds bounds)
    {
        final List<String> problems = ControlAgent.restore(dataPlane, found, owner, bounds, records);
        if (dataPlane.addresses().isEmpty() && !found.state().listeners().isEmpty())
        {
            throw new CommandException(ExitCode.USAGE, "no listener of " + directory + " can be opened: " +
                String.join("; ", problems) + "; stop what listens there, or begin anew with --fresh");
        }
        return problems;
    }

    /**
     * Deletes the state of a volume that no process uses.
     *
     * @param directory of the state.
     * @param volume    that the state is of.
     * @throws CommandException when a process uses it.
     * @throws IOException      when a file cannot be deleted.
     */
    static void delete(final Path directory, final Path volume) throws IOException
    {
        if (!Files.isDirectory(directory))
        {
            return;
        }
        final AppliedStateFile file = AppliedStateFile.in(directory.resolve("data-plane"));
        try
        {
            file.lock();
            IoUtil.delete(directory.toFile(), false);
        }
        catch (final StateInUseException e)
        {
            throw new CommandException(ExitCode.USAGE, "--fresh: " + runs(volume, e), e);
        }
        finally
        {
            file.close();
        }
    }

    /** {@return what the state has, in numbers} */
    String summary()
    {
        final DesiredState state = found.state();
        return Units.count(state.devices().size(), "device") + ", " +
            Units.count(state.subsystems().size(), "subsystem") + ", " +
            Units.count(state.namespaceCount(), "namespace") + ", " + Units.count(state.listeners().size(), "listener");
    }
}

package io.millrace.serve;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.agent.ControlAgent;
import io.millrace.control.agent.ControlOwner;
import io.millrace.control.agent.PersistedState;
import io.millrace.control.agent.RestoredState;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.setting.Units;
import io.millrace.control.state.DesiredState;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.OperationException;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.manager.store.StateInUseException;
import io.millrace.manager.store.StoreException;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.settings.BaseDirectories;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

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
    private AppliedState found;
    private final FileRecords records;
    private ListenerMove move = ListenerMove.NONE;

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
        return PersistedState.of(file, null == found ? null : moved(), false, records);
    }

    /**
     * Compares the options of the command line with the state, which is changed by commands: ports move its
     * listeners, the size has to agree.
     *
     * @param sizeBytes     asked for; null: any.
     * @param port          asked for; null or 0: any.
     * @param discoveryPort asked for; null or 0: any.
     * @throws CommandException when the size differs, or several listeners could be moved.
     */
    void check(final Long sizeBytes, final Integer port, final Integer discoveryPort)
    {
        if (isNew())
        {
            return;
        }
        try
        {
            move = ListenerMove.of(found.state(), port, discoveryPort);
        }
        catch (final CommandException e)
        {
            file.close();
            throw e;
        }
        final DeviceSpec device = found.state().devices().get(VOLUME);
        // A device without a size is as long as its file.
        final long currentBytes = null == device ? -1 : 0 == device.sizeBytes() ? volume.toFile().length() :
            device.sizeBytes();
        if (null != sizeBytes && sizeBytes != currentBytes)
        {
            throw differs("--size " + Units.size(sizeBytes), null == device ? "device " + VOLUME + " was deleted" :
                "the volume has " + Units.size(currentBytes), sizeBytes < currentBytes ?
                "it is never truncated: leave out --size, or serve another file with --path FILE" :
                "leave out --size, and enlarge it while it runs with 'millrace device resize " + VOLUME + ' ' +
                Units.size(sizeBytes) + "'");
        }
    }

    private CommandException differs(final String option, final String state, final String command)
    {
        file.close();
        return new CommandException(ExitCode.USAGE, option + ": " + state + " by the state in " + directory +
            "; " + command);
    }

    /** {@return listeners of the state that options move} */
    ListenerMove move()
    {
        return move;
    }

    /**
     * Restores the state on a data plane without resources.
     *
     * @return a sentence about what is there, and one for each resource that is not.
     */
    List<String> restore(final DataPlane dataPlane, final ControlOwner owner, final FileBounds bounds)
    {
        final DesiredState state = moved().state();
        final RestoredState restored = ControlAgent.restore(dataPlane, moved(), owner, bounds, records);
        found = restored.state();
        if (dataPlane.addresses().isEmpty() && !state.listeners().isEmpty())
        {
            requireListeners(dataPlane, state);
        }
        return restored.problems();
    }

    private AppliedState moved()
    {
        return new AppliedState(found.leadership(), move.applyTo(found.state()), found.ids());
    }

    /** Tries those that could not be opened once more, for the reason. */
    private static void requireListeners(final DataPlane dataPlane, final DesiredState state)
    {
        final List<String> problems = new ArrayList<>();
        final Set<String> options = new TreeSet<>(Comparator.reverseOrder());
        for (final ListenerSpec each : state.listeners().values())
        {
            final TransportAddress address = Transport.VFIO_USER == each.transport() ?
                TransportAddress.vfioUser(each.address()) :
                TransportAddress.of(TransportAddress.Type.valueOf(each.transport().name()),
                    new InetSocketAddress(InetAddress.ofLiteral(each.address()), each.port()));
            if (dataPlane.discoveryAddresses().contains(address))
            {
                continue;
            }
            try
            {
                dataPlane.listeners().add(
                    address, each.discoveryOnly(), ListenerProvider.valueOf(each.provider().name()));
            }
            catch (final OperationException e)
            {
                problems.add(ListenerMove.name(each) + ": " + e.problem());
                options.add(ListenerMove.option(each.discoveryOnly()) + " PORT");
            }
        }
        if (dataPlane.addresses().isEmpty() && !problems.isEmpty())
        {
            throw new CommandException(ExitCode.USAGE, "cannot listen on " + String.join(", on ", problems) +
                "; stop what listens there, or move the listeners with 'millrace quickstart " +
                String.join(" ", options) + "'");
        }
    }

    /**
     * Locks the state of a volume before it is deleted.
     *
     * @param directory of the state.
     * @param volume    that the state is of.
     * @return the lock; null when there is no state.
     * @throws CommandException when a process uses it.
     * @throws IOException      when it cannot be locked.
     */
    static AppliedStateFile lock(final Path directory, final Path volume) throws IOException
    {
        if (!Files.isDirectory(directory))
        {
            return null;
        }
        final AppliedStateFile file = AppliedStateFile.in(directory.resolve("data-plane"));
        try
        {
            file.lock();
            return file;
        }
        catch (final StateInUseException e)
        {
            throw new CommandException(ExitCode.USAGE, "--fresh: a quickstart of " + volume + " runs" + e.holder() +
                ": stop it first; nothing was deleted", e);
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

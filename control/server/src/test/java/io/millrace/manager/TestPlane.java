package io.millrace.manager;

import io.millrace.block.file.FileBounds;
import io.millrace.block.file.FileRecords;
import io.millrace.control.agent.ControlAgent;
import io.millrace.control.agent.ControlEvents;
import io.millrace.control.agent.ControlOwner;
import io.millrace.control.agent.PersistedState;
import io.millrace.control.agent.RestoredState;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Role;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.session.SharedSecret;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.manager.store.AppliedState;
import io.millrace.manager.store.AppliedStateFile;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.agrona.CloseHelper;

/** A real data plane in this process, which comes and goes as a test wants. */
final class TestPlane implements AutoCloseable, ControlOwner
{
    private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
    private final ControlSettings settings;
    private final Path state;
    private DataPlane dataPlane;
    private ControlAgent agent;

    private TestPlane(final ControlSettings settings)
    {
        this.settings = settings;
        state = settings.directory().resolveSibling("state-of-" + settings.name());
    }

    static TestPlane stopped(final Path directory, final String name)
    {
        return new TestPlane(new ControlSettings(
            directory.resolve("aeron-" + name), ControlSettings.IPC_CHANNEL, 4420, null, "plane-" + name));
    }

    static TestPlane started(final Path directory, final String name)
    {
        final TestPlane plane = stopped(directory, name);
        plane.start();
        return plane;
    }

    static TestPlane udp(final Path directory, final int port, final Path secrets)
    {
        final TestPlane plane = new TestPlane(new ControlSettings(
            directory.resolve("aeron-udp"), "aeron:udp?endpoint=127.0.0.1:" + port, 4420, secrets, "plane-udp"));
        plane.start();
        return plane;
    }

    /** How a manager reaches it over IPC. */
    PlaneConfig config(final String name)
    {
        return new PlaneConfig(name, settings.directory(), ControlSettings.IPC_CHANNEL, settings.streamId(), "", null,
            ControlSettings.IPC_CHANNEL);
    }

    /** How a manager reaches it over UDP, from the media driver in a directory. */
    PlaneConfig udpConfig(final String name, final Path directory, final String keyName, final String secret)
    {
        return new PlaneConfig(name, directory, settings.channel(), settings.streamId(), keyName,
            SharedSecret.of(secret.getBytes(StandardCharsets.UTF_8)), "aeron:udp?endpoint=127.0.0.1:0");
    }

    /** For a client beside the manager. */
    ControlClientContext context()
    {
        return new ControlClientContext().aeronDirectoryName(settings.directory().toString()).role(Role.ADMIN)
            .clientName("beside");
    }

    /** For a client that passes by the manager, on purpose. */
    ControlClientContext directContext()
    {
        return context().term(CommandHeader.DIRECT);
    }

    DataPlane dataPlane()
    {
        return dataPlane;
    }

    void start()
    {
        final ControlEvents events = new ControlEvents();
        dataPlane = DataPlane.start(DataPlaneConfig.managed(List.of(
            ReactorConfig.of("test-0", -1), ReactorConfig.of("test-1", -1)), 32 << 20), TargetListener.NONE, events);
        final AppliedStateFile file = AppliedStateFile.in(state);
        final FileRecords records = FileRecords.in(state.resolve("files"));
        final FileBounds bounds =
            FileBounds.below("control.device-directories", List.of(settings.directory().getParent()), List.of());
        try
        {
            AppliedState found = file.read();
            if (null != found)
            {
                final RestoredState restored = ControlAgent.restore(dataPlane, found, this, bounds, records);
                errors.addAll(restored.problems());
                found = restored.state();
            }
            agent = ControlAgent.start(
                settings, dataPlane, events, this, PersistedState.of(file, found, false, records), bounds);
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** What it began with and does so no more: as if the disk were another. */
    void forgetState() throws IOException
    {
        Files.delete(state.resolve("applied-state.yaml"));
    }

    /** All that it knew of: a machine that was set up anew. */
    void forgetAll() throws IOException
    {
        try (Stream<Path> files = Files.walk(state))
        {
            for (final Path each : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(each);
            }
        }
    }

    /** Whether its state can be written, as if its disk were full or not. */
    void persists(final boolean isPossible) throws IOException
    {
        // A file cannot be created in place of a directory, nor that be deleted before it is empty.
        final Path obstacle = state.resolve("applied-state.yaml.tmp");
        if (isPossible)
        {
            Files.delete(obstacle.resolve("full"));
            Files.delete(obstacle);
        }
        else
        {
            // As a whole: the data plane would delete one that is empty still.
            final Path made = Files.createDirectories(state.resolve("obstacle"));
            Files.createDirectory(made.resolve("full"));
            while (Files.exists(made))
            {
                try
                {
                    Files.move(made, obstacle, StandardCopyOption.ATOMIC_MOVE);
                }
                catch (final FileSystemException e)
                {
                    // The data plane is writing its file, and moves it away soon.
                    Thread.onSpinWait();
                }
            }
        }
    }

    void stop()
    {
        CloseHelper.closeAll(agent, dataPlane);
        agent = null;
        dataPlane = null;
    }

    void restart()
    {
        stop();
        start();
    }

    @Override
    public String version()
    {
        return "9.9";
    }

    @Override
    public void onStop()
    {
        errors.add("asked to stop");
    }

    @Override
    public void onNote(final String message)
    {
    }

    @Override
    public void onError(final String message)
    {
        errors.add(message);
    }

    List<String> errors()
    {
        return List.copyOf(errors);
    }

    @Override
    public void close()
    {
        stop();
    }
}

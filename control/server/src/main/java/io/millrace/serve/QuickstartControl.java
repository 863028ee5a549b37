package io.millrace.serve;

import io.millrace.block.file.FileBounds;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.StopSignal;
import io.millrace.control.agent.ControlAgent;
import io.millrace.control.agent.ControlEvents;
import io.millrace.control.agent.PersistedState;
import io.millrace.control.service.ControlSettings;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.SettingException;
import io.millrace.manager.config.ManagerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Management of the {@code quickstart} volume: the control agent of this process, and a manager process that imports
 * the actual state as the first version of the desired state. Its state is temporary. Main thread.
 */
final class QuickstartControl implements AutoCloseable
{
    private static final String COMMAND = "quickstart";
    private static final String READY = "ready";
    private static final long STOP_TIMEOUT_S = 10;

    private final ControlAgent agent;
    private final String suffix;
    private Path directory;
    private Process process;

    private QuickstartControl(final ControlAgent agent, final String suffix)
    {
        this.agent = agent;
        this.suffix = suffix;
    }

    /**
     * Starts agent and manager. Where another process of this user has the places that commands look at first, these
     * two take places of their own.
     *
     * @param dataPlane to manage.
     * @param volume    that it serves; file devices may be created beside it.
     * @param events    given to the data plane when it was started.
     * @param log       of the process.
     * @param stop      that ends it.
     * @return both, ready.
     * @throws CommandException when one of them is unavailable.
     */
    static QuickstartControl start(
        final DataPlane dataPlane,
        final Path volume,
        final ControlEvents events,
        final EventLog log,
        final StopSignal stop)
    {
        final FileBounds bounds = FileBounds.below("control.device-directories",
            List.of(Files.isRegularFile(volume) ? volume.getParent() : volume), List.of());
        final ServeOwner owner = new ServeOwner(log, stop);
        try
        {
            return start("", dataPlane, events, owner, bounds);
        }
        catch (final CommandException e)
        {
            return start("-" + ProcessHandle.current().pid(), dataPlane, events, owner, bounds);
        }
    }

    private static QuickstartControl start(
        final String suffix,
        final DataPlane dataPlane,
        final ControlEvents events,
        final ServeOwner owner,
        final FileBounds bounds)
    {
        final QuickstartControl control;
        try
        {
            final ControlSettings settings = new ControlSettings(
                suffixed(ControlSettings.directoryDefault(), suffix), ControlSettings.IPC_CHANNEL,
                ControlSettings.STREAM_ID_DEFAULT, null, ControlSettings.NAME_DEFAULT);
            control = new QuickstartControl(
                ControlAgent.start(settings, dataPlane, events, owner, PersistedState.NOWHERE, bounds), suffix);
        }
        catch (final SettingException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage() + "; --no-manager starts without it", e);
        }
        try
        {
            control.startManager();
            return control;
        }
        catch (final CommandException e)
        {
            control.close();
            throw e;
        }
    }

    private static Path suffixed(final Path directory, final String suffix)
    {
        return directory.resolveSibling(directory.getFileName() + suffix);
    }

    private Path managerDirectory()
    {
        return suffixed(ManagerConfig.controlDirectoryDefault(), suffix);
    }

    private void startManager()
    {
        try
        {
            directory = Files.createTempDirectory("millrace-quickstart");
            final Path config = Files.writeString(directory.resolve("manager.yaml"), """
                state: {directory: %s}
                control: {directory: %s}
                data-planes: [{name: %s, directory: %s}]
                """.formatted(directory.resolve("state"), managerDirectory(), ControlSettings.NAME_DEFAULT,
                suffixed(ControlSettings.directoryDefault(), suffix)));
            final List<String> command = new ArrayList<>(ownCommand());
            command.addAll(List.of("manager", "--config", config.toString(), "--end-with-stdin"));
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
            awaitReady(process.inputReader(StandardCharsets.UTF_8));
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.FAILURE,
                "the manager cannot be started (" + e.getMessage() + "); --no-manager starts without it", e);
        }
    }

    /** Java, its flags and the program, as this process was started. */
    private static List<String> ownCommand() throws IOException
    {
        final List<String> line = List.of(Files.readString(Path.of("/proc/self/cmdline")).split("\0"));
        final int end = line.indexOf(COMMAND);
        if (end < 0)
        {
            throw new IOException("this process was not started as 'millrace " + COMMAND + "'");
        }
        final List<String> own = new ArrayList<>(line.subList(0, end));
        own.set(0, ProcessHandle.current().info().command().orElse(own.getFirst()));
        return own;
    }

    private static void awaitReady(final BufferedReader said) throws IOException
    {
        String last = "no output";
        for (String line = said.readLine(); null != line; line = said.readLine())
        {
            if (line.startsWith(READY))
            {
                Thread.ofPlatform().daemon().name("millrace-manager-output").start(() -> drain(said));
                return;
            }
            last = line;
        }
        throw new IOException(last);
    }

    /** A process that finds nobody reading what it says comes to a halt. */
    private static void drain(final BufferedReader said)
    {
        try
        {
            said.transferTo(Writer.nullWriter());
        }
        catch (final IOException e)
        {
            // Closed, with the end of the process.
        }
    }

    /**
     * {@return the process that manages}
     */
    long managerPid()
    {
        return process.pid();
    }

    /**
     * {@return the option that leads commands here; empty when they come here by themselves}
     */
    String option()
    {
        return suffix.isEmpty() ? "" : " --control " + managerDirectory();
    }

    /**
     * Ends the manager, then the agent, and removes the manager's state.
     */
    @Override
    public void close()
    {
        if (null != process)
        {
            end(process);
        }
        agent.close();
        if (null != directory)
        {
            remove(directory);
        }
    }

    private static void end(final Process process)
    {
        process.destroy();
        try
        {
            if (!process.waitFor(STOP_TIMEOUT_S, TimeUnit.SECONDS))
            {
                process.destroyForcibly();
            }
        }
        catch (final InterruptedException e)
        {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static void remove(final Path directory)
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path file : files.sorted((a, b) -> b.compareTo(a)).toList())
            {
                Files.deleteIfExists(file);
            }
        }
        catch (final IOException | UncheckedIOException e)
        {
            // In the directory for temporary files it does no harm.
        }
    }
}

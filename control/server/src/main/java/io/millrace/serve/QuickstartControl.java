package io.millrace.serve;

import io.millrace.block.file.FileBounds;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.control.agent.ControlAgent;
import io.millrace.control.agent.ControlEvents;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControlException;
import io.millrace.control.service.ControlSettings;
import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.config.SettingException;
import io.millrace.manager.config.ManagerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Management of the {@code quickstart} volume: the control agent of this process, and a manager process that imports
 * the actual state as the first version of the desired state, or goes on with the desired state of earlier runs. A
 * manager that ends is started again. Main thread, and one that watches the manager.
 */
final class QuickstartControl implements AutoCloseable
{
    private static final String COMMAND = "quickstart";
    private static final String READY = "ready";
    private static final long STOP_TIMEOUT_S = 10;
    private static final long RESTART_PAUSE_MIN_MS = 1_000;
    private static final long RESTART_PAUSE_MAX_MS = 60_000;

    private final ControlAgent agent;
    private final String suffix;
    private final Path directory;
    private final EventLog log;
    private final CountDownLatch closing = new CountDownLatch(1);
    private Thread watch;
    private volatile Process process;
    private volatile String lastLine = "";

    private QuickstartControl(
        final ControlAgent agent, final String suffix, final Path directory, final EventLog log)
    {
        this.agent = agent;
        this.suffix = suffix;
        this.directory = directory;
        this.log = log;
    }

    /**
     * Starts agent and manager. Where another process of this user has the places that commands look at first, these
     * two take places of their own.
     *
     * @param dataPlane to manage.
     * @param volume    that it serves; file devices may be created beside it.
     * @param state     of earlier runs, and for the next one.
     * @param events    given to the data plane when it was started.
     * @param log       of the process.
     * @param stop      that ends it.
     * @param terminal  for what is restored.
     * @return both, ready.
     * @throws CommandException when one of them is unavailable.
     */
    static QuickstartControl start(
        final DataPlane dataPlane,
        final Path volume,
        final QuickstartState state,
        final ControlEvents events,
        final EventLog log,
        final StopSignal stop,
        final Terminal terminal)
    {
        final FileBounds bounds = FileBounds.below("control.device-directories",
            List.of(Files.isRegularFile(volume) ? volume.getParent() : volume), List.of());
        final ServeOwner owner = new ServeOwner(log, stop);
        LeftoverDirectories.remove(ControlDirectories.base());
        if (!state.isNew())
        {
            terminal.line("state: " + state.summary() + ", from " + state.directory());
            state.restore(dataPlane, owner, bounds).forEach((problem) -> terminal.line("state: " + problem));
        }
        try
        {
            return start("", dataPlane, state, events, owner, bounds);
        }
        catch (final CommandException e)
        {
            return start("-" + ProcessHandle.current().pid(), dataPlane, state, events, owner, bounds);
        }
    }

    private static QuickstartControl start(
        final String suffix,
        final DataPlane dataPlane,
        final QuickstartState state,
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
                ControlAgent.start(settings, dataPlane, events, owner, state.kept(), bounds), suffix,
                state.directory(), owner.log());
        }
        catch (final SettingException e)
        {
            throw new CommandException(ExitCode.FAILURE, e.getMessage() + "; --no-manager starts without it", e);
        }
        try
        {
            control.startManager();
            control.send(state.move());
            control.watch = Thread.ofPlatform().daemon().name("millrace-manager-watch").start(control::watch);
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
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rwx------")));
            final Path config = Files.writeString(directory.resolve("manager.yaml"), """
                state: {directory: '%s'}
                control: {directory: '%s'}
                data-planes: [{name: '%s', directory: '%s'}]
                """.formatted(directory.resolve("manager"), managerDirectory(), ControlSettings.NAME_DEFAULT,
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

    /** The listeners are open; when this fails, the manager reports them as drift. */
    private void send(final ListenerMove move)
    {
        if (move.isNone())
        {
            return;
        }
        try (ControlClient manager = ControlClient.connect(new ControlClientContext()
            .aeronDirectoryName(managerDirectory().toString())
            .role(Role.ADMIN)
            .clientName("millrace " + COMMAND + " of " + System.getProperty("user.name"))))
        {
            move.send(manager);
        }
        catch (final ControlException e)
        {
            log.onError("the manager does not have the new listeners: " + e.getMessage() + "; run " + move.commands());
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

    /** Starts the manager again whenever it ends, after a pause that grows while it ends at once. */
    private void watch()
    {
        long pauseMs = RESTART_PAUSE_MIN_MS;
        try
        {
            while (closing.getCount() > 0)
            {
                final long startNs = SystemNanoClock.INSTANCE.nanoTime();
                final long pid = process.pid();
                final int exitCode = process.waitFor();
                if (SystemNanoClock.INSTANCE.nanoTime() - startNs > TimeUnit.MILLISECONDS.toNanos(RESTART_PAUSE_MAX_MS))
                {
                    pauseMs = RESTART_PAUSE_MIN_MS;
                }
                if (closing.await(0, TimeUnit.MILLISECONDS))
                {
                    return;
                }
                log.onError("the manager, process " + pid + ", ended with exit code " + exitCode +
                    (lastLine.isEmpty() ? "" : " (" + lastLine + ")") + "; it is started again in " + pauseMs + " ms");
                if (closing.await(pauseMs, TimeUnit.MILLISECONDS))
                {
                    return;
                }
                pauseMs = Math.min(2 * pauseMs, RESTART_PAUSE_MAX_MS);
                restart();
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void restart()
    {
        try
        {
            startManager();
            log.onNote("the manager runs again, as process " + process.pid());
        }
        catch (final CommandException e)
        {
            log.onError(e.getMessage());
        }
    }

    private void awaitReady(final BufferedReader said) throws IOException
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
    private void drain(final BufferedReader said)
    {
        try
        {
            for (String line = said.readLine(); null != line; line = said.readLine())
            {
                lastLine = line;
            }
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
     * Ends the manager, then the agent. What was made in them remains.
     */
    @Override
    public void close()
    {
        closing.countDown();
        if (null != watch)
        {
            watch.interrupt();
            join(watch);
        }
        if (null != process)
        {
            end(process);
        }
        agent.close();
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join(TimeUnit.SECONDS.toMillis(STOP_TIMEOUT_S));
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static void end(final Process process)
    {
        // By its handle: Process.destroy closes the pipes, and the manager would end on its output before it cleans up.
        process.toHandle().destroy();
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
}

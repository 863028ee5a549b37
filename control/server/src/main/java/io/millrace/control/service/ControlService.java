package io.millrace.control.service;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.exceptions.AeronException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Takes commands over Aeron: over IPC always, over UDP when its settings say so. Has a media driver of its own, with
 * one thread, and a thread that serves sessions; both back off when there is nothing to do. Made and closed by the
 * owner's thread; close it before what the backend stands on.
 */
public final class ControlService implements AutoCloseable
{
    private static final int SPINS = 50;
    private static final int YIELDS = 10;
    private static final long PARK_MIN_NS = 1_000;
    private static final long PARK_MAX_NS = 1_000_000;
    /** An eighth of it is the longest message, which must hold a sealed one. */
    private static final int TERM_BYTES = 256 * 1024;
    /**
     * Room for 8,192 counters, the least that Aeron takes: some 12 a session are used. The driver writes all of it at
     * the start, and four times as much of what describes them, so that its default would be 40 MiB resident.
     */
    private static final int COUNTER_VALUES_BYTES = 1 << 20;

    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private ServiceLoop loop;

    private ControlService()
    {
    }

    /**
     * Starts driver and thread, or nothing.
     *
     * @param settings where commands are taken.
     * @param backend  that carries them out; closed with this, but not when this throws.
     * @param onError  told in one line what went wrong that no client can be told; on any thread, must not block.
     * @return a service that takes commands.
     * @throws ServiceSettingException naming the setting that could not be had; everything begun has been undone.
     */
    public static ControlService start(
        final ControlSettings settings, final ControlBackend backend, final Consumer<String> onError)
    {
        final ControlService service = new ControlService();
        try
        {
            service.begin(settings, backend, onError);
        }
        catch (final RuntimeException | Error e)
        {
            service.close();
            throw e;
        }
        return service;
    }

    private void begin(final ControlSettings settings, final ControlBackend backend, final Consumer<String> onError)
    {
        if (settings.isUdp() && null == settings.secrets())
        {
            throw new ServiceSettingException("control.secrets", null, "missing, and commands are taken over UDP",
                "name a file with keys, or set channel: " + ControlSettings.IPC_CHANNEL);
        }
        final KeyRing keys = null == settings.secrets() ? KeyRing.EMPTY : KeyRing.read(settings.secrets());
        started.push(DriverDirectory.take(settings.directory()));
        launchDriver(settings, onError);
        final CommandDesk desk = new CommandDesk(backend);
        try
        {
            loop = new ServiceLoop(settings, keys, backend, onError, desk);
        }
        catch (final AeronException e)
        {
            desk.close();
            throw new ServiceSettingException("control.channel", settings.channel(), "cannot be listened on: " +
                e.getMessage().lines().findFirst().orElse(""), "use an address of this machine and a free port", e);
        }
        final AgentRunner runner = new AgentRunner(
            idle(settings.idle()), (error) -> onError.accept("control: " + error), null, loop);
        started.push(runner);
        AgentRunner.startOnThread(runner, (task) -> Thread.ofPlatform().name("millrace-control").unstarted(task));
    }

    private void launchDriver(final ControlSettings settings, final Consumer<String> onError)
    {
        try
        {
            started.push(MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(settings.directory().toString())
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(idle(ControlSettings.Idle.BACK_OFF))
                .sharedThreadFactory((task) -> Thread.ofPlatform().name("millrace-driver").unstarted(task))
                .publicationTermBufferLength(TERM_BYTES)
                .ipcTermBufferLength(TERM_BYTES)
                .termBufferSparseFile(true)
                .counterValuesBufferLength(COUNTER_VALUES_BYTES)
                // DriverDirectory has seen to it that nobody lives there.
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .warnIfDirectoryExists(false)
                .errorHandler((error) -> onError.accept("control: " + error))));
            Files.setPosixFilePermissions(settings.directory(), PosixFilePermissions.fromString("rwxrwx---"));
        }
        catch (final AeronException | IllegalStateException | IOException e)
        {
            throw new ServiceSettingException("control.directory", settings.directory(),
                "cannot be used by the media driver: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                "name a directory that this user may make, with some MiB left", e);
        }
    }

    private static IdleStrategy idle(final ControlSettings.Idle idle)
    {
        return switch (idle)
        {
            case BACK_OFF -> new BackoffIdleStrategy(SPINS, YIELDS, PARK_MIN_NS, PARK_MAX_NS);
            case BUSY_SPIN -> BusySpinIdleStrategy.INSTANCE;
        };
    }

    /**
     * {@return how many messages were dropped, since they could not be read or were of no session; any thread}
     */
    public long droppedCount()
    {
        return loop.droppedCount();
    }

    /**
     * {@return how many clients are talked to, those included that have not proven themselves; any thread}
     */
    public int sessionCount()
    {
        return loop.sessionCount();
    }

    /**
     * Closes all sessions, then the driver, and removes its directory. Again does nothing.
     */
    @Override
    public void close()
    {
        while (!started.isEmpty())
        {
            CloseHelper.quietClose(started.pop());
        }
    }
}

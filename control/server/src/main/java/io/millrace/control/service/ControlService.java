package io.millrace.control.service;

import io.aeron.exceptions.AeronException;
import io.millrace.control.setting.InvalidSettingException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Serves the control protocol over Aeron: always over IPC, and over UDP if configured. Runs its own media driver with
 * one thread, and one thread for sessions; both back off when idle. Created and closed by the owner's thread; close it
 * before the resources of the backend.
 */
public final class ControlService implements AutoCloseable
{
    /** Exit code of the process when the control service failed and could not be restarted. */
    public static final int EXIT_CODE_CONTROL_LOST = 71;


    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private ServiceLoop loop;
    private ServiceThread thread;

    private ControlService()
    {
    }

    /**
     * Starts driver and thread, or nothing.
     *
     * @param settings of the service.
     * @param backend  that executes commands; closed with this, but not if this throws.
     * @param onNote   gets one line about events that are no errors, on any thread; must not block.
     * @param onError  gets one line about errors that cannot be returned to a client; on any thread, must not block.
     * @return the running service.
     * @throws InvalidSettingException naming the invalid setting; everything started was stopped again.
     */
    public static ControlService start(
        final ControlSettings settings,
        final ControlBackend backend,
        final Consumer<String> onNote,
        final Consumer<String> onError)
    {
        final ControlService service = new ControlService();
        try
        {
            service.begin(settings, backend, onNote, onError);
        }
        catch (final RuntimeException | Error e)
        {
            service.close();
            throw e;
        }
        return service;
    }

    private void begin(
        final ControlSettings settings,
        final ControlBackend backend,
        final Consumer<String> onNote,
        final Consumer<String> onError)
    {
        if (settings.isUdp() && null == settings.secrets())
        {
            throw new InvalidSettingException("control.secrets", null, "missing, and commands are accepted over UDP",
                "name a file with keys, or set channel: " + ControlSettings.IPC_CHANNEL);
        }
        final KeyFile keys = new KeyFile(settings.secrets(), onNote, onError, SystemNanoClock.INSTANCE.nanoTime());
        started.push(DriverDirectory.take(settings));
        final ControlDriver driver = new ControlDriver(settings, onError);
        started.push(driver);
        final CommandExecutor executor = new CommandExecutor(backend, onError);
        try
        {
            loop = new ServiceLoop(settings, driver, keys, backend, onError, executor);
        }
        catch (final AeronException e)
        {
            executor.close();
            throw new InvalidSettingException("control.channel", settings.channel(), "cannot be listened on: " +
                e.getMessage().lines().findFirst().orElse(""), "use an address of this machine and a free port", e);
        }
        thread = new ServiceThread(
            loop::doWork, loop::restart, loop::onClose, idle(settings.idle()), onError, ControlService::halt,
            ServiceThread.PAUSE_NS, SystemNanoClock.INSTANCE);
        started.push(thread);
        thread.start();
    }

    /** A process without a control service is better restarted by its supervisor. */
    private static void halt()
    {
        Runtime.getRuntime().halt(EXIT_CODE_CONTROL_LOST);
    }

    private static IdleStrategy idle(final ControlSettings.Idle idle)
    {
        return switch (idle)
        {
            case BACK_OFF -> new RestingIdleStrategy();
            case BUSY_SPIN -> BusySpinIdleStrategy.INSTANCE;
        };
    }

    /**
     * {@return number of dropped messages: malformed, or without a session; any thread}
     */
    public long droppedCount()
    {
        return loop.droppedCount();
    }

    /**
     * {@return number of cycles of the thread, which change as long as it works; any thread}
     */
    public long cycles()
    {
        return thread.cycles();
    }

    /**
     * {@return number of sessions, including unauthenticated ones; any thread}
     */
    public int sessionCount()
    {
        return loop.sessionCount();
    }

    /**
     * {@return bytes of buffers for incomplete messages; any thread}
     */
    public long heldBytes()
    {
        return loop.heldBytes();
    }

    /**
     * Closes all sessions and the driver, and removes its directory. Idempotent.
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

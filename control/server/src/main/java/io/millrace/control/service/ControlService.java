package io.millrace.control.service;

import io.aeron.exceptions.AeronException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Takes commands over Aeron: over IPC always, over UDP when its settings say so. Has a media driver of its own, with
 * one thread, and a thread that serves sessions; both back off when there is nothing to do. Made and closed by the
 * owner's thread; close it before what the backend stands on.
 */
public final class ControlService implements AutoCloseable
{
    /** Of the process when commands cannot be taken any more, and starting again did not help. */
    public static final int EXIT_CODE_CONTROL_LOST = 71;

    private static final int SPINS = 50;
    private static final int YIELDS = 10;
    private static final long PARK_MIN_NS = 1_000;
    private static final long PARK_MAX_NS = 1_000_000;

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
        final KeyFile keys = new KeyFile(settings.secrets(), onError, SystemNanoClock.INSTANCE.nanoTime());
        started.push(DriverDirectory.take(settings.directory(), settings.group()));
        final ControlDriver driver = new ControlDriver(settings, onError);
        started.push(driver);
        final CommandDesk desk = new CommandDesk(backend, onError);
        try
        {
            loop = new ServiceLoop(settings, driver, keys, backend, onError, desk);
        }
        catch (final AeronException e)
        {
            desk.close();
            throw new ServiceSettingException("control.channel", settings.channel(), "cannot be listened on: " +
                e.getMessage().lines().findFirst().orElse(""), "use an address of this machine and a free port", e);
        }
        final ServiceThread thread = new ServiceThread(
            loop::doWork, loop::restart, loop::onClose, idle(settings.idle()), onError, ControlService::halt,
            ServiceThread.PAUSE_NS);
        started.push(thread);
        thread.start();
    }

    /** Who takes no commands and cannot be helped is better started again by whoever watches the process. */
    private static void halt()
    {
        Runtime.getRuntime().halt(EXIT_CODE_CONTROL_LOST);
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
     * {@return bytes held for messages that are not whole yet; any thread}
     */
    public long heldBytes()
    {
        return loop.heldBytes();
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

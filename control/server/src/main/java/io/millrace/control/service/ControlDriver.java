package io.millrace.control.service;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.media.UdpChannel;
import io.aeron.exceptions.AeronException;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.client.DriverProcess;
import io.millrace.control.setting.InvalidSettingException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The media driver of this process, with one thread and bounded resources. It can be restarted when its thread has
 * died. Confined to the owner's thread until the service runs, then to the service's.
 */
final class ControlDriver implements AutoCloseable
{
    /**
     * Space for 8,192 counters, Aeron's minimum; a session uses about 12. The driver touches all of it at the start,
     * and four times as much metadata, so that its default would make 40 MiB resident.
     */
    private static final int COUNTER_VALUES_BYTES = 1 << 20;
    private static final String LOSS_REPORT = "loss-report.dat";
    private static final int PAGE_BYTES = 4096;
    /** How long a closed publication without a subscriber lingers. */
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(1);

    private final ControlSettings settings;
    private final Consumer<String> onError;
    private final DropReport drops;
    private final Set<Integer> proven = ConcurrentHashMap.newKeySet();
    private MediaDriver driver;
    private volatile Thread thread;

    /**
     * Starts it.
     *
     * @throws InvalidSettingException when the directory cannot be used.
     */
    ControlDriver(final ControlSettings settings, final Consumer<String> onError)
    {
        this.settings = settings;
        this.onError = onError;
        drops = new DropReport(onError);
        launch();
    }

    private void launch()
    {
        final File directory = settings.directory().toFile();
        try
        {
            driver = MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName(settings.directory().toString())
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new RestingIdleStrategy())
                .sharedThreadFactory((task) -> thread = Thread.ofPlatform().name("millrace-driver")
                    .uncaughtExceptionHandler(ControlDriver::onDeath).unstarted(task))
                .publicationTermBufferLength(ImageGuard.TERM_LENGTH_MAX_BYTES)
                .ipcTermBufferLength(ImageGuard.TERM_LENGTH_MAX_BYTES)
                // Pages are allocated when a log is created, which may fail, and not when it is written.
                .termBufferSparseFile(false)
                .counterValuesBufferLength(COUNTER_VALUES_BYTES)
                .imageLivenessTimeoutNs(ImageGuard.LIVENESS_TIMEOUT_NS)
                .publicationLingerTimeoutNs(LINGER_NS)
                .receiveChannelEndpointSupplier((channel, dispatcher, status, context) -> new GuardedEndpoint(
                    channel, dispatcher, status, context,
                    new ImageGuard(isProven(channel), directory::getUsableSpace, SystemNanoClock.INSTANCE.nanoTime()),
                    drops))
                // DriverDirectory has ensured that no other driver uses it.
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .warnIfDirectoryExists(false)
                .errorHandler(this::onDriverError));
            if (settings.isUdp())
            {
                takePages(settings.directory().resolve(LOSS_REPORT));
            }
            DriverPermissions.set(settings.directory(), settings.group());
            final String trustProblem = ControlDirectories.trustProblem(settings.directory(), settings.group());
            if (null != trustProblem)
            {
                // Another process created it after the check.
                throw new IOException(trustProblem);
            }
            DriverProcess.write(settings.directory(), ProcessHandle.current().pid());
        }
        catch (final InvalidSettingException e)
        {
            StorageFault.close(driver);
            throw e;
        }
        catch (final AeronException | IllegalStateException | UncheckedIOException | IOException | InternalError e)
        {
            StorageFault.close(driver);
            if (StorageFault.isIn(e))
            {
                throw new InvalidSettingException("control.directory", settings.directory(),
                    "has no space for the files of the media driver", StorageFault.REMEDY, e);
            }
            throw new InvalidSettingException("control.directory", settings.directory(),
                "cannot be used by the media driver: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                "name a directory that this user may create, with some MiB of free space", e);
        }
    }

    private void onDriverError(final Throwable error)
    {
        onError.accept("control: " + error + (StorageFault.isIn(error) ?
            ": " + settings.directory() + " has no space: " + StorageFault.REMEDY : ""));
    }

    /**
     * A fault in mapped memory of the driver's files ends its thread, which {@link #isAlive} detects, and not the
     * process. Other errors go to the default handler.
     */
    private static void onDeath(final Thread thread, final Throwable error)
    {
        final Thread.UncaughtExceptionHandler all = Thread.getDefaultUncaughtExceptionHandler();
        if (null != all && !StorageFault.isIn(error))
        {
            all.uncaughtException(thread, error);
        }
    }

    /** Allocates the pages of a sparse file that the driver creates, before it is written. */
    private static void takePages(final Path path) throws IOException
    {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
        {
            for (long end = PAGE_BYTES; end <= file.length(); end += PAGE_BYTES)
            {
                file.seek(end - 1);
                file.write(0);
            }
        }
    }

    /** Senders of requests have to authenticate; senders of answers were contacted by this process. */
    private IntPredicate isProven(final UdpChannel channel)
    {
        return settings.channel().equals(channel.originalUriString()) ? proven::contains : (_) -> true;
    }

    /** Marks the sender of a session over UDP as authenticated, by its Aeron session ID. */
    void prove(final int sessionId)
    {
        proven.add(sessionId);
    }

    /** The session has ended. */
    void forget(final int sessionId)
    {
        proven.remove(sessionId);
    }

    /** Whether its thread lives. Any thread. */
    boolean isAlive()
    {
        final Thread value = thread;
        return null != value && value.isAlive();
    }

    /** Restarts the driver; clients detect that themselves. */
    void restart()
    {
        StorageFault.close(driver);
        proven.clear();
        launch();
    }

    /** Number of UDP frames dropped by the guard. Any thread. */
    long droppedCount()
    {
        return drops.count();
    }

    @Override
    public void close()
    {
        StorageFault.close(driver);
    }
}

package io.millrace.control.service;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.media.UdpChannel;
import io.aeron.exceptions.AeronException;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.client.DriverProcess;
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
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

/**
 * The media driver of this process, with one thread and what bounds it. It can be started again when its thread has
 * died. Belongs to the owner's thread until the service runs, and to the service's from then on.
 */
final class ControlDriver implements AutoCloseable
{
    private static final int SPINS = 50;
    private static final int YIELDS = 10;
    private static final long PARK_MIN_NS = 1_000;
    private static final long PARK_MAX_NS = 1_000_000;
    /**
     * Room for 8,192 counters, the least that Aeron takes: some 12 a session are used. The driver writes all of it at
     * the start, and four times as much of what describes them, so that its default would be 40 MiB resident.
     */
    private static final int COUNTER_VALUES_BYTES = 1 << 20;
    private static final String LOSS_REPORT = "loss-report.dat";
    private static final int PAGE_BYTES = 4096;
    /** A publication to somebody who never was there is kept for so long after it was closed. */
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
     * @throws ServiceSettingException when the directory cannot be used.
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
                .sharedIdleStrategy(new BackoffIdleStrategy(SPINS, YIELDS, PARK_MIN_NS, PARK_MAX_NS))
                .sharedThreadFactory((task) -> thread = Thread.ofPlatform().name("millrace-driver")
                    .uncaughtExceptionHandler(ControlDriver::onDeath).unstarted(task))
                .publicationTermBufferLength(ImageGuard.TERM_LENGTH_MAX_BYTES)
                .ipcTermBufferLength(ImageGuard.TERM_LENGTH_MAX_BYTES)
                // A page that cannot be had is met where a log is made, which can fail, not where it is written.
                .termBufferSparseFile(false)
                .counterValuesBufferLength(COUNTER_VALUES_BYTES)
                .imageLivenessTimeoutNs(ImageGuard.LIVENESS_TIMEOUT_NS)
                .publicationLingerTimeoutNs(LINGER_NS)
                .receiveChannelEndpointSupplier((channel, dispatcher, status, context) -> new GuardedEndpoint(
                    channel, dispatcher, status, context,
                    new ImageGuard(isProven(channel), directory::getUsableSpace, SystemNanoClock.INSTANCE.nanoTime()),
                    drops))
                // DriverDirectory has seen to it that nobody lives there.
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .warnIfDirectoryExists(false)
                .errorHandler(this::onDriverError));
            if (settings.isUdp())
            {
                takePages(settings.directory().resolve(LOSS_REPORT));
            }
            DriverPermissions.set(settings.directory(), settings.group());
            final String distrust = ControlDirectories.distrust(settings.directory(), settings.group());
            if (null != distrust)
            {
                // Somebody made it in the moment between looking and making.
                throw new IOException(distrust);
            }
            DriverProcess.write(settings.directory(), ProcessHandle.current().pid());
        }
        catch (final ServiceSettingException e)
        {
            StorageFault.close(driver);
            throw e;
        }
        catch (final AeronException | IllegalStateException | UncheckedIOException | IOException | InternalError e)
        {
            StorageFault.close(driver);
            if (StorageFault.isIn(e))
            {
                throw new ServiceSettingException("control.directory", settings.directory(),
                    "there is no space for the files of the media driver", StorageFault.REMEDY, e);
            }
            throw new ServiceSettingException("control.directory", settings.directory(),
                "cannot be used by the media driver: " + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
                "name a directory that this user may make, with some MiB left", e);
        }
    }

    private void onDriverError(final Throwable error)
    {
        onError.accept("control: " + error + (StorageFault.isIn(error) ?
            ": " + settings.directory() + " has no space: " + StorageFault.REMEDY : ""));
    }

    /**
     * A fault in the memory of the driver's files ends its thread, which is seen by {@link #isAlive}, and not the
     * process. Other errors are for whoever handles them for all threads.
     */
    private static void onDeath(final Thread thread, final Throwable error)
    {
        final Thread.UncaughtExceptionHandler all = Thread.getDefaultUncaughtExceptionHandler();
        if (null != all && !StorageFault.isIn(error))
        {
            all.uncaughtException(thread, error);
        }
    }

    /** Of a file that the driver makes with holes, before anything is in it. */
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

    /** Who sends requests has to prove something; who answers was asked. */
    private IntPredicate isProven(final UdpChannel channel)
    {
        return settings.channel().equals(channel.originalUriString()) ? proven::contains : (_) -> true;
    }

    /** Vouches for the sender of a session that was opened over UDP, by Aeron's id. */
    void prove(final int sessionId)
    {
        proven.add(sessionId);
    }

    /** The session is over. */
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

    /** Starts it again; clients find that out by themselves. */
    void restart()
    {
        StorageFault.close(driver);
        proven.clear();
        launch();
    }

    /** UDP frames that the guard dropped. Any thread. */
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

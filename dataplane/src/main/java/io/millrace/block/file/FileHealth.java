package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceServices;
import io.millrace.block.DeviceStatus;
import io.millrace.reactor.Reactor;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Health of a file device, by the errors of its I/O: degraded from the first error of the drive or file system until
 * none has come for a minute, failed when the drive is gone. Reactors report errors; any thread asks.
 */
final class FileHealth
{
    /** After so long without an error the device is taken for healthy. */
    private static final long QUIET_NS_DEFAULT = 60_000_000_000L;

    private final String path;
    private final long quietNs;
    private final AtomicReference<DeviceStatus> status = new AtomicReference<>(DeviceStatus.ONLINE);
    private volatile DeviceServices services = DeviceServices.NONE;
    private volatile long lastErrorNs;

    FileHealth(final String path)
    {
        this(path, QUIET_NS_DEFAULT);
    }

    /** With another time. */
    FileHealth(final String path, final long quietNs)
    {
        this.path = path;
        this.quietNs = quietNs;
    }

    void start(final DeviceServices newServices)
    {
        services = newServices;
    }

    DeviceStatus status()
    {
        return status.get();
    }

    /**
     * An I/O has failed. On a reactor.
     *
     * @param errno   positive.
     * @param reactor of the channel; its timer finds out when errors have ceased.
     */
    void onError(final int errno, final Reactor reactor)
    {
        final DeviceHealth health = healthOf(errno);
        if (isWorse(health, reactor))
        {
            report(new DeviceStatus(health, reason(errno)), reactor);
        }
    }

    /**
     * An I/O has found the end of the file or block device before that of the device. On a reactor.
     *
     * @param lengthBytes of the block device now; of a regular file any.
     * @param sizeBytes   of the device.
     * @param reactor     of the channel; its timer finds out when errors have ceased.
     */
    void onCut(final long lengthBytes, final long sizeBytes, final Reactor reactor)
    {
        if (isWorse(DeviceHealth.DEGRADED, reactor))
        {
            report(new DeviceStatus(DeviceHealth.DEGRADED, path + (lengthBytes < sizeBytes ? " has " + lengthBytes +
                " bytes now, less than the " + sizeBytes + " of the device" : " was truncated below the " + sizeBytes +
                " bytes of the device") + ": enlarge it again"), reactor);
        }
    }

    /**
     * The kernel has lost data that it had taken into the page cache. On a reactor.
     *
     * @param errno   positive.
     * @param reactor of the channel.
     */
    void onLostWrites(final int errno, final Reactor reactor)
    {
        if (isWorse(DeviceHealth.FAILED, reactor))
        {
            report(new DeviceStatus(DeviceHealth.FAILED, "data that hosts wrote to " + path + " is lost (" +
                Errno.describe(errno) + "): flushes fail until the device is created again"), reactor);
        }
    }

    private boolean isWorse(final DeviceHealth health, final Reactor reactor)
    {
        if (DeviceHealth.ONLINE == health)
        {
            return false;
        }
        lastErrorNs = reactor.nowNs();
        return health.compareTo(status.get().health()) > 0;
    }

    private void report(final DeviceStatus now, final Reactor reactor)
    {
        final DeviceStatus before = status.get();
        // Who loses the race reports the same in another cycle, if it is worse still.
        if (now.health().compareTo(before.health()) > 0 && status.compareAndSet(before, now))
        {
            services.onStatusChanged();
            if (DeviceHealth.DEGRADED == now.health())
            {
                reactor.schedule(reactor.nowNs() + quietNs, (nowNs) -> check(now, reactor));
            }
        }
    }

    private void check(final DeviceStatus reported, final Reactor reactor)
    {
        final long dueNs = lastErrorNs + quietNs;
        if (reactor.nowNs() - dueNs < 0)
        {
            reactor.schedule(dueNs, (nowNs) -> check(reported, reactor));
        }
        else if (status.compareAndSet(reported, DeviceStatus.ONLINE))
        {
            services.onStatusChanged();
        }
    }

    private static DeviceHealth healthOf(final int errno)
    {
        return switch (errno)
        {
            case Errno.ENXIO, Errno.ENODEV -> DeviceHealth.FAILED;
            case Errno.ENOSPC, Errno.EDQUOT, Errno.EFBIG, Errno.EROFS, Errno.EIO, Errno.ENODATA, Errno.EREMOTEIO,
                 Errno.EILSEQ, Errno.ETIMEDOUT, Errno.ENOLINK -> DeviceHealth.DEGRADED;
            // Canceled, not permitted, not supported: such errors are about the request.
            default -> DeviceHealth.ONLINE;
        };
    }

    private String reason(final int errno)
    {
        return switch (errno)
        {
            case Errno.ENXIO, Errno.ENODEV ->
                "the drive below " + path + " is gone: requests end with errors until the device is created again";
            case Errno.ENOSPC, Errno.EDQUOT, Errno.EFBIG, Errno.EROFS ->
                path + " cannot be written: " + Errno.describe(errno);
            default -> "the drive below " + path + " failed an operation: " + Errno.describe(errno);
        };
    }
}

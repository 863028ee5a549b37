package io.millrace.nvmf;

import io.millrace.memory.BufferPool;
import io.millrace.nvmf.queue.BufferHolder;
import io.millrace.nvmf.queue.BufferUsage;
import io.millrace.nvmf.queue.ReactorResources;
import io.millrace.nvmf.request.DeviceChannels;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Detects commands of a reactor that wait long for I/O buffers, and then reports the holders of the buffers to the
 * operator, at most once a minute. Called a few times a second, on the reactor.
 */
final class BufferMonitor
{
    /** Largest holders of each kind that are reported. */
    static final int HOLDERS = 4;

    private static final long CHECK_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long REPORT_INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);
    private static final double MIB = 1 << 20;

    private final ReactorResources resources;
    private final DeviceChannels devices;
    private List<BufferHolder> holders = List.of();
    private long checkedNs;
    private long reportedNs;

    BufferMonitor(final ReactorResources resources, final DeviceChannels devices)
    {
        this.resources = resources;
        this.devices = devices;
        checkedNs = resources.reactor().nowNs() - CHECK_INTERVAL_NS;
        reportedNs = resources.reactor().nowNs() - REPORT_INTERVAL_NS;
    }

    /**
     * {@return the largest holders, no older than a second; empty when no command waits for a buffer}
     */
    List<BufferHolder> holders()
    {
        final long nowNs = resources.reactor().nowNs();
        final BufferPool pool = resources.buffers();
        if (0 == pool.waiting() && !devices.isAnyAtBufferLimit())
        {
            holders = List.of();
        }
        else if (nowNs - checkedNs >= CHECK_INTERVAL_NS)
        {
            checkedNs = nowNs;
            final BufferUsage usage = resources.bufferUsage();
            holders = usage.largest(HOLDERS);
            final long longestWaitNs = Math.max(usage.longestWaitNs(), longestHoldOfBusyDevicesNs());
            if (longestWaitNs >= CHECK_INTERVAL_NS && nowNs - reportedNs >= REPORT_INTERVAL_NS)
            {
                reportedNs = nowNs;
                resources.listener().onError(describe(pool, longestWaitNs));
            }
        }
        return holders;
    }

    /** Commands that wait for a device to take more have no buffer, and are not among those that wait for the pool. */
    private long longestHoldOfBusyDevicesNs()
    {
        long longestNs = 0;
        for (final BufferHolder each : holders)
        {
            if (BufferHolder.Kind.DEVICE == each.kind() && each.waiting() > 0)
            {
                longestNs = Math.max(longestNs, each.longestHoldNs());
            }
        }
        return longestNs;
    }

    private int waiting(final BufferPool pool)
    {
        int waiting = pool.waiting();
        for (final BufferHolder each : holders)
        {
            waiting += BufferHolder.Kind.DEVICE == each.kind() ? each.waiting() : 0;
        }
        return waiting;
    }

    private String describe(final BufferPool pool, final long longestWaitNs)
    {
        final StringBuilder text = new StringBuilder(256);
        text.append("reactor ").append(resources.reactor().config().name()).append(": ").append(waiting(pool))
            .append(" commands wait for I/O buffers, the first for ").append(seconds(longestWaitNs))
            .append("; ").append(mebibytes(pool.usedBytes())).append(" of ").append(mebibytes(pool.lengthBytes()))
            .append(" are in use, most by");
        for (final BufferHolder each : holders)
        {
            text.append(' ').append(switch (each.kind())
            {
                case CONNECTION -> "connection ";
                case HOST -> "host ";
                case DEVICE -> "device ";
            }).append(each.name()).append(": ").append(mebibytes(each.heldBytes())).append(" for up to ")
                .append(seconds(each.longestHoldNs())).append(", ").append(each.waiting()).append(" wait;");
        }
        return text.append(" raise memory.size, or check those").toString();
    }

    private static String seconds(final long ns)
    {
        return TimeUnit.NANOSECONDS.toSeconds(ns) + " s";
    }

    private static String mebibytes(final long bytes)
    {
        return Math.round(bytes / MIB * 10) / 10.0 + " MiB";
    }
}

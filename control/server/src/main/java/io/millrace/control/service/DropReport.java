package io.millrace.control.service;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Counts dropped UDP frames and logs at most one line per minute, with sender and reason of the last one. The count may
 * be read by any thread; all else is confined to the driver's.
 */
final class DropReport
{
    private static final long INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

    private final AtomicLong count = new AtomicLong();
    private final Consumer<String> onError;
    private long reportedCount;
    private long reportDueNs;
    private boolean hasReported;

    /**
     * @param onError takes a line for people.
     */
    DropReport(final Consumer<String> onError)
    {
        this.onError = onError;
    }

    void onDrop(final InetSocketAddress source, final ImageGuard.Verdict verdict, final long nowNs)
    {
        final long total = count.incrementAndGet();
        if (hasReported && nowNs - reportDueNs < 0)
        {
            return;
        }
        onError.accept("control: UDP frames dropped: " + (total - reportedCount) + ", the last from " +
            source.getAddress().getHostAddress() + ':' + source.getPort() + ": " + verdict.reason());
        reportedCount = total;
        reportDueNs = nowNs + INTERVAL_NS;
        hasReported = true;
    }

    /** Frames since the start. Any thread. */
    long count()
    {
        return count.get();
    }
}

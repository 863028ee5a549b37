package io.millrace.manager.metrics;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;

/**
 * How scrapes ended, in total; and at most one line a minute about those that were not answered. Any thread.
 */
final class ScrapeCounts
{
    private static final long LINE_INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

    private final NanoClock clock;
    private final Consumer<String> onWarning;
    private final Map<ScrapeResult, Long> totals = new EnumMap<>(ScrapeResult.class);
    private final Map<ScrapeResult, Long> unreported = new EnumMap<>(ScrapeResult.class);
    private long nextLineNs;

    ScrapeCounts(final NanoClock clock, final Consumer<String> onWarning)
    {
        this.clock = clock;
        this.onWarning = onWarning;
        nextLineNs = clock.nanoTime();
        for (final ScrapeResult each : ScrapeResult.values())
        {
            totals.put(each, 0L);
        }
    }

    /** Counts one; a reason is given for what failed, else null. */
    synchronized void add(final ScrapeResult result, final InetAddress client, final String reason)
    {
        totals.merge(result, 1L, Long::sum);
        if (ScrapeResult.ANSWERED == result || ScrapeResult.REFUSED == result)
        {
            return;
        }
        unreported.merge(result, 1L, Long::sum);
        final long nowNs = clock.nanoTime();
        if (nowNs - nextLineNs < 0)
        {
            return;
        }
        nextLineNs = nowNs + LINE_INTERVAL_NS;
        final List<String> parts = new ArrayList<>();
        unreported.forEach((each, count) -> parts.add(count + " " + each.label().replace('_', ' ')));
        unreported.clear();
        onWarning.accept("metrics: scrapes not answered: " + String.join(", ", parts) + "; the last by " +
            client.getHostAddress() + (null == reason ? "" : ": " + reason));
    }

    synchronized long total(final ScrapeResult result)
    {
        return totals.get(result);
    }
}

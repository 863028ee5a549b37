package io.millrace.manager.change;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.NanoClock;

/**
 * A line about something that may go wrong with every request: said at most once a minute, with how often it was not
 * said since. One thread.
 */
final class RecurringLine
{
    private static final long INTERVAL_NS = TimeUnit.MINUTES.toNanos(1);

    private final Consumer<String> log;
    private final NanoClock clock;
    private long dueNs;
    private long untold;

    RecurringLine(final Consumer<String> log, final NanoClock clock)
    {
        this.log = log;
        this.clock = clock;
        dueNs = clock.nanoTime();
    }

    void accept(final String text)
    {
        final long nowNs = clock.nanoTime();
        if (nowNs - dueNs < 0)
        {
            untold++;
            return;
        }
        log.accept(0 == untold ? text : text + " (" + untold + " more since this was logged last)");
        untold = 0;
        dueNs = nowNs + INTERVAL_NS;
    }
}

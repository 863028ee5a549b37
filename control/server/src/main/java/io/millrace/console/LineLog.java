package io.millrace.console;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Prints lines with the time of day. Any thread, a reactor too, puts them into a queue and goes on; a thread of the log
 * prints them, so a terminal that takes no more output holds up nobody. What does not fit the queue of 1024 lines, or
 * comes faster than {@link LineLimit} lets through, is counted and left out: peers must not fill a disk. Each
 * {@link Source} has a limit of its own, so that lines of one do not hide those of another.
 */
public final class LineLog implements AutoCloseable
{
    private static final int LINES_MAX = 1024;
    private static final long CLOSE_WAIT_MS = 1_000;

    private record Line(Source source, long timeMs, String text)
    {
    }

    /** Lines of one kind, with one limit. Any thread. */
    public final class Source implements Consumer<String>
    {
        private final String name;
        private final LineLimit limit = new LineLimit(clockMs.getAsLong());
        private final AtomicLong overflowed = new AtomicLong();

        private Source(final String name)
        {
            this.name = name;
        }

        /**
         * Has a line printed, or counted where it does not fit. Never waits.
         *
         * @param text of the line.
         */
        @Override
        public void accept(final String text)
        {
            if (closed || !queue.offer(new Line(this, clockMs.getAsLong(), text)))
            {
                overflowed.incrementAndGet();
                return;
            }
            LockSupport.unpark(thread);
        }

        private void report(final long nowMs)
        {
            limit.suppress(overflowed.getAndSet(0));
            final long suppressed = limit.suppressed();
            if (suppressed > 0 && limit.takeForReport(nowMs))
            {
                terminal.line(time(nowMs) + " left out " + suppressed + " " + name + ": at most " + LineLimit.BURST +
                    " at once and one in " + LineLimit.REFILL_MS + " ms are printed");
            }
        }
    }

    private final Terminal terminal;
    private final LongSupplier clockMs;
    private final ManyToOneConcurrentArrayQueue<Line> queue = new ManyToOneConcurrentArrayQueue<>(LINES_MAX);
    private final List<Source> sources = new CopyOnWriteArrayList<>();
    private final Thread thread = Thread.ofPlatform().name("millrace-log").daemon().unstarted(this::run);
    private volatile boolean closed;

    /**
     * A log that prints nothing before {@link #start}.
     *
     * @param terminal that lines go to.
     */
    public LineLog(final Terminal terminal)
    {
        this(terminal, System::currentTimeMillis);
    }

    /**
     * With a clock of a test.
     *
     * @param terminal that lines go to.
     * @param clockMs  time of day in milliseconds; any thread.
     */
    public LineLog(final Terminal terminal, final LongSupplier clockMs)
    {
        this.terminal = terminal;
        this.clockMs = clockMs;
    }

    /**
     * Adds a source of lines.
     *
     * @param name of its lines in the report of those that were left out, such as {@code lines of refusals}.
     * @return the source.
     */
    public Source source(final String name)
    {
        final Source source = new Source(name);
        sources.add(source);
        return source;
    }

    /**
     * Begins to print, queued lines first. Once.
     */
    public void start()
    {
        thread.start();
    }

    /**
     * Forgets what has not been printed; before {@link #start}.
     */
    public void clear()
    {
        queue.clear();
        sources.forEach((source) -> source.overflowed.set(0));
    }

    private void run()
    {
        while (true)
        {
            final boolean isLast = closed;
            print();
            if (isLast)
            {
                return;
            }
            final long waitMs = reportSuppressed();
            if (!closed && queue.isEmpty())
            {
                if (waitMs > 0)
                {
                    LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(waitMs));
                }
                else
                {
                    LockSupport.park(this);
                }
            }
        }
    }

    /**
     * Prints queued lines, as far as the limits let them. For the thread of the log, or a test that did not start it.
     */
    public void print()
    {
        for (Line line = queue.poll(); null != line; line = queue.poll())
        {
            if (line.source().limit.take(clockMs.getAsLong()))
            {
                terminal.line(time(line.timeMs()) + " " + line.text());
            }
        }
    }

    /**
     * Prints how many lines were left out, once there is room for a line again. For the thread of the log, or a test
     * that did not start it.
     *
     * @return milliseconds after which to ask again; 0 when all is reported.
     */
    public long reportSuppressed()
    {
        final long nowMs = clockMs.getAsLong();
        long left = 0;
        for (final Source each : sources)
        {
            each.report(nowMs);
            left += each.limit.suppressed();
        }
        return left > 0 ? LineLimit.REFILL_MS : 0;
    }

    private static String time(final long timeMs)
    {
        return Instant.ofEpochMilli(timeMs).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    /**
     * Ends the log; queued lines are printed if that is possible within a second, later ones are not.
     */
    @Override
    public void close()
    {
        closed = true;
        LockSupport.unpark(thread);
        try
        {
            thread.join(CLOSE_WAIT_MS);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}

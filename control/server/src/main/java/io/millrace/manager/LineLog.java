package io.millrace.manager;

import io.millrace.console.LineLimit;
import io.millrace.console.Terminal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Prints lines with the time of day, on a thread of its own: a terminal that takes no more output holds up nobody. What
 * does not fit, or comes faster than {@link LineLimit} lets through, is counted, and said. Any thread tells.
 */
final class LineLog implements Consumer<String>, AutoCloseable
{
    private static final int LINES_MAX = 1024;
    private static final long CLOSE_WAIT_MS = 1_000;

    private record Line(Instant time, String text)
    {
    }

    private static final Line END = new Line(Instant.EPOCH, "");

    private final Terminal terminal;
    private final BlockingQueue<Line> queue = new ArrayBlockingQueue<>(LINES_MAX);
    private final AtomicLong lost = new AtomicLong();
    private final LongSupplier clockMs;
    private final LineLimit limit;
    private final Thread thread;

    LineLog(final Terminal terminal)
    {
        this(terminal, System::currentTimeMillis);
    }

    /** With a clock of a test. */
    LineLog(final Terminal terminal, final LongSupplier clockMs)
    {
        this.terminal = terminal;
        this.clockMs = clockMs;
        limit = new LineLimit(clockMs.getAsLong());
        thread = Thread.ofPlatform().name("millrace-log").daemon().unstarted(this::run);
    }

    /** Starts printing, beginning with queued lines. Once. */
    void start()
    {
        thread.start();
    }

    @Override
    public void accept(final String text)
    {
        if (!queue.offer(new Line(Instant.now(), text)))
        {
            lost.incrementAndGet();
        }
    }

    private void run()
    {
        try
        {
            for (Line line = next(); END != line; line = next())
            {
                if (null != line && limit.take(clockMs.getAsLong()))
                {
                    print(line);
                }
                report();
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Null: it is time to say how many lines were left out. */
    private Line next() throws InterruptedException
    {
        return 0 == limit.suppressed() ? queue.take() : queue.poll(LineLimit.REFILL_MS, TimeUnit.MILLISECONDS);
    }

    private void report()
    {
        final long count = lost.getAndSet(0);
        if (0 != count)
        {
            terminal.line("omitted " + count + " lines, as the output is blocked");
        }
        final long suppressed = limit.suppressed();
        if (0 != suppressed && queue.isEmpty() && limit.takeForReport(clockMs.getAsLong()))
        {
            print(new Line(Instant.now(), "left out " + suppressed + " lines: at most " + LineLimit.BURST +
                " at once and one in " + LineLimit.REFILL_MS + " ms are printed"));
        }
    }

    private void print(final Line line)
    {
        terminal.line(line.time().truncatedTo(ChronoUnit.SECONDS) + " " + line.text());
    }

    /** Prints queued lines, if that is possible within a short time. */
    @Override
    public void close()
    {
        try
        {
            if (queue.offer(END, CLOSE_WAIT_MS, TimeUnit.MILLISECONDS))
            {
                thread.join(CLOSE_WAIT_MS);
            }
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }
}

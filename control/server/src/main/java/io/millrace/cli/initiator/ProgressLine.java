package io.millrace.cli.initiator;

import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.perf.load.LoadGenerator;
import io.millrace.perf.load.LoadPhase;
import io.millrace.perf.load.LoadProgress;

/**
 * Shows the progress of a load, redrawn in place on a terminal, else line by line; stops the load on request. On a
 * separate thread.
 */
public final class ProgressLine implements AutoCloseable
{
    private final Terminal terminal;
    private final String title;
    private final LoadGenerator generator;
    private final StopSignal stop;
    private final long intervalMs;
    private final Thread thread;

    /**
     * Shows nothing yet.
     *
     * @param terminal   to show it on.
     * @param generator  to look at.
     * @param stop       asks for an early end.
     * @param intervalMs between two looks.
     */
    public ProgressLine(
        final Terminal terminal, final LoadGenerator generator, final StopSignal stop, final long intervalMs)
    {
        this(terminal, "", generator, stop, intervalMs);
    }

    /**
     * Shows nothing yet.
     *
     * @param terminal   to show it on.
     * @param title      in front of every line; may be empty.
     * @param generator  to look at.
     * @param stop       asks for an early end.
     * @param intervalMs between two looks.
     */
    public ProgressLine(
        final Terminal terminal,
        final String title,
        final LoadGenerator generator,
        final StopSignal stop,
        final long intervalMs)
    {
        this.terminal = terminal;
        this.title = title.isEmpty() ? "" : title + ": ";
        this.generator = generator;
        this.stop = stop;
        this.intervalMs = intervalMs;
        thread = Thread.ofPlatform().name("millrace-progress").daemon().unstarted(this::run);
    }

    /**
     * Begins to show.
     */
    public void start()
    {
        thread.start();
    }

    private void run()
    {
        LoadProgress before = null;
        try
        {
            while (!stop.await(intervalMs))
            {
                final LoadProgress progress = generator.progress();
                if (LoadPhase.DONE == progress.phase())
                {
                    return;
                }
                final String line = title + LoadPrinter.progress(before, progress);
                if (terminal.interactive())
                {
                    terminal.draw(line);
                }
                else
                {
                    terminal.line(line);
                }
                before = progress;
            }
            generator.stop();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Stops it and clears the line.
     */
    @Override
    public void close()
    {
        thread.interrupt();
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
        }
        terminal.endDrawing();
    }
}

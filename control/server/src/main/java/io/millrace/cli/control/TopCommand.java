package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Screen;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.console.TimeSpan;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControlException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace top}: current load of a data plane.
 */
@Command(
    name = "top",
    description = {
        "Show the load of reactors, namespaces and hosts, refreshed periodically; once where there is no terminal.",
        "Keys: i, b, l and n sort by IOPS, bytes, latency and name; q quits."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace top",
        "  millrace top --sort latency --interval 5s",
        "  millrace top --once --json | jq '.namespaces[].read.iops'"})
public final class TopCommand implements Callable<Integer>
{
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long INTERVAL_MIN_MS = 100;
    private static final long INTERVAL_MAX_MS = 3_600_000;
    private static final int COLUMNS_UNBOUNDED = Integer.MAX_VALUE;
    /** A sample that is later than this counts as missing. */
    private static final long SILENT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long OUTAGE_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    @Mixin
    private ControlOptions control;

    @Option(names = {"-i", "--interval"}, paramLabel = "TIME", converter = TimeSpan.class, defaultValue = "1s",
        description = "Time between two reports. Default: ${DEFAULT-VALUE}.")
    private long intervalMs;

    @Option(names = {"-s", "--sort"}, paramLabel = "ORDER", defaultValue = "iops",
        description = "Order of rows: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private TopLines.Order order;

    @Option(names = {"-1", "--once"}, description = "Print one interval, and exit.")
    private boolean once;

    @Option(names = "--json", description = "Print JSON: one object per line, or a single one with --once.")
    private boolean json;

    private final NanoClock clock = SystemNanoClock.INSTANCE;
    private final Terminal terminal = Terminal.standard();
    private final TopLines layout = new TopLines(terminal);
    private StopSignal stop;
    private Screen screen;
    private TopReport report;
    private String name = "";
    private long answeredNs = clock.nanoTime();
    private long drawnNs = answeredNs;
    /** Reason of the lost session; empty: connected. */
    private String lastError = "";
    /** Reason why the last sample failed; empty: it succeeded. */
    private String outage = "";

    /**
     * Called by picocli.
     */
    public TopCommand()
    {
    }

    @Override
    public Integer call()
    {
        if (intervalMs < INTERVAL_MIN_MS || intervalMs > INTERVAL_MAX_MS)
        {
            throw new CommandException(ExitCode.USAGE, "--interval " + intervalMs + "ms: out of range " +
                INTERVAL_MIN_MS + "ms to 1h; use a value in the range");
        }
        // Whoever wants more than one report in a file or pipe reads them by program.
        once |= !json && !(terminal.interactive() && Terminal.isInputInteractive());
        if (once)
        {
            return control.runOnAll(Role.READ, (_) -> null, (links) ->
            {
                stop = StopSignal.install();
                links.values().forEach(this::print);
                return ExitCode.OK;
            });
        }
        return control.run(Role.READ, AnswerTimeout.SHORT, null, (link) ->
        {
            stop = StopSignal.install();
            if (json)
            {
                print(link);
            }
            else
            {
                try (Screen opened = Screen.open())
                {
                    screen = opened;
                    show(link);
                }
            }
            return ExitCode.OK;
        });
    }

    private void print(final ControlLink link)
    {
        TopSample before = sample(link, this::isRunning);
        while (await(link, intervalNs(), this::isRunning) && !terminal.isBroken())
        {
            TopSample after = null;
            try
            {
                after = sample(link, this::isRunning);
            }
            catch (final ControlException e)
            {
                if (once)
                {
                    throw e;
                }
                outage = e.getMessage();
                printOutage();
            }
            if (null != before && null != after && after.follows(before))
            {
                report = TopReport.of(before, after);
                print(report);
                if (once)
                {
                    return;
                }
            }
            before = after;
        }
    }

    private void print(final TopReport shown)
    {
        if (json)
        {
            terminal.line(once ? Json.write(shown.map()) : Json.line(shown.map()));
            return;
        }
        layout.of(shown, order, TopLines.UNBOUNDED, COLUMNS_UNBOUNDED, "").forEach((line) ->
            terminal.line(line.stripTrailing()));
        terminal.line(once ? "" : "\n");
    }

    private void printOutage()
    {
        terminal.line(json ? Json.line(outageNow().map()) : outageNow().line());
    }

    /** Null if it was aborted; throws if the data plane cannot be reached. */
    private TopSample sample(final ControlLink link, final BooleanSupplier isRunning)
    {
        final TopSample sample = TopSample.take(link, isRunning);
        if (null != sample)
        {
            name = sample.plane().name();
            answeredNs = clock.nanoTime();
            outage = "";
        }
        return sample;
    }

    private TopOutage outageNow()
    {
        return new TopOutage(name, clock.nanoTime() - answeredNs, outage.isEmpty() ? lastError : outage);
    }

    /** Whether the last report is out of date. */
    private boolean isOut()
    {
        return !outage.isEmpty() || !lastError.isEmpty() ||
            null != report && clock.nanoTime() - answeredNs > intervalNs() + SILENT_NS;
    }

    private boolean isRunning()
    {
        return !stop.isRequested();
    }

    private long intervalNs()
    {
        return TimeUnit.MILLISECONDS.toNanos(intervalMs);
    }

    private void show(final ControlLink link)
    {
        TopSample before = null;
        final BooleanSupplier isRunning = () -> look(link);
        do
        {
            try
            {
                final TopSample after = sample(link, isRunning);
                if (null == after)
                {
                    return;
                }
                // The first report covers the time since the start.
                report = TopReport.of(null != before && after.follows(before) ? before : null, after);
                before = after;
            }
            catch (final ControlException e)
            {
                if (null == before)
                {
                    throw e;
                }
                outage = e.getMessage();
            }
            draw();
        }
        while (await(link, intervalNs(), isRunning));
    }

    /** Handles keys, screen size and loss of the session; false quits. */
    private boolean look(final ControlLink link)
    {
        final String now = link.client().isConnected() ? "" : "connection lost: " + link.client().lastError();
        boolean isOther = !now.equals(lastError) || screen.isStale() ||
            isOut() && clock.nanoTime() - drawnNs >= OUTAGE_INTERVAL_NS;
        lastError = now;
        for (int key = screen.key(); Screen.NO_KEY != key; key = screen.key())
        {
            switch (Character.toLowerCase(key))
            {
                case 'q' -> stop.request();
                case 'i' -> order = TopLines.Order.iops;
                case 'b' -> order = TopLines.Order.bytes;
                case 'l' -> order = TopLines.Order.latency;
                case 'n' -> order = TopLines.Order.name;
                default ->
                {
                }
            }
            isOther = true;
        }
        if (isOther)
        {
            draw();
        }
        return isRunning();
    }

    private void draw()
    {
        if (screen.isStale())
        {
            screen.measure();
        }
        drawnNs = clock.nanoTime();
        screen.draw(null == report ? List.of(lastError) : isOut() ? List.of(outageNow().line()) :
            layout.of(report, order, screen.rows(), screen.columns(), "by " + order + " (i b l n, q)"));
    }

    /** Waits while keeping the session alive; returns whether to continue. */
    private boolean await(final ControlLink link, final long durationNs, final BooleanSupplier isRunning)
    {
        final long deadlineNs = clock.nanoTime() + durationNs;
        while (isRunning.getAsBoolean())
        {
            if (clock.nanoTime() - deadlineNs >= 0)
            {
                return true;
            }
            if (0 == link.client().poll())
            {
                LockSupport.parkNanos(IDLE_NS);
            }
        }
        return false;
    }
}

package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.Patience;
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
 * {@code millrace top}: what a data plane does now.
 */
@Command(
    name = "top",
    description = {
        "Show what reactors, namespaces and hosts do, over and over.",
        "Keys: i, b, l and n sort by IOPS, bytes, latency and name; q ends."},
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
    /** A sample that takes longer than this behind its interval is missing. */
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

    @Option(names = {"-1", "--once"}, description = "Print what happens in one interval, and end.")
    private boolean once;

    @Option(names = "--json", description = "Print JSON: an object a line, or one with --once.")
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
    /** Why the session is lost; empty: it is not. */
    private String trouble = "";
    /** Why the last sample could not be taken; empty: it was. */
    private String outage = "";

    /**
     * Made by the command line.
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
        return control.run(Role.READ, Patience.SHORT, null, (link) ->
        {
            stop = StopSignal.install();
            if (once || json || !terminal.interactive() || !Terminal.isInputInteractive())
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
        TopSample before = sample(link, this::keepsOn);
        while (await(link, intervalNs(), this::keepsOn) && !terminal.isBroken())
        {
            TopSample after = null;
            try
            {
                after = sample(link, this::keepsOn);
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

    /** Null when it was given up; throws when the data plane cannot be asked. */
    private TopSample sample(final ControlLink link, final BooleanSupplier keepsOn)
    {
        final TopSample sample = TopSample.take(link, keepsOn);
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
        return new TopOutage(name, clock.nanoTime() - answeredNs, outage.isEmpty() ? trouble : outage);
    }

    /** Whether what is known of the data plane is of the past. */
    private boolean isOut()
    {
        return !outage.isEmpty() || !trouble.isEmpty() ||
            null != report && clock.nanoTime() - answeredNs > intervalNs() + SILENT_NS;
    }

    private boolean keepsOn()
    {
        return !stop.isAsked();
    }

    private long intervalNs()
    {
        return TimeUnit.MILLISECONDS.toNanos(intervalMs);
    }

    private void show(final ControlLink link)
    {
        TopSample before = null;
        final BooleanSupplier keepsOn = () -> look(link);
        do
        {
            try
            {
                final TopSample after = sample(link, keepsOn);
                if (null == after)
                {
                    return;
                }
                // The first look tells of all time since the start.
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
        while (await(link, intervalNs(), keepsOn));
    }

    /** Keys, the size of the screen, and whether anybody answers; false ends. */
    private boolean look(final ControlLink link)
    {
        final String now = link.client().isConnected() ? "" : "connection lost: " + link.client().trouble();
        boolean isOther = !now.equals(trouble) || screen.isStale() ||
            isOut() && clock.nanoTime() - drawnNs >= OUTAGE_INTERVAL_NS;
        trouble = now;
        for (int key = screen.key(); Screen.NO_KEY != key; key = screen.key())
        {
            switch (Character.toLowerCase(key))
            {
                case 'q' -> stop.ask();
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
        return keepsOn();
    }

    private void draw()
    {
        if (screen.isStale())
        {
            screen.measure();
        }
        drawnNs = clock.nanoTime();
        screen.draw(null == report ? List.of(trouble) : isOut() ? List.of(outageNow().line()) :
            layout.of(report, order, screen.rows(), screen.columns(), "by " + order + " (i b l n, q)"));
    }

    /** Waits, and keeps the session alive meanwhile; answers whether to go on. */
    private boolean await(final ControlLink link, final long durationNs, final BooleanSupplier keepsOn)
    {
        final long deadlineNs = clock.nanoTime() + durationNs;
        while (keepsOn.getAsBoolean())
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

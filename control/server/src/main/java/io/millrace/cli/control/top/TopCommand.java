package io.millrace.cli.control.top;

import io.millrace.cli.control.ControlOptions;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Screen;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.console.TimeSpan;
import io.millrace.control.codec.Role;
import java.util.ArrayList;
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
 * {@code millrace top}: current load of data planes.
 */
@Command(
    name = "top",
    description = {
        "Show the load of reactors, namespaces and hosts, refreshed periodically; once where there is no terminal.",
        "Keys: i, b, l and n sort by IOPS, bytes, latency and name; q quits. Of a manager's data planes each has a " +
            "section, or a line where the screen is too small; d shows one after the other, then all again."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace top",
        "  millrace top --sort latency --interval 5s",
        "  millrace top --once --json | jq '.namespaces[].read.iops'"})
public final class TopCommand implements Callable<Integer>
{
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long INTERVAL_MIN_MS = 100;
    private static final long INTERVAL_MAX_MS = 3_600_000;
    private static final int COLUMNS_UNBOUNDED = Integer.MAX_VALUE;

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

    @Option(names = "--json", description = "Print JSON: one object per line, each of one data plane; with --once " +
        "one object per data plane.")
    private boolean json;

    private final NanoClock clock = SystemNanoClock.INSTANCE;
    private final Terminal terminal = Terminal.standard();
    private final List<TopPlane> planes = new ArrayList<>();
    private StopSignal stop;

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
        return control.runOnAll(Role.READ, (_) -> null, (links) ->
        {
            stop = StopSignal.install();
            links.forEach((name, link) ->
                planes.add(new TopPlane(name, link, TimeUnit.MILLISECONDS.toNanos(intervalMs), clock)));
            if (once)
            {
                return printOnce();
            }
            if (json)
            {
                return stream();
            }
            try (Screen screen = Screen.open())
            {
                new TopScreen(terminal, screen, planes, order, stop).run(intervalMs);
            }
            return ExitCode.OK;
        });
    }

    /** One interval of each data plane, in their order. */
    private int printOnce()
    {
        for (int i = 0; i < 2; i++)
        {
            planes.forEach(TopPlane::request);
            // Planes that do not answer do not hold up the interval of the others.
            if (!await(() -> planes.stream().noneMatch(TopPlane::isWaiting)) || 0 == i && !await(intervalMs))
            {
                return ExitCode.OK;
            }
        }
        int exitCode = ExitCode.OK;
        for (final TopPlane each : planes)
        {
            if (null == each.failure() && each.coversInterval())
            {
                print(each);
                continue;
            }
            final String reason = null != each.failure() ? each.failure().getMessage() : "it was restarted meanwhile";
            if (1 == planes.size())
            {
                throw new CommandException(ExitCode.FAILURE, reason, each.failure());
            }
            Terminal.standardError().line("note: data plane " + each.name() + " is not shown: " + reason);
            exitCode = ExitCode.FAILURE;
        }
        return exitCode;
    }

    /** A line for each data plane and interval, as its sample arrives. */
    private int stream()
    {
        boolean isFirst = true;
        while (isRunning() && !terminal.isBroken())
        {
            planes.forEach(TopPlane::request);
            final long deadlineNs = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(intervalMs);
            while (isRunning() && clock.nanoTime() - deadlineNs < 0)
            {
                for (final TopPlane each : planes)
                {
                    if (!each.poll())
                    {
                        continue;
                    }
                    if (isFirst && 1 == planes.size() && null != each.failure())
                    {
                        throw each.failure();
                    }
                    if (null != each.failure() || each.coversInterval())
                    {
                        terminal.line(Json.line(each.map()));
                    }
                }
                LockSupport.parkNanos(IDLE_NS);
            }
            isFirst = false;
        }
        return ExitCode.OK;
    }

    private void print(final TopPlane plane)
    {
        if (json)
        {
            terminal.line(Json.write(plane.map()));
            return;
        }
        new TopLines(terminal).of(plane.name(), plane.report(), order, TopLines.UNBOUNDED, COLUMNS_UNBOUNDED, "")
            .forEach((line) -> terminal.line(line.stripTrailing()));
        terminal.line();
    }

    private boolean isRunning()
    {
        return !stop.isRequested();
    }

    private boolean await(final long durationMs)
    {
        final long deadlineNs = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(durationMs);
        return await(() -> clock.nanoTime() - deadlineNs >= 0);
    }

    /** Waits while keeping the sessions alive; false if the user stops it. */
    private boolean await(final BooleanSupplier condition)
    {
        while (isRunning())
        {
            planes.forEach(TopPlane::poll);
            if (condition.getAsBoolean())
            {
                return true;
            }
            LockSupport.parkNanos(IDLE_NS);
        }
        return false;
    }
}

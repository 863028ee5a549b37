package io.millrace.serve;

import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.cli.initiator.LoadPrinter;
import io.millrace.cli.initiator.ProgressLine;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.perf.load.LoadConfig;
import io.millrace.perf.load.LoadException;
import io.millrace.perf.load.LoadGenerator;
import io.millrace.perf.load.LoadPattern;
import io.millrace.perf.load.LoadReport;
import io.millrace.perf.load.OperationReport;
import io.millrace.control.setting.Units;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Verifies and measures the volume of {@code quickstart} in a few short rounds, through the initiator and a real
 * connection. Main thread; the load has its own reactor.
 */
final class QuickstartRounds
{
    private static final String ROW = "  %-28s %9s %9s %11s %11s %11s %11s %12s";
    private static final long PROGRESS_INTERVAL_MS = 250;
    private static final long NEVER_MS = Long.MAX_VALUE;
    private static final long REGION_BYTES = 64L << 20;
    private static final int DEPTH = 32;
    private static final int LARGE_DEPTH = 8;
    private static final int SMALL_BYTES = 4096;
    private static final int LARGE_BYTES = 128 << 10;

    private final InetSocketAddress address;
    private final String nqn;
    private final long sizeBytes;
    private final long roundMs;
    private final StopSignal stop;
    private final List<String> failures = new ArrayList<>();
    private final List<Map<String, Object>> results = new ArrayList<>();
    private long verifiedBlocks;

    QuickstartRounds(
        final InetSocketAddress address,
        final String nqn,
        final long sizeBytes,
        final long roundMs,
        final StopSignal stop)
    {
        this.address = address;
        this.nqn = nqn;
        this.sizeBytes = sizeBytes;
        this.roundMs = roundMs;
        this.stop = stop;
    }

    /**
     * Runs the rounds and prints a row for each.
     *
     * @param terminal  to print to.
     * @param mayWrite  whether the volume's content may be overwritten.
     * @return whether every command succeeded and every block held what was written.
     */
    boolean run(final Terminal terminal, final boolean mayWrite)
    {
        terminal.line("measuring through the Java initiator, " + Units.duration(roundMs * 1_000_000) + " each");
        if (!mayWrite)
        {
            terminal.line(terminal.warn("note: ") + "the volume exists, so nothing is written to it; --overwrite " +
                "measures writes too");
        }
        terminal.line(terminal.bold(row("round", "IOPS", "MiB/s", "avg us", "p50 us", "p99 us", "p99.9 us",
            "max us")));
        if (mayWrite)
        {
            round(terminal, "write and verify 4KiB", LoadPattern.RANDRW, SMALL_BYTES, DEPTH, true);
        }
        round(terminal, "random read 4KiB, depth 1", LoadPattern.RANDREAD, SMALL_BYTES, 1, false);
        round(terminal, "random read 4KiB, depth 32", LoadPattern.RANDREAD, SMALL_BYTES, DEPTH, false);
        round(terminal, "read 128KiB, depth 8", LoadPattern.READ, LARGE_BYTES, LARGE_DEPTH, false);
        if (mayWrite)
        {
            round(terminal, "random write 4KiB, depth 32", LoadPattern.RANDWRITE, SMALL_BYTES, DEPTH, false);
            round(terminal, "write 128KiB, depth 8", LoadPattern.WRITE, LARGE_BYTES, LARGE_DEPTH, false);
        }
        if (verifiedBlocks > 0)
        {
            terminal.line(terminal.good("verified") + String.format(Locale.ROOT, " %,d %s: each held what was " +
                "written to it", verifiedBlocks, 1 == verifiedBlocks ? "block" : "blocks"));
        }
        failures.forEach((failure) -> terminal.line(terminal.bad("failed: ") + failure));
        return failures.isEmpty();
    }

    private void round(
        final Terminal terminal,
        final String name,
        final LoadPattern pattern,
        final int bytes,
        final int depth,
        final boolean verify)
    {
        if (stop.isRequested())
        {
            return;
        }
        final LoadConfig config = LoadConfig.to(address, nqn)
            .pattern(pattern)
            .sizeBytes(bytes)
            .queues(depth, 1)
            .verify(verify)
            .regionBytes(Math.min(REGION_BYTES, sizeBytes))
            .durationMs(roundMs)
            .warmUpMs(roundMs / 4)
            .build();
        final LoadReport report;
        try (LoadGenerator generator = new LoadGenerator(config);
            ProgressLine progress = new ProgressLine(terminal, "  " + name, generator, stop,
                terminal.interactive() ? PROGRESS_INTERVAL_MS : NEVER_MS))
        {
            progress.start();
            report = generator.run();
        }
        catch (final LoadException | InitiatorException e)
        {
            failures.add(name + ": " + e.getMessage());
            return;
        }
        report.failures().forEach((failure) -> failures.add(name + ": " + failure));
        verifiedBlocks += report.verifiedBlocks() - report.verifyFailures();
        row(terminal, name, report.total());
        final Map<String, Object> result = new LinkedHashMap<>();
        result.put("round", name);
        result.put("report", LoadPrinter.json(report));
        results.add(result);
    }

    private static void row(final Terminal terminal, final String name, final OperationReport total)
    {
        terminal.line(row(name,
            number("%,.0f", total.operationsPerSecond()), number("%,.1f", total.mebibytesPerSecond()),
            number("%,.1f", total.latencyUsMean()), number("%,.1f", total.latencyUs(50)),
            number("%,.1f", total.latencyUs(99)), number("%,.1f", total.latencyUs(99.9)),
            number("%,.1f", total.latencyUsMax())));
    }

    /** Columns stay apart whatever their width. */
    static String row(final Object... cells)
    {
        return String.format(Locale.ROOT, ROW, cells);
    }

    private static String number(final String format, final double value)
    {
        return String.format(Locale.ROOT, format, value);
    }

    /**
     * {@return what the rounds came to, for JSON}
     */
    List<Map<String, Object>> results()
    {
        return results;
    }
}

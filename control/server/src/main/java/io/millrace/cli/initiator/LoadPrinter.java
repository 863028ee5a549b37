package io.millrace.cli.initiator;

import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.perf.load.LoadConfig;
import io.millrace.perf.load.LoadPhase;
import io.millrace.perf.load.LoadProgress;
import io.millrace.perf.load.LoadReport;
import io.millrace.perf.load.OperationReport;
import io.millrace.control.setting.Units;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Output of loads: progress, a table of results, JSON. Stateless; any thread.
 */
public final class LoadPrinter
{
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;
    private static final long STALL_SHOWN_NS = 1_000_000_000L;

    private LoadPrinter()
    {
    }

    /**
     * {@return a load in one line}
     *
     * @param config of it.
     */
    public static String describe(final LoadConfig config)
    {
        return config.pattern() + (config.reads() && config.writes() ? " (" + config.readPercent() + " % reads)" : "") +
            " of " + Units.size(config.sizeBytes()) + ", depth " + config.queueDepth() + " on " + config.queues() +
            (1 == config.queues() ? " queue" : " queues") +
            (config.ratePerSecond() > 0 ? ", " + config.ratePerSecond() + " a second" : "") +
            (config.verify() ? ", verified" : "");
    }

    /**
     * {@return progress since the last look, in one line}
     *
     * @param before   the last look; null when there was none.
     * @param progress now.
     */
    public static String progress(final LoadProgress before, final LoadProgress progress)
    {
        final boolean same = null != before && before.phase() == progress.phase();
        final long operations = progress.operations() - (same ? before.operations() : 0);
        final long bytes = progress.bytes() - (same ? before.bytes() : 0);
        final double seconds = (progress.elapsedNs() - (same ? before.elapsedNs() : 0)) / NS_PER_S;
        final StringBuilder line = new StringBuilder(phaseName(progress.phase()));
        line.append(String.format(Locale.ROOT, "  %.0f", progress.elapsedNs() / NS_PER_S));
        if (progress.plannedNs() > 0)
        {
            line.append(String.format(Locale.ROOT, "/%.0f", progress.plannedNs() / NS_PER_S));
        }
        line.append(" s");
        if (LoadPhase.CONNECT != progress.phase() && seconds > 0)
        {
            line.append(String.format(Locale.ROOT, "  %,.0f IOPS  %,.1f MiB/s", operations / seconds,
                bytes / seconds / (1 << 20)));
        }
        // Beside rates a rate; the total is in the report.
        final long errors = progress.errors() - (null == before ? 0 : before.errors());
        if (errors > 0 && seconds > 0)
        {
            line.append(String.format(Locale.ROOT, "  %,.0f errors/s", Math.ceil(errors / seconds)));
        }
        if (progress.quietNs() >= STALL_SHOWN_NS)
        {
            line.append(String.format(Locale.ROOT, "  no completion for %.0f s, %,d outstanding",
                progress.quietNs() / NS_PER_S, progress.outstanding()));
        }
        if (!progress.connected() && LoadPhase.CONNECT != progress.phase())
        {
            line.append("  not connected, trying again");
        }
        return line.toString();
    }

    private static String phaseName(final LoadPhase phase)
    {
        return switch (phase)
        {
            case CONNECT -> "connecting";
            case WARM_UP -> "warming up";
            case MEASURE -> "measuring";
            case DRAIN -> "finishing";
            case READ_BACK -> "reading back";
            case DONE -> "done";
        };
    }

    /**
     * Prints the results of a load.
     *
     * @param terminal to print to.
     * @param report   of it.
     */
    public static void print(final Terminal terminal, final LoadReport report)
    {
        final Table table = new Table("", ">IOPS", ">MiB/s", ">avg us", ">p50", ">p90", ">p99", ">p99.9", ">p99.99",
            ">max");
        final List<OperationReport> rows = new ArrayList<>();
        if (report.read().operations() > 0)
        {
            rows.add(report.read());
        }
        if (report.write().operations() > 0)
        {
            rows.add(report.write());
        }
        if (1 != rows.size())
        {
            rows.add(report.total());
        }
        for (final OperationReport row : rows)
        {
            final List<String> cells = new ArrayList<>(List.of(row.name(), whole(row.operationsPerSecond()),
                tenths(row.mebibytesPerSecond()), tenths(row.latencyUsMean())));
            for (final double percentile : PERCENTILES)
            {
                cells.add(tenths(row.latencyUs(percentile)));
            }
            cells.add(tenths(row.latencyUsMax()));
            table.row(cells.toArray(String[]::new));
        }
        table.print(terminal, "");
        terminal.line(String.format(Locale.ROOT, "longest stall %,.1f ms, %,d commands outstanding at the end",
            report.longestStallNs() / NS_PER_MS, report.unfinished()));
        if (report.config().verify())
        {
            final long wrong = report.verifyFailures() + report.unmarkedBlocks();
            terminal.line((0 == wrong ? terminal.good("verified") + ' ' : terminal.bad(wrong + " wrong") + " of ") +
                String.format(Locale.ROOT, "%,d blocks", report.verifiedBlocks()));
        }
        if (report.queueDepth() < report.config().queueDepth())
        {
            terminal.line("the target allows a depth of " + report.queueDepth() + " only");
        }
        if (report.reconnects() > 0)
        {
            terminal.line("the target was lost and reconnected " + Units.count(report.reconnects(), "time"));
        }
        for (final String failure : report.failures())
        {
            terminal.line(terminal.bad("failed: ") + failure);
        }
    }

    private static String whole(final double value)
    {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String tenths(final double value)
    {
        return String.format(Locale.ROOT, "%,.1f", value);
    }

    /**
     * {@return where the load goes, as the command takes it: {@code tcp://[fd00::1]:4420}}
     *
     * @param config of a load.
     */
    static String target(final LoadConfig config)
    {
        return ConnectionConfig.to(config.transport(), config.address(), config.subsystemNqn()).build().target();
    }

    /**
     * {@return a report as maps and lists, for JSON}
     *
     * @param report of a load.
     */
    public static Map<String, Object> json(final LoadReport report)
    {
        final LoadConfig config = report.config();
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("target", target(config));
        map.put("subsystem-nqn", config.subsystemNqn());
        map.put("nsid", report.namespace().nsid());
        map.put("model", report.controller().modelNumber());
        map.put("pattern", config.pattern().label());
        map.put("read-percent", config.readPercent());
        map.put("size-bytes", config.sizeBytes());
        map.put("queues", config.queues());
        map.put("queue-depth", report.queueDepth());
        map.put("header-digest", config.headerDigest());
        map.put("data-digest", config.dataDigest());
        map.put("seed", config.seed());
        map.put("elapsed-seconds", report.elapsedNs() / NS_PER_S);
        map.put("planned-per-second", report.plannedPerSecond());
        map.put("read", json(report.read()));
        map.put("write", json(report.write()));
        map.put("total", json(report.total()));
        map.put("errors", report.errors());
        map.put("verify", config.verify());
        map.put("verified-blocks", report.verifiedBlocks());
        map.put("verify-failures", report.verifyFailures());
        map.put("unmarked-blocks", report.unmarkedBlocks());
        map.put("unfinished", report.unfinished());
        map.put("longest-stall-us", report.longestStallNs() / NS_PER_US);
        map.put("reconnects", report.reconnects());
        map.put("passed", report.isPassed());
        map.put("failures", report.failures());
        return map;
    }

    private static Map<String, Object> json(final OperationReport operation)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("operations", operation.operations());
        map.put("iops", operation.operationsPerSecond());
        map.put("bytes-per-second", operation.bytesPerSecond());
        final Map<String, Object> latency = new LinkedHashMap<>();
        latency.put("min", operation.latencyUsMin());
        latency.put("mean", operation.latencyUsMean());
        for (final double percentile : PERCENTILES)
        {
            latency.put("p" + (percentile == Math.rint(percentile) ? String.valueOf((int)percentile) :
                String.valueOf(percentile)), operation.latencyUs(percentile));
        }
        latency.put("max", operation.latencyUsMax());
        map.put("latency-us", latency);
        return map;
    }
}

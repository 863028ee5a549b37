package io.millrace.cli.control.top;

import io.millrace.cli.control.top.TopReport.IoLoad;
import io.millrace.cli.control.top.TopReport.ReactorLoad;
import io.millrace.console.Quantity;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Lays a report out in the available space: reactors and hosts get a bounded share, namespaces the rest. One thread.
 */
final class TopLines
{
    /** Lines without end. */
    static final int UNBOUNDED = Integer.MAX_VALUE;

    private static final int SHARE = 4;
    private static final int ROWS_MIN = 3;
    /** On fewer rows namespaces and hosts need them all. */
    private static final int ROWS_FOR_HOLDERS = 20;
    private static final int NAME_LENGTH_MIN = 12;
    private static final String ELLIPSIS = "..";

    /** What rows are ordered by, most first. */
    enum Order
    {
        /** Commands a second. */
        iops(Comparator.comparingDouble(IoLoad::iops).reversed()),
        /** Bytes a second. */
        bytes(Comparator.comparingDouble(IoLoad::bytes).reversed()),
        /** 99th percentile. */
        latency(Comparator.comparingLong(IoLoad::highNs).reversed()),
        /** As they are listed. */
        name((a, b) -> 0);

        private final Comparator<IoLoad> comparator;

        Order(final Comparator<IoLoad> comparator)
        {
            this.comparator = comparator;
        }
    }

    private final Terminal terminal;

    TopLines(final Terminal terminal)
    {
        this.terminal = terminal;
    }

    /**
     * Lays a report out.
     *
     * @param name    of the data plane.
     * @param report  to show.
     * @param order   of rows.
     * @param rows    that there are.
     * @param columns that there are.
     * @param hint    at the end of the first line.
     * @return lines, none longer than there are columns.
     */
    List<String> of(
        final String name,
        final TopReport report,
        final Order order,
        final int rows,
        final int columns,
        final String hint)
    {
        final List<String> lines = new ArrayList<>();
        lines.add(cut(head(name, report) + "   " + hint, columns));
        final int share = UNBOUNDED == rows ? UNBOUNDED : Math.max(ROWS_MIN, rows / SHARE);
        final int reactors = Math.min(report.reactors().size(), share);
        final int hosts = Math.min(report.hosts().size(), share);
        final List<BufferHolders.Holder> holders = BufferHolders.of(report.sample().counters());
        final int held = Math.min(holders.size(), rows < ROWS_FOR_HOLDERS ? 0 : share);
        final List<ArrayInfo> arrays =
            report.sample().arrays().stream().filter(TopLines::isNotable).limit(share).toList();
        arrays.forEach((each) -> lines.add(cut(array(each), columns)));
        // First line, three headings with a blank line before each.
        final int used = 7 + arrays.size() + reactors + (0 == hosts ? 0 : hosts) + (0 == held ? 0 : held + 2);
        final int namespaces = UNBOUNDED == rows ? UNBOUNDED : Math.max(1, rows - used);
        add(lines, reactors(report.reactors(), reactors), columns);
        if (held > 0)
        {
            add(lines, BufferHolders.table(holders.subList(0, held)), columns);
        }
        add(lines, fitted("NAMESPACE", "DEVICE", report.namespaces(), order, namespaces, columns), columns);
        if (hosts > 0)
        {
            add(lines, fitted("HOST", "CONNECTED", report.hosts(), order, hosts, columns), columns);
        }
        return lines;
    }

    /** The first line: state and load of a data plane. */
    static String head(final String name, final TopReport report)
    {
        final DataPlaneInfo plane = report.sample().plane();
        double iops = 0;
        double bytes = 0;
        for (final IoLoad each : report.namespaces())
        {
            iops += each.iops();
            bytes += each.bytes();
        }
        return name + " is " + SettingType.word(plane.state()) + ", up " + Quantity.duration(plane.upNs()) +
            ", " + Units.count(plane.controllers(), "host") + pending(report) + ": " +
            Quantity.count(iops) + " IOPS, " + Quantity.bytes(bytes) + "/s";
    }

    /** An array that lacks redundancy, or does something on its own. */
    private static boolean isNotable(final ArrayInfo array)
    {
        return DeviceHealth.ONLINE != array.health() || !array.operation().isEmpty();
    }

    private static String array(final ArrayInfo array)
    {
        return "array " + array.name() + " is " + SettingType.word(array.health()) + ", " + array.inSyncCount() +
            " of " + array.slotCount() + " slots in sync" + (array.operation().isEmpty() ? "" : ": " +
            array.operation() + ' ' + array.progressPerMille() / 10 + " %" + (Resource.UNKNOWN == array.leftMs() ? "" :
            ", " + Quantity.duration(TimeUnit.MILLISECONDS.toNanos(array.leftMs())) + " left"));
    }

    /** Usually none: a connection is pending only until its Connect command. */
    private static String pending(final TopReport report)
    {
        final long pending = report.sample().counter("PENDING_CONNECTIONS");
        return pending <= 0 ? "" : ", " + pending + (1 == pending ? " pending connection" : " pending connections");
    }

    private void add(final List<String> lines, final Table table, final int columns)
    {
        lines.add("");
        final List<String> rows = table.lines();
        lines.add(terminal.bold(cut(rows.getFirst(), columns)));
        rows.subList(1, rows.size()).forEach((row) -> lines.add(cut(row, columns)));
    }

    static String cut(final String line, final int columns)
    {
        return line.length() <= columns ? line : line.substring(0, columns);
    }

    private static Table reactors(final List<ReactorLoad> loads, final int count)
    {
        final Table table = new Table("REACTOR", ">CPU", ">BUSY", ">CONNECTIONS", ">REQUESTS", ">POOL", ">USED",
            ">PEAK", ">WAITING");
        for (final ReactorLoad each : loads.subList(0, count))
        {
            table.row(each.info().name(), each.info().cpu() < 0 ? "any" : Integer.toString(each.info().cpu()),
                percent(each.busyShare()), Integer.toString(each.info().connections()),
                Integer.toString(each.info().requests()), Quantity.bytes(each.info().poolBytes()),
                percent((double)each.info().poolUsedBytes() / Math.max(1, each.info().poolBytes())),
                each.info().poolPeakBytes() < 0 ? "-" :
                    percent((double)each.info().poolPeakBytes() / Math.max(1, each.info().poolBytes())),
                each.info().poolWaiting() < 0 ? "-" : Integer.toString(each.info().poolWaiting()));
        }
        return table;
    }

    /** With names shortened as far as needed, so that all numbers fit. */
    private static Table fitted(
        final String noun,
        final String detail,
        final List<IoLoad> loads,
        final Order order,
        final int count,
        final int columns)
    {
        final List<IoLoad> shown = loads.stream().sorted(order.comparator).limit(count).toList();
        final int longest = shown.stream().mapToInt((each) -> name(each).length()).max().orElse(0);
        final Table table = table(noun, detail, shown, longest);
        final int excess = table.lines().stream().mapToInt(String::length).max().orElse(0) - columns;
        return excess <= 0 ? table : table(noun, detail, shown, Math.max(NAME_LENGTH_MIN, longest - excess));
    }

    private static String name(final IoLoad load)
    {
        return 0 == load.nsid() ? load.name() : load.name() + '/' + load.nsid();
    }

    /** Names of one owner differ at their ends. */
    private static String shortened(final String name, final int lengthMax)
    {
        return name.length() <= lengthMax ? name :
            ELLIPSIS + name.substring(name.length() - lengthMax + ELLIPSIS.length());
    }

    private static Table table(
        final String noun, final String detail, final List<IoLoad> shown, final int nameLengthMax)
    {
        final Table table = new Table(noun, detail, ">READ IOPS", ">READ/s", ">P50", ">P99", ">WRITE IOPS",
            ">WRITE/s", ">P50", ">P99", ">ERRORS/s");
        shown.forEach((each) -> table.row(shortened(name(each), nameLengthMax), each.detail(),
            Quantity.count(each.reads().iops()), Quantity.bytes(each.reads().bytes()),
            latency(each.reads().medianNs()), latency(each.reads().highNs()),
            Quantity.count(each.writes().iops()), Quantity.bytes(each.writes().bytes()),
            latency(each.writes().medianNs()), latency(each.writes().highNs()), Quantity.count(each.errors())));
        return table;
    }

    private static String latency(final long latencyNs)
    {
        return 0 == latencyNs ? "-" : Quantity.duration(latencyNs);
    }

    private static String percent(final double share)
    {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }
}

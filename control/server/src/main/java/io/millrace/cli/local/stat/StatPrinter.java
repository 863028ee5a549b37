package io.millrace.cli.local.stat;

import io.millrace.console.Quantity;
import io.millrace.console.Table;
import io.millrace.console.Terminal;
import io.millrace.dataplane.config.SettingException;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.DeviceCounters;
import io.millrace.status.BufferHolderStatus;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.DeviceErrorStatus;
import io.millrace.status.ErrorStatus;
import io.millrace.status.IoOperation;
import io.millrace.status.IoStatus;
import io.millrace.status.LatencyHistogram;
import io.millrace.status.OperationStatus;
import io.millrace.status.QueuePairStatus;
import io.millrace.status.ReactorCounters;
import io.millrace.status.RdmaDeviceStatus;
import io.millrace.status.ReactorStatus;
import io.millrace.status.StatusSnapshot;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A status file for people: tables of what it has, leaving out what is empty. Stateless.
 */
final class StatPrinter
{
    private static final double[] PERCENTILES = {50, 90, 99, 99.9};
    private static final double MIB = 1 << 20;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_S = 1e9;
    /** A reactor that sleeps writes once a second. */
    private static final long SILENT_MS = 5_000;
    private static final Comparator<IoStatus> BY_NAME =
        Comparator.comparing(IoStatus::name).thenComparingInt(IoStatus::nsid);
    private static final Comparator<QueuePairStatus> BY_HOST = Comparator.comparing(QueuePairStatus::hostNqn)
        .thenComparing(QueuePairStatus::nqn).thenComparingInt(QueuePairStatus::controllerId)
        .thenComparingInt(QueuePairStatus::queueId);

    private StatPrinter()
    {
    }

    /**
     * Prints all of it.
     *
     * @param terminal to print to.
     * @param view     to print.
     */
    static void print(final Terminal terminal, final StatView view)
    {
        head(terminal, view);
        reactors(terminal, view);
        io(terminal, view, "namespace", view.snapshot().namespaces(), view.earlierNamespaces());
        io(terminal, view, "host", view.snapshot().hosts(), view.earlierHosts());
        queuePairs(terminal, view);
        bufferHolders(terminal, view.snapshot());
        rdmaDevices(terminal, view.snapshot());
        deviceErrors(terminal, view.snapshot());
        connections(terminal, view.snapshot());
        errors(terminal, view.snapshot());
    }

    private static void head(final Terminal terminal, final StatView view)
    {
        final StatusSnapshot snapshot = view.snapshot();
        final String who = (snapshot.program().isEmpty() ? "data plane" : text(snapshot.program())) + ", process " +
            snapshot.processId() + ", ";
        terminal.line(who + switch (view.state())
        {
            case RUNNING -> terminal.good(word(snapshot)) + " since " + time(snapshot.startEpochMs()) + " (" +
                age(view.nowMs() - snapshot.startEpochMs()) + ")";
            case STOPPED -> "stopped at " + time(snapshot.stopEpochMs()) + ", started at " +
                time(snapshot.startEpochMs());
            case DEAD -> terminal.bad("dead") + ": it ended without a clean stop, " + (0 == snapshot.writtenEpochMs() ?
                "before it wrote anything" : "wrote last at " + time(snapshot.writtenEpochMs()) + " (" +
                age(view.nowMs() - snapshot.writtenEpochMs()) + " ago)") + "; started at " +
                time(snapshot.startEpochMs());
        });
        for (final ReactorStatus reactor : snapshot.reactors())
        {
            final long silentMs = view.nowMs() - reactor.writtenEpochMs();
            if (StatView.State.RUNNING == view.state() && silentMs > SILENT_MS)
            {
                terminal.line(terminal.bad("silent: ") + "reactor " + text(reactor.name()) +
                    " has written nothing for " +
                    age(silentMs) + "; it writes every second, so it hangs or is not let run");
            }
        }
        if (snapshot.lost() > 0)
        {
            terminal.line(terminal.warn("note: ") + snapshot.lost() +
                " records did not fit into the file and are not shown; raise status.size");
        }
        if (view.isInterval())
        {
            terminal.line(time(view.nowMs()) + ", the last " + tenths(view.seconds()) + " s:");
        }
        terminal.line();
    }

    private static String word(final StatusSnapshot snapshot)
    {
        return switch ((int)snapshot.dataPlane(DataPlaneCounters.Value.STATE))
        {
            case 1 -> "serving";
            case 2 -> "draining";
            case 3 -> "paused";
            case 4 -> "stopping";
            default -> "running";
        };
    }

    private static void reactors(final Terminal terminal, final StatView view)
    {
        if (view.snapshot().reactors().isEmpty())
        {
            return;
        }
        final Table table = new Table("reactor", ">cpu", ">busy", ">cycles/s", ">longest cycle us", ">connections",
            ">requests", ">request waits", ">pool MiB", ">used", ">peak", ">quarantined", ">waiting", ">waits");
        for (final ReactorStatus each : view.snapshot().reactors())
        {
            table.row(text(each.name()), each.cpu() < 0 ? "any" : Integer.toString(each.cpu()),
                percent(view.busy(each)), whole(view.cyclesPerSecond(each)),
                micros(each.value(ReactorCounters.Value.LONGEST_CYCLE_NS)),
                value(each, ReactorCounters.Value.CONNECTIONS), value(each, ReactorCounters.Value.REQUESTS),
                value(each, ReactorCounters.Value.REQUEST_WAITS),
                mebibytes(each.value(ReactorCounters.Value.POOL_BYTES)),
                mebibytes(each.value(ReactorCounters.Value.POOL_USED_BYTES)),
                mebibytes(each.value(ReactorCounters.Value.POOL_PEAK_BYTES)),
                mebibytes(each.value(ReactorCounters.Value.POOL_QUARANTINED_BYTES)),
                value(each, ReactorCounters.Value.POOL_WAITING), value(each, ReactorCounters.Value.POOL_WAITS));
        }
        table.print(terminal, "");
        memory(terminal, view.snapshot());
        terminal.line();
    }

    private static void memory(final Terminal terminal, final StatusSnapshot snapshot)
    {
        final long bytes = snapshot.dataPlane(DataPlaneCounters.Value.DMA_BYTES);
        if (0 != bytes)
        {
            terminal.line(terminal.bold("memory") + "  " + mebibytes(bytes) + " MiB, " +
                mebibytes(snapshot.dataPlane(DataPlaneCounters.Value.DMA_HUGEPAGE_BYTES)) + " MiB in hugepages" +
                (snapshot.memoryNote().isEmpty() ? "" : "; " + text(snapshot.memoryNote())));
        }
    }

    private static void io(
        final Terminal terminal,
        final StatView view,
        final String what,
        final List<IoStatus> rows,
        final List<IoStatus> before)
    {
        final Table table = new Table(Stream.concat(
            Stream.of(what, "", view.isInterval() ? ">IOPS" : ">done", view.isInterval() ? ">MiB/s" : ">MiB", ">errors",
                ">avg us"),
            Stream.concat(Arrays.stream(PERCENTILES).mapToObj((p) -> ">p" + number(p)), Stream.of(">max")))
            .toArray(String[]::new));
        boolean isEmpty = true;
        for (final IoStatus each : rows.stream().sorted(BY_NAME).toList())
        {
            String name = text(each.name()) + (0 == each.nsid() ? "" : "/" + each.nsid());
            for (final IoOperation operation : IoOperation.values())
            {
                final OperationStatus done = view.operation(each, operation, before);
                if (!done.isEmpty())
                {
                    table.row(row(view, name, operation, done));
                    name = "";
                    isEmpty = false;
                }
            }
        }
        if (!isEmpty)
        {
            table.print(terminal, "");
            terminal.line();
        }
    }

    private static String[] row(
        final StatView view, final String name, final IoOperation operation, final OperationStatus done)
    {
        final LatencyHistogram latencies = done.latencies();
        final List<String> cells = new ArrayList<>(List.of(name, operation.name().toLowerCase(Locale.ROOT),
            view.isInterval() ? whole(view.perSecond(done.count())) : whole(done.count()),
            view.isInterval() ? tenths(view.perSecond(done.bytes()) / MIB) : tenths(done.bytes() / MIB),
            whole(done.errors()), micros(latencies.meanNs())));
        for (final double percentile : PERCENTILES)
        {
            cells.add(micros(latencies.percentileNs(percentile)));
        }
        cells.add(micros(latencies.longestNs()));
        return cells.toArray(String[]::new);
    }

    private static void queuePairs(final Terminal terminal, final StatView view)
    {
        if (view.snapshot().queuePairs().isEmpty())
        {
            return;
        }
        final Table table = new Table("queue of host", "subsystem", ">controller", ">queue", ">reactor", ">depth",
            ">outstanding", view.isInterval() ? ">commands/s" : ">commands",
            view.isInterval() ? ">read MiB/s" : ">read MiB", view.isInterval() ? ">written MiB/s" : ">written MiB",
            ">errors");
        for (final QueuePairStatus each : view.snapshot().queuePairs().stream().sorted(BY_HOST).toList())
        {
            final QueuePairStatus before = view.earlierQueuePair(each);
            final long commands = each.commands() - (null == before ? 0 : before.commands());
            final long bytesRead = each.bytesRead() - (null == before ? 0 : before.bytesRead());
            final long bytesWritten = each.bytesWritten() - (null == before ? 0 : before.bytesWritten());
            table.row(text(each.hostNqn()), text(each.nqn()), Integer.toString(each.controllerId()),
                0 == each.queueId() ? "admin" : Integer.toString(each.queueId()), Integer.toString(each.reactor()),
                Integer.toString(each.depth()), whole(each.outstanding()),
                whole(view.isInterval() ? view.perSecond(commands) : commands),
                tenths((view.isInterval() ? view.perSecond(bytesRead) : bytesRead) / MIB),
                tenths((view.isInterval() ? view.perSecond(bytesWritten) : bytesWritten) / MIB),
                whole(each.errors() - (null == before ? 0 : before.errors())));
        }
        table.print(terminal, "");
        terminal.line();
    }

    private static void bufferHolders(final Terminal terminal, final StatusSnapshot snapshot)
    {
        if (snapshot.bufferHolders().isEmpty())
        {
            return;
        }
        final Table table = new Table("buffers run short", "name", ">reactor", ">held MiB", ">waiting",
            ">longest hold s");
        for (final BufferHolderStatus each : snapshot.bufferHolders())
        {
            table.row(each.kind(), text(each.name()), Integer.toString(each.reactor()), mebibytes(each.heldBytes()),
                whole(each.waiting()), tenths(each.longestHoldNs() / NS_PER_S));
        }
        table.print(terminal, "");
        terminal.line();
    }

    private static void deviceErrors(final Terminal terminal, final StatusSnapshot snapshot)
    {
        if (snapshot.deviceErrors().isEmpty())
        {
            return;
        }
        final Table table = new Table("errors of device", "operation", "status", "cause", ">count", "first seen",
            "last seen", ">first LBA", ">last LBA");
        for (final DeviceErrorStatus each : snapshot.deviceErrors().stream()
            .sorted(Comparator.comparing(DeviceErrorStatus::device)).toList())
        {
            table.row(text(each.device()), text(each.operation()), text(each.status()),
                each.cause().isEmpty() ? "-" : text(each.cause()), whole(each.count()), time(each.firstEpochMs()),
                time(each.lastEpochMs()), Long.toString(each.firstLba()), Long.toString(each.lastLba()));
        }
        table.print(terminal, "");
        terminal.line();
    }

    private static void rdmaDevices(final Terminal terminal, final StatusSnapshot snapshot)
    {
        if (snapshot.rdmaDevices().isEmpty())
        {
            return;
        }
        final Table table = new Table("RDMA device", ">queue pairs", ">connections", ">sends", ">receives", ">reads",
            ">read", ">writes", ">written", ">atomics", ">removals", "errors");
        for (final RdmaDeviceStatus each : snapshot.rdmaDevices())
        {
            table.row(text(each.name()), rdma(each, DeviceCounters.Value.QUEUE_PAIRS),
                rdma(each, DeviceCounters.Value.CONNECTIONS), rdma(each, DeviceCounters.Value.SENDS),
                rdma(each, DeviceCounters.Value.RECEIVES), rdma(each, DeviceCounters.Value.READS),
                Quantity.bytes(each.value(DeviceCounters.Value.READ_BYTES)), rdma(each, DeviceCounters.Value.WRITES),
                Quantity.bytes(each.value(DeviceCounters.Value.WRITTEN_BYTES)),
                rdma(each, DeviceCounters.Value.ATOMICS), rdma(each, DeviceCounters.Value.REMOVALS),
                rdmaErrors(each));
        }
        table.print(terminal, "");
        terminal.line();
    }

    private static String rdma(final RdmaDeviceStatus device, final DeviceCounters.Value value)
    {
        return whole(device.value(value));
    }

    private static String rdmaErrors(final RdmaDeviceStatus device)
    {
        final String errors = Stream.of(DeviceCounters.Value.values())
            .filter((each) -> CompletionStatus.SUCCESS != each.status() && device.value(each) > 0)
            .map((each) -> each.status().verbsName() + " " + rdma(device, each))
            .collect(Collectors.joining(", "));
        return errors.isEmpty() ? "-" : errors;
    }

    private static void connections(final Terminal terminal, final StatusSnapshot snapshot)
    {
        final String counted = Stream.of(DataPlaneCounters.Value.values())
            .filter((each) -> each.isOfConnections() && snapshot.dataPlane(each) > 0)
            .map((each) -> each.name().toLowerCase(Locale.ROOT).replace('_', ' ') + " " +
                whole(snapshot.dataPlane(each)))
            .collect(Collectors.joining(", "));
        if (!counted.isEmpty())
        {
            terminal.line(terminal.bold("connections") + "  " + counted);
            terminal.line();
        }
    }

    private static void errors(final Terminal terminal, final StatusSnapshot snapshot)
    {
        if (snapshot.errors().isEmpty())
        {
            return;
        }
        final Table table = new Table(">times", "first", "last", "error (--json has the stack traces)");
        for (final ErrorStatus each : snapshot.errors())
        {
            table.row(Integer.toString(each.count()), time(each.firstEpochMs()), time(each.lastEpochMs()),
                text(each.text().lines().findFirst().orElse("")));
        }
        table.print(terminal, "");
        terminal.line();
    }

    /** What hosts call themselves is printed, not obeyed. */
    private static String text(final String text)
    {
        return SettingException.printable(text);
    }

    private static String value(final ReactorStatus reactor, final ReactorCounters.Value value)
    {
        return whole(reactor.value(value));
    }

    private static String mebibytes(final long lengthBytes)
    {
        return tenths(lengthBytes / MIB);
    }

    private static String micros(final long ns)
    {
        return tenths(ns / NS_PER_US);
    }

    private static String percent(final double share)
    {
        return String.format(Locale.ROOT, "%.1f%%", 100 * share);
    }

    private static String whole(final double value)
    {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String tenths(final double value)
    {
        return String.format(Locale.ROOT, "%,.1f", value);
    }

    static String number(final double value)
    {
        return value == Math.rint(value) ? Integer.toString((int)value) : Double.toString(value);
    }

    static String time(final long epochMs)
    {
        return Instant.ofEpochMilli(epochMs).truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static String age(final long elapsedMs)
    {
        final long seconds = Math.max(0, elapsedMs) / 1_000;
        if (seconds < 120)
        {
            return seconds + " s";
        }
        if (seconds < 7_200)
        {
            return seconds / 60 + " min";
        }
        return seconds < 172_800 ? seconds / 3_600 + " h" : seconds / 86_400 + " days";
    }
}

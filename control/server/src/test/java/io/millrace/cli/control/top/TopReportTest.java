package io.millrace.cli.control.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.Terminal;
import io.millrace.control.codec.IoKind;
import io.millrace.control.codec.State;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.LatencyBucket;
import io.millrace.control.message.LatencyInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.ReactorInfo;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TopReportTest
{
    private static final UUID RUN = new UUID(1, 1);
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555";
    private static final long S = 1_000_000_000L;
    private static final long US = 1_000L;

    private static final List<CounterInfo> COUNTERS = List.of(
        new CounterInfo(CounterInfo.DATA_PLANE, "", "", "PENDING_CONNECTIONS", 3),
        new CounterInfo(CounterInfo.DATA_PLANE, "", "", "REFUSED_PENDING", 17),
        new CounterInfo("host", "reactor-0", HOST, CounterInfo.HELD_BYTES, 12 << 20),
        new CounterInfo("host", "reactor-0", HOST, CounterInfo.WAITING, 5),
        new CounterInfo("host", "reactor-0", HOST, CounterInfo.LONGEST_HOLD_NS, 2 * S),
        new CounterInfo("device", "reactor-0", "slow", CounterInfo.HELD_BYTES, 1 << 20));

    /** At a moment: reads so far, each of 4 KiB, the share of those above 100 us, and busy time. */
    private static TopSample sample(final UUID run, final long upNs, final long reads, final long slow, final long busy)
    {
        return new TopSample(
            new DataPlaneInfo(run, State.SERVING, upNs, 1 << 27, 1, 7, 1 << 28, 0, "plane", "1", ""),
            List.of(new ReactorInfo(0, 3, busy, upNs - busy, 1, 1, 2, 4, 1 << 27, 1 << 25, 0, 1 << 26, 0, 0,
                "reactor-0")),
            List.of(namespace(1, reads), namespace(2, reads / 10)),
            List.of(new ControllerInfo(NQN, 1, HOST, 4, 120_000, "READY")),
            List.of(
                latency(NQN, 1, reads, slow), latency(HOST, 0, reads, slow)), COUNTERS, List.of());
    }

    private static LatencyInfo latency(final String name, final int nsid, final long count, final long slow)
    {
        final List<LatencyBucket> buckets = new ArrayList<>(List.of(new LatencyBucket(8 * US, 10 * US, count - slow)));
        if (slow > 0)
        {
            buckets.add(new LatencyBucket(900 * US, 1100 * US, slow));
        }
        return new LatencyInfo(name, nsid, IoKind.READ, count, count * 4096, 0, count, 1050 * US, buckets);
    }

    private static NamespaceInfo namespace(final int nsid, final long reads)
    {
        return new NamespaceInfo(NQN, nsid, new UUID(5, nsid), 1 << 20, 4096, reads, reads * 4096, 0, 0, 0, 0,
            "mem" + nsid, 1);
    }

    @Test
    void shouldTellRatesOfTheTimeBetween()
    {
        final TopReport report = TopReport.of(
            sample(RUN, 10 * S, 1_000_000, 500_000, 5 * S), sample(RUN, 12 * S, 1_001_000, 500_000, 5 * S + S / 2));
        assertEquals(2, report.seconds());
        assertEquals(0.25, report.reactors().getFirst().busyShare());
        assertEquals(500, report.namespaces().getFirst().reads().iops());
        assertEquals(500 * 4096, report.namespaces().getFirst().reads().bytes());
        // What was slow before does not count.
        assertEquals(9 * US, report.namespaces().getFirst().reads().highNs());
        assertEquals(500, report.hosts().getFirst().reads().iops());
        assertEquals("4 queues", report.hosts().getFirst().detail());
        assertEquals(0, report.namespaces().getFirst().writes().medianNs());
    }

    @Test
    void shouldTellLatenciesOfTheTimeBetween()
    {
        final TopReport report = TopReport.of(
            sample(RUN, 10 * S, 1000, 0, 0), sample(RUN, 11 * S, 2000, 20, 0));
        assertEquals(9 * US, report.namespaces().getFirst().reads().medianNs());
        assertEquals(1000 * US, report.namespaces().getFirst().reads().highNs());
    }

    @Test
    void shouldCountAnewWhatBeganAnew()
    {
        assertFalse(sample(new UUID(2, 2), 12 * S, 0, 0, 0).follows(sample(RUN, 10 * S, 0, 0, 0)));
        assertFalse(sample(RUN, 10 * S, 0, 0, 0).follows(sample(RUN, 10 * S, 0, 0, 0)));
        final TopReport report = TopReport.of(sample(RUN, 10 * S, 1000, 0, 0), sample(RUN, 11 * S, 10, 0, 0));
        assertEquals(10, report.namespaces().getFirst().reads().iops());
        assertEquals(10, report.hosts().getFirst().reads().iops());
    }

    private static List<String> lines(final TopReport report, final int rows, final int columns)
    {
        return new TopLines(new Terminal(
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8), false, false))
            .of("plane", report, TopLines.Order.iops, rows, columns, "hint");
    }

    @Test
    void shouldFitTheScreen()
    {
        final TopReport report = TopReport.of(sample(RUN, S, 0, 0, 0), sample(RUN, 2 * S, 1_234_567, 0, S / 2));
        final List<String> wide = lines(report, TopLines.UNBOUNDED, TopLines.UNBOUNDED);
        assertEquals("plane is serving, up 2.0s, 1 host, 3 pending connections: 1.4M IOPS, 5.2GiB/s   hint",
            wide.getFirst());
        assertTrue(wide.get(3).startsWith("reactor-0    3  50 %            2         4  128MiB  25 %"), wide.get(3));
        assertTrue(wide.stream().anyMatch((line) -> line.startsWith(HOST)));
        for (final int columns : new int[]{130, 110, 80, 40, 10})
        {
            for (final int rows : new int[]{50, 24, 12})
            {
                final List<String> lines = lines(report, rows, columns);
                assertTrue(lines.size() <= rows, rows + ": " + lines);
                lines.forEach((line) -> assertTrue(line.length() <= columns, line));
            }
        }
        assertTrue(lines(report, 24, 110).stream().anyMatch((line) -> line.startsWith("..") && line.contains("GiB")),
            () -> String.join("\n", lines(report, 24, 110)));
    }

    @Test
    void shouldShowWhoHoldsBuffersAndWhoIsRefused()
    {
        final TopReport report = TopReport.of(sample(RUN, S, 0, 0, 0), sample(RUN, 2 * S, 1000, 0, 0));
        final List<String> lines = lines(report, TopLines.UNBOUNDED, TopLines.UNBOUNDED);
        assertTrue(lines.stream().anyMatch((line) ->
            line.matches("host +" + HOST + " +reactor-0 +12(\\.0)?MiB +5 +2\\.0s")), () -> String.join("\n", lines));
        assertTrue(lines.stream().anyMatch((line) -> line.matches("device +slow +reactor-0 +1MiB +0 .*")),
            () -> String.join("\n", lines));
        assertEquals(17L, ((Map<?, ?>)report.map("plane").get("connections")).get("refused-pending"));
        assertEquals(12L << 20, ((Map<?,
            ?>)((List<?>)report.map("plane").get("buffer-holders")).getFirst()).get("held-bytes"));
    }

    @Test
    void shouldShowTheBusiestFirst()
    {
        final TopReport report = TopReport.of(sample(RUN, S, 0, 0, 0), sample(RUN, 2 * S, 1000, 0, 0));
        final List<String> lines = lines(report, 12, 200);
        assertTrue(lines.get(6).startsWith(NQN + "/1  "), lines.get(6));
        assertEquals(List.of(1, 2), report.namespaces().stream().map(TopReport.IoLoad::nsid).toList());
    }
}

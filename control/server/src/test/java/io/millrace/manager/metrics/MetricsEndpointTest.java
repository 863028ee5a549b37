package io.millrace.manager.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.DeviceHealth;
import io.millrace.control.codec.DeviceState;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.IoKind;
import io.millrace.control.codec.JournalDeviceState;
import io.millrace.control.codec.MemberState;
import io.millrace.control.codec.ScrubMode;
import io.millrace.control.codec.ScrubState;
import io.millrace.control.codec.State;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DeviceErrorInfo;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.LatencyBucket;
import io.millrace.control.message.LatencyInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.ReactorInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.message.ScrubInfo;
import io.millrace.rdma.endpoint.DeviceCounters;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.ReactorCounters;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What Prometheus gets, from the socket.
 */
class MetricsEndpointTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    static final Probes PROBES = new Probes()
    {
        @Override
        public Answer health()
        {
            return new Answer(true, "healthy");
        }

        @Override
        public Answer ready()
        {
            return new Answer(false, "no listeners");
        }
    };
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static LatencyInfo latency(final String name, final int nsid, final IoKind kind)
    {
        return new LatencyInfo(name, nsid, kind, 4, 4096, 1, 90_001_003_000L, 90_000_000_000L, List.of(
            new LatencyBucket(875, 1_000, 1), new LatencyBucket(1_000, 1_125, 1), new LatencyBucket(1_875, 2_000, 1),
            new LatencyBucket(62_914_560_000L, 67_108_864_000L, 1)));
    }

    private static List<PlaneRecords> records()
    {
        final List<Resource> resources = new ArrayList<>(List.of(
            new DataPlaneInfo(new UUID(1, 2), State.DRAINING, 5_000_000_000L, 1 << 20, 2, 77, 1 << 21, 1 << 20, "a",
                "1.2.3", ""),
            new ReactorInfo(0, 3, 1_500_000_000L, 2_500_000_000L, 10, 2_000, 4, 5, 100, 50, 1, 75, 6, 25, "reactor-0"),
            new DeviceErrorInfo("vol0", "write", "CAPACITY_EXCEEDED", "ENOSPC", 28, 33_871, 1, 2, 3, 4),
            new DeviceErrorInfo("vol0", "write", "MEDIA_ERROR", "EIO", 5, 1, 1, 2, 3, 4),
            new DeviceErrorInfo("vol0", "write", "MEDIA_ERROR", "ENODATA", 61, 2, 1, 2, 3, 4),
            new ArrayInfo("vol1", new UUID(5, 6), "5", 0, 1 << 30, 1 << 29, 65536, DeviceHealth.DEGRADED, "reason",
                "rebuild", 671, 5_000, List.of(
                    new ArrayInfo.Member(0, "d0", new UUID(7, 8), MemberState.IN_SYNC, 1 << 29, 3, 5, 7, 9),
                    new ArrayInfo.Member(1, "d1", new UUID(7, 9), MemberState.REBUILDING, 1 << 28, 0, 0, 0, 0),
                    new ArrayInfo.Member(2, "", new UUID(7, 10), MemberState.FAILED, 0, 0, 0, 0, 0),
                    new ArrayInfo.Member(ArrayInfo.NO_SLOT, "d3", new UUID(0, 0), MemberState.SPARE, 0, 0, 0, 0, 0)),
                2 << 20, 1 << 20, new ScrubInfo(ScrubMode.REPAIR, ScrubState.COMPLETED, 1, 2, 3, 4, 17, 16, 5, 6, 8,
                List.of(4096L)), 1_764_000_000_500L, 33, 22,
                new ArrayInfo.Writes(44, 55, 66, 77), 1 << 29, "j0", JournalDeviceState.FAILED, true,
                ArrayInfo.NO_SLOT, true),
            spare("s0", 0, DeviceHealth.ONLINE),
            spare("s1", 1, DeviceHealth.ONLINE),
            spare("s2", 0, DeviceHealth.DEGRADED),
            new CounterInfo("host", "reactor-0", "nqn.host", CounterInfo.HELD_BYTES, 4096),
            new CounterInfo("host", "reactor-0", "nqn.host", CounterInfo.WAITING, 3),
            new CounterInfo("host", "reactor-0", "nqn.host", CounterInfo.LONGEST_HOLD_NS, 2_500_000_000L),
            new CounterInfo("connection", "reactor-0", "192.0.2.1:5000", CounterInfo.HELD_BYTES, 4096),
            new CounterInfo(CounterInfo.DATA_PLANE, "", "", "OF_A_LATER_VERSION", 1),
            new NamespaceInfo(NQN, 7, new UUID(3, 4), 8192, 512, 11, 12, 13, 14, 15, 16, "mem0", 1),
            new ControllerInfo(NQN, 1, "nqn.\"host\"", 1, 0, "ready"),
            new ControllerInfo(NQN, 2, "nqn.\"host\"", 1, 0, "ready"),
            new ManagedInfo("a", true, Health.IN_SYNC, 1, 2, 3, 4, 5, "address", "", "")));
        for (final DataPlaneCounters.Value each : DataPlaneCounters.Value.values())
        {
            resources.add(new CounterInfo(CounterInfo.DATA_PLANE, "", "", each.name(), 100 + each.ordinal()));
        }
        for (final ReactorCounters.Value each : ReactorCounters.Value.values())
        {
            resources.add(new CounterInfo(CounterInfo.REACTOR, "reactor-0", "", each.name(), 200 + each.ordinal()));
        }
        for (final DeviceCounters.Value each : DeviceCounters.Value.values())
        {
            resources.add(new CounterInfo(
                CounterInfo.RDMA_DEVICE, "", "mlx5_0", each.name(), 300 + each.ordinal()));
        }
        resources.add(new CounterInfo(CounterInfo.RDMA_DEVICE, "", "mlx5_0", "WRITE_NS_TO_4000", 5));
        resources.add(new CounterInfo(CounterInfo.RDMA_DEVICE, "", "mlx5_0", "WRITE_NS_ABOVE_67108864000", 2));
        for (final BdevCounter each : BdevCounter.values())
        {
            resources.add(new CounterInfo(
                CounterInfo.SPDK_BDEV, "", "Malloc0", each.name(), (each.ordinal() + 1) * 1_500_000_000L));
        }
        resources.add(new CounterInfo(CounterInfo.SPDK_BDEV, "", "Malloc0", "OF_A_LATER_VERSION", 1));
        for (final IoKind kind : new IoKind[]{IoKind.READ, IoKind.WRITE, IoKind.OTHER})
        {
            resources.add(latency(NQN, 7, kind));
            resources.add(latency("nqn.\"host\"", 0, kind));
        }
        return List.of(new PlaneRecords("a", true, resources), new PlaneRecords("b", false, List.of(
            new ManagedInfo("b", false, Health.DOWN, 1, 2, 3, 4, 5, "address", "refuses", ""))));
    }

    private static DeviceInfo spare(final String name, final int users, final DeviceHealth health)
    {
        return new DeviceInfo(DeviceSpec.memory(name, 1 << 20, 4096).with("shared-spare", "true"), 1 << 20, 4096, users,
            List.of(), 0 == users ? DeviceState.AVAILABLE : DeviceState.IN_USE, health, "", "", -1);
    }

    private static String scrape(final MetricsEndpoint endpoint) throws IOException
    {
        return new String(URI.create("http://127.0.0.1:" + endpoint.port() + "/metrics").toURL().openStream()
            .readAllBytes(), StandardCharsets.UTF_8);
    }

    private static void assertSample(final String scraped, final String line)
    {
        assertTrue(scraped.lines().anyMatch(line::equals), () -> "no " + line + " in\n" + scraped);
    }

    @Test
    void shouldTellWhatDataPlanesTell() throws IOException
    {
        try (MetricsEndpoint endpoint = MetricsEndpoint.start(ANY, MetricsEndpointTest::records, PROBES, (line) ->
        {
        }))
        {
            final String scraped = scrape(endpoint);
            assertSample(scraped, "millrace_up{data_plane=\"a\"} 1.0");
            assertSample(scraped, "millrace_up{data_plane=\"b\"} 0.0");
            assertSample(scraped, "millrace_data_plane_state{data_plane=\"a\",state=\"draining\"} 1.0");
            assertSample(scraped,
                "millrace_reactor_seconds_total{data_plane=\"a\",mode=\"busy\",reactor=\"reactor-0\"} 1.5");
            assertSample(scraped, "millrace_device_errors_total{cause=\"ENOSPC\",data_plane=\"a\",device=\"vol0\"," +
                "operation=\"write\",status=\"CAPACITY_EXCEEDED\"} 33871.0");
            assertSample(scraped, "millrace_array_health{array=\"vol1\",data_plane=\"a\",health=\"degraded\"} 1.0");
            assertSample(scraped, "millrace_array_health{array=\"vol1\",data_plane=\"a\",health=\"online\"} 0.0");
            assertSample(scraped, "millrace_array_slots{array=\"vol1\",data_plane=\"a\"} 3.0");
            assertSample(scraped, "millrace_array_slots_not_in_sync{array=\"vol1\",data_plane=\"a\"} 2.0");
            assertSample(scraped, "millrace_array_spares{array=\"vol1\",data_plane=\"a\"} 1.0");
            assertSample(scraped, "millrace_shared_spare_free{data_plane=\"a\",device=\"s0\"} 1.0");
            assertSample(scraped, "millrace_shared_spare_free{data_plane=\"a\",device=\"s1\"} 0.0");
            assertSample(scraped, "millrace_shared_spare_free{data_plane=\"a\",device=\"s2\"} 0.0");
            assertSample(scraped, "millrace_array_operation_progress_ratio{array=\"vol1\",data_plane=\"a\"," +
                "operation=\"rebuild\"} 0.671");
            assertSample(scraped, "millrace_array_corrected_errors_total{array=\"vol1\",data_plane=\"a\"," +
                "device=\"d0\"} 3.0");
            assertSample(scraped, "millrace_array_hedged_reads_total{array=\"vol1\",data_plane=\"a\"} 33.0");
            assertSample(scraped,
                "millrace_array_stripe_writes_total{array=\"vol1\",data_plane=\"a\",kind=\"whole\"} 44.0");
            assertSample(scraped,
                "millrace_array_stripe_writes_total{array=\"vol1\",data_plane=\"a\",kind=\"reconstruct\"} 55.0");
            assertSample(scraped,
                "millrace_array_stripe_writes_total{array=\"vol1\",data_plane=\"a\",kind=\"read-modify-write\"} 66.0");
            assertSample(scraped, "millrace_array_gathered_writes_total{array=\"vol1\",data_plane=\"a\"} 77.0");
            assertSample(scraped, "millrace_array_hedged_reads_won_total{array=\"vol1\",data_plane=\"a\"} 22.0");
            assertSample(scraped, "millrace_array_lost_blocks{array=\"vol1\",data_plane=\"a\",device=\"d0\"} 5.0");
            assertSample(scraped,
                "millrace_array_wrong_blocks_total{array=\"vol1\",data_plane=\"a\",device=\"d0\"} 7.0");
            assertSample(scraped,
                "millrace_array_invalid_checksum_pages_total{array=\"vol1\",data_plane=\"a\",device=\"d0\"} 9.0");
            assertSample(scraped,
                "millrace_array_scrub_wrong_blocks{array=\"vol1\",data_plane=\"a\"} 8.0");
            assertSample(scraped, "millrace_array_checksums{array=\"vol1\",data_plane=\"a\"} 1.0");
            assertSample(scraped, "millrace_array_known_mismatches{array=\"vol1\",data_plane=\"a\"} 1.0");
            assertSample(scraped, "millrace_array_scrub_mismatches{array=\"vol1\",data_plane=\"a\"} 17.0");
            assertSample(scraped, "millrace_array_scrub_unreadable{array=\"vol1\",data_plane=\"a\"} 6.0");
            assertSample(scraped, "millrace_device_errors_total{cause=\"ENODATA\",data_plane=\"a\",device=\"vol0\"," +
                "operation=\"write\",status=\"MEDIA_ERROR\"} 2.0");
            assertSample(scraped, "millrace_namespace_reads_completed_total{data_plane=\"a\",nsid=\"7\",subsystem=\"" +
                NQN + "\"} 11.0");
            assertSample(scraped, "millrace_controllers{data_plane=\"a\",host=\"nqn.\\\"host\\\"\",subsystem=\"" + NQN +
                "\"} 2.0");
            assertSample(scraped, "millrace_spdk_bdev_operations_total{bdev=\"Malloc0\",data_plane=\"a\"," +
                "operation=\"read\"} 1.5E9");
            assertSample(scraped, "millrace_spdk_bdev_bytes_total{bdev=\"Malloc0\",data_plane=\"a\"," +
                "operation=\"write\"} 7.5E9");
            assertSample(scraped, "millrace_spdk_bdev_operation_seconds_total{bdev=\"Malloc0\",data_plane=\"a\"," +
                "operation=\"copy\"} 18.0");
            final String read = "{data_plane=\"a\",nsid=\"7\",subsystem=\"" + NQN + "\"";
            assertSample(scraped, "millrace_namespace_read_latency_seconds_bucket" + read + ",le=\"1.0E-6\"} 1");
            assertSample(scraped, "millrace_namespace_read_latency_seconds_bucket" + read + ",le=\"2.0E-6\"} 3");
            // The last bucket of a data plane holds what is longer too, so it is below no bound.
            assertSample(scraped, "millrace_namespace_read_latency_seconds_bucket" + read + ",le=\"67.108864\"} 3");
            assertSample(scraped, "millrace_namespace_read_latency_seconds_bucket" + read + ",le=\"+Inf\"} 4");
            assertSample(scraped, "millrace_namespace_read_latency_seconds_count" + read + "} 4");
            assertSample(scraped, "millrace_namespace_read_latency_seconds_sum" + read + "} 90.001003");
            assertSample(scraped, "millrace_manager_refused{data_plane=\"b\"} 1.0");
            assertSample(scraped, "millrace_connections_refused_pending_total{data_plane=\"a\"} " +
                (100.0 + DataPlaneCounters.Value.REFUSED_PENDING.ordinal()));
            assertSample(scraped, "millrace_reactor_request_waits_total{data_plane=\"a\",reactor=\"reactor-0\"} " +
                (200.0 + ReactorCounters.Value.REQUEST_WAITS.ordinal()));
            assertSample(scraped,
                "millrace_rdma_operations_total{data_plane=\"a\",device=\"mlx5_0\",operation=\"send\"} 300.0");
            assertSample(scraped,
                "millrace_rdma_errors_total{data_plane=\"a\",device=\"mlx5_0\",status=\"LOC_LEN_ERR\"} " +
                (300.0 + DeviceCounters.Value.FAILED_LENGTH.ordinal()));
            final String writes = "{data_plane=\"a\",device=\"mlx5_0\",operation=\"write\"";
            final String latency = "millrace_rdma_latency_seconds";
            assertSample(scraped, latency + "_bucket" + writes + ",le=\"2.0E-6\"} 0");
            assertSample(scraped, latency + "_bucket" + writes + ",le=\"4.0E-6\"} 5");
            assertSample(scraped, latency + "_bucket" + writes + ",le=\"67.108864\"} 5");
            assertSample(scraped, latency + "_bucket" + writes + ",le=\"+Inf\"} 7");
            assertSample(scraped, latency + "_count" + writes + "} 7");
            assertSample(scraped, latency + "_sum" + writes + "} " +
                (300 + DeviceCounters.Value.WRITE_NS.ordinal()) / 1e9);
            assertSample(scraped, "millrace_rdma_queue_pairs{data_plane=\"a\",device=\"mlx5_0\"} " +
                (300.0 + DeviceCounters.Value.QUEUE_PAIRS.ordinal()));
            final String holder = "{data_plane=\"a\",holder=\"nqn.host\",kind=\"host\",reactor=\"reactor-0\"} ";
            assertSample(scraped, "millrace_buffer_holder_bytes" + holder + "4096.0");
            assertSample(scraped, "millrace_buffer_holder_waiting_requests" + holder + "3.0");
            assertSample(scraped, "millrace_buffer_holder_longest_hold_seconds" + holder + "2.5");
            assertFalse(scraped.contains("192.0.2.1:5000"), "a time series of each connection");
        }
    }

    @Test
    void shouldDocumentWhatIsScrapedAndNothingElse() throws IOException
    {
        final Map<String, String> documented = new TreeMap<>();
        final Pattern row = Pattern.compile("\\| `(millrace_\\w+)` \\| (\\w+) \\| ([\\w, ]+) \\| (\\w*) ?\\| \\S.* " +
            "\\|");
        for (final String line : Files.readAllLines(
            Path.of(System.getProperty("millrace.root"), "docs", "metrics.md")))
        {
            final Matcher matcher = row.matcher(line);
            if (matcher.matches())
            {
                final String unit = matcher.group(1).contains("seconds") ? "seconds" :
                    matcher.group(1).contains("bytes") ? "bytes" : "";
                assertEquals(unit, matcher.group(4), line);
                assertEquals(null, documented.put(matcher.group(1), matcher.group(2) + " " +
                    Stream.of(matcher.group(3).split(", ")).sorted().collect(Collectors.joining(","))), line);
            }
        }
        try (MetricsEndpoint endpoint = MetricsEndpoint.start(ANY, MetricsEndpointTest::records, PROBES, (line) ->
        {
        }))
        {
            assertEquals(documented, scraped(scrape(endpoint)));
        }
    }

    @Test
    void shouldNameMetricsThatExistInDocumentedQueriesAndAlerts() throws IOException
    {
        final String page = Files.readString(Path.of(System.getProperty("millrace.root"), "docs", "metrics.md"));
        final String examples = page.substring(page.indexOf("### Queries"));
        final List<String> used = Pattern.compile("\\bmillrace_\\w+").matcher(examples).results()
            .map((each) -> each.group().replaceFirst("_bucket$", "")).distinct()
            .filter((each) -> !"millrace_manager_".equals(each)).toList();
        assertTrue(used.size() > 10, used::toString);
        assertEquals(List.of(), used.stream().filter((each) -> !page.contains("\n| `" + each + "` |")).toList());
    }

    /** Name of each metric with its type and labels. */
    private static Map<String, String> scraped(final String text)
    {
        final Map<String, String> types = new TreeMap<>();
        final Map<String, String> labels = new TreeMap<>();
        for (final String line : text.split("\n"))
        {
            if (line.startsWith("# TYPE "))
            {
                types.put(line.split(" ")[2], line.split(" ")[3]);
            }
            else if (!line.startsWith("#"))
            {
                final String name = line.substring(0, line.indexOf('{')).replaceFirst("_(bucket|count|sum)$", "");
                labels.put(name, Pattern.compile("(\\w+)=\"(\\\\.|[^\"\\\\])*\"").matcher(line).results()
                    .map((each) -> each.group(1)).filter((each) -> !"le".equals(each)).sorted()
                    .collect(Collectors.joining(",")));
            }
        }
        types.replaceAll((name, type) -> type + " " + labels.get(name));
        return types;
    }

    private static String probe(final MetricsEndpoint endpoint, final String path) throws IOException
    {
        final HttpURLConnection connection =
            (HttpURLConnection)URI.create("http://127.0.0.1:" + endpoint.port() + path).toURL().openConnection();
        final int status = connection.getResponseCode();
        try (InputStream body = status < 400 ? connection.getInputStream() : connection.getErrorStream())
        {
            return status + " " + new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void shouldAnswerProbes() throws IOException
    {
        try (MetricsEndpoint endpoint = MetricsEndpoint.start(ANY, List::of, PROBES, (line) ->
        {
        }))
        {
            assertEquals("200 healthy\n", probe(endpoint, "/health"));
            assertEquals("503 no listeners\n", probe(endpoint, "/ready"));
            assertEquals("404 404 Not Found: there are /metrics, /health and /ready\n", probe(endpoint, "/live"));
        }
    }

    @Test
    void shouldSayInASentenceThatThePortIsTaken() throws IOException
    {
        try (MetricsEndpoint endpoint = MetricsEndpoint.start(ANY, List::of, PROBES, (line) ->
        {
        }))
        {
            final IOException e = assertThrows(IOException.class, () -> MetricsEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()), List::of, PROBES, (line) ->
                {
                }));
            assertEquals("metrics cannot be served at 127.0.0.1:" + endpoint.port() +
                ": Address already in use: stop what listens there, or choose another port", e.getMessage());
        }
    }
}

package io.millrace.cli.control.top;

import io.millrace.control.codec.IoKind;
import io.millrace.control.message.ArrayInfo;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.LatencyBucket;
import io.millrace.control.message.LatencyInfo;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.ReactorInfo;
import io.millrace.control.setting.SettingType;
import io.millrace.control.setting.Units;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Load of a data plane between two samples. Rates are per second of the data plane's clock. Immutable.
 *
 * @param sample     the later one.
 * @param seconds    between the two.
 * @param reactors   in their order.
 * @param namespaces in their order.
 * @param hosts      that are connected or did something, by name.
 */
record TopReport(
    TopSample sample,
    double seconds,
    List<ReactorLoad> reactors,
    List<IoLoad> namespaces,
    List<IoLoad> hosts)
{
    private static final double NS_PER_S = 1e9;
    private static final double MEDIAN = 50;
    private static final double HIGH = 99;

    /**
     * What a reactor did.
     *
     * @param info      at the end.
     * @param busyShare of its time, 0 to 1.
     */
    record ReactorLoad(ReactorInfo info, double busyShare)
    {
    }

    /**
     * Load of a namespace or a host.
     *
     * @param name    NQN of the subsystem, or of the host.
     * @param nsid    of the namespace; 0 for a host.
     * @param detail  device of a namespace; subsystem, queues of a host.
     * @param reads   of them.
     * @param writes  of them.
     * @param errors  a second.
     */
    record IoLoad(String name, int nsid, String detail, Rate reads, Rate writes, double errors)
    {
        double iops()
        {
            return reads.iops() + writes.iops();
        }

        double bytes()
        {
            return reads.bytes() + writes.bytes();
        }

        long highNs()
        {
            return Math.max(reads.highNs(), writes.highNs());
        }
    }

    /**
     * One kind of command.
     *
     * @param iops     a second.
     * @param bytes    a second.
     * @param medianNs latency; 0: none was measured.
     * @param highNs   99th percentile of the latency; 0: none was measured.
     */
    record Rate(double iops, double bytes, long medianNs, long highNs)
    {
    }

    private record Key(String name, int nsid, IoKind kind)
    {
        static Key of(final LatencyInfo info)
        {
            return new Key(info.name(), info.nsid(), info.ioKind());
        }
    }

    /**
     * Compares two samples.
     *
     * @param before an earlier one; null: since the start.
     * @param after  a later one.
     * @return the load in between.
     */
    static TopReport of(final TopSample before, final TopSample after)
    {
        final double seconds = (after.plane().upNs() - (null == before ? 0 : before.plane().upNs())) / NS_PER_S;
        final Map<Key, LatencyInfo> latencies = new LinkedHashMap<>();
        final Map<Key, LatencyInfo> earlier = new HashMap<>();
        if (null != before)
        {
            before.latencies().forEach((each) -> earlier.put(Key.of(each), each));
        }
        after.latencies().forEach((each) -> latencies.put(Key.of(each), since(earlier.get(Key.of(each)), each)));
        return new TopReport(after, seconds, reactors(before, after), namespaces(before, after, latencies, seconds),
            hosts(after, latencies, seconds));
    }

    private static List<ReactorLoad> reactors(final TopSample before, final TopSample after)
    {
        final Map<Integer, ReactorInfo> earlier = new HashMap<>();
        if (null != before)
        {
            before.reactors().forEach((each) -> earlier.put(each.index(), each));
        }
        final List<ReactorLoad> loads = new ArrayList<>();
        for (final ReactorInfo each : after.reactors())
        {
            final ReactorInfo was = earlier.get(each.index());
            final double busyNs = each.busyNs() - (null == was ? 0 : was.busyNs());
            final double totalNs = busyNs + each.idleNs() - (null == was ? 0 : was.idleNs());
            loads.add(new ReactorLoad(each, totalNs <= 0 ? 0 : Math.clamp(busyNs / totalNs, 0, 1)));
        }
        return loads;
    }

    private static List<IoLoad> namespaces(
        final TopSample before, final TopSample after, final Map<Key, LatencyInfo> latencies, final double seconds)
    {
        final Map<Key, NamespaceInfo> earlier = new HashMap<>();
        if (null != before)
        {
            before.namespaces().forEach((each) -> earlier.put(new Key(each.nqn(), each.nsid(), null), each));
        }
        final List<IoLoad> loads = new ArrayList<>(after.namespaces().size());
        for (final NamespaceInfo each : after.namespaces())
        {
            final NamespaceInfo found = earlier.get(new Key(each.nqn(), each.nsid(), null));
            // A namespace that was added again counts from zero.
            final NamespaceInfo was = null != found && each.uuid().equals(found.uuid()) &&
                each.reads() >= found.reads() && each.writes() >= found.writes() ? found : null;
            loads.add(new IoLoad(each.nqn(), each.nsid(), each.device(),
                rate(each.reads() - (null == was ? 0 : was.reads()),
                    each.readBytes() - (null == was ? 0 : was.readBytes()),
                    latencies.get(new Key(each.nqn(), each.nsid(), IoKind.READ)), seconds),
                rate(each.writes() - (null == was ? 0 : was.writes()),
                    each.writtenBytes() - (null == was ? 0 : was.writtenBytes()),
                    latencies.get(new Key(each.nqn(), each.nsid(), IoKind.WRITE)), seconds),
                Math.max(0, each.errors() - (null == was ? 0 : was.errors())) / seconds));
        }
        return loads;
    }

    private static List<IoLoad> hosts(
        final TopSample after, final Map<Key, LatencyInfo> latencies, final double seconds)
    {
        final Map<String, List<ControllerInfo>> connected = new TreeMap<>();
        after.controllers().forEach((each) ->
            connected.computeIfAbsent(each.hostNqn(), (name) -> new ArrayList<>()).add(each));
        latencies.values().stream().filter((each) -> each.isHost() && each.count() > 0)
            .forEach((each) -> connected.computeIfAbsent(each.name(), (name) -> List.of()));
        final List<IoLoad> loads = new ArrayList<>();
        connected.forEach((name, controllers) ->
        {
            final LatencyInfo reads = latencies.get(new Key(name, 0, IoKind.READ));
            final LatencyInfo writes = latencies.get(new Key(name, 0, IoKind.WRITE));
            loads.add(new IoLoad(name, 0, detail(controllers), rate(reads, seconds), rate(writes, seconds),
                ((null == reads ? 0 : reads.errors()) + (null == writes ? 0 : writes.errors())) / seconds));
        });
        return loads;
    }

    private static String detail(final List<ControllerInfo> controllers)
    {
        final int queues = controllers.stream().mapToInt(ControllerInfo::ioQueues).sum();
        return controllers.isEmpty() ? "gone" : Units.count(queues, "queue");
    }

    private static Rate rate(final LatencyInfo info, final double seconds)
    {
        return null == info ? new Rate(0, 0, 0, 0) : rate(info.count(), info.lengthBytes(), info, seconds);
    }

    private static Rate rate(final long count, final long bytes, final LatencyInfo latencies, final double seconds)
    {
        final boolean isMeasured = null != latencies && latencies.count() > 0;
        return new Rate(count / seconds, bytes / seconds, isMeasured ? latencies.percentileNs(MEDIAN) : 0,
            isMeasured ? latencies.percentileNs(HIGH) : 0);
    }

    /** Difference of two readings; a counter that decreased was reset. */
    private static LatencyInfo since(final LatencyInfo was, final LatencyInfo now)
    {
        if (null == was || now.count() < was.count())
        {
            return now;
        }
        final Map<Long, Long> counts = new HashMap<>();
        was.buckets().forEach((each) -> counts.put(each.fromNs(), each.count()));
        final List<LatencyBucket> buckets = new ArrayList<>();
        for (final LatencyBucket each : now.buckets())
        {
            final long count = each.count() - Objects.requireNonNullElse(counts.get(each.fromNs()), 0L);
            if (count > 0)
            {
                buckets.add(new LatencyBucket(each.fromNs(), each.belowNs(), count));
            }
        }
        return new LatencyInfo(now.name(), now.nsid(), now.ioKind(), now.count() - was.count(),
            now.lengthBytes() - was.lengthBytes(), Math.max(0, now.errors() - was.errors()),
            now.sumNs() - was.sumNs(), now.longestNs(), buckets);
    }

    /** For programs, with the name of the data plane. */
    Map<String, Object> map(final String dataPlane)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("data-plane", dataPlane);
        map.put("state", SettingType.word(sample.plane().state()));
        map.put("up-ns", sample.plane().upNs());
        map.put("seconds", rounded(seconds));
        map.put("connections", connections());
        map.put("reactors", reactors.stream().map((each) ->
        {
            final Map<String, Object> reactor = new LinkedHashMap<>();
            reactor.put("name", each.info().name());
            reactor.put("busy-share", rounded(each.busyShare()));
            reactor.put("connections", each.info().connections());
            reactor.put("requests", each.info().requests());
            reactor.put("pool-bytes", each.info().poolBytes());
            reactor.put("pool-used-bytes", each.info().poolUsedBytes());
            reactor.put("pool-peak-bytes", each.info().poolPeakBytes());
            reactor.put("pool-quarantined-bytes", each.info().poolQuarantinedBytes());
            reactor.put("pool-waiting", each.info().poolWaiting());
            reactor.put("pool-waits", each.info().poolWaits());
            return reactor;
        }).toList());
        map.put("arrays", sample.arrays().stream().map(TopReport::map).toList());
        map.put("buffer-holders", BufferHolders.of(sample.counters()).stream().map(BufferHolders::map).toList());
        map.put("namespaces", namespaces.stream().map((each) -> map(each, "subsystem", "device")).toList());
        map.put("hosts", hosts.stream().map((each) -> map(each, "host", "connection")).toList());
        return map;
    }

    private static Map<String, Object> map(final ArrayInfo array)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", array.name());
        map.put("health", SettingType.word(array.health()));
        map.put("slots", array.slotCount());
        map.put("in-sync", array.inSyncCount());
        map.put("operation", array.operation().isEmpty() ? null : array.operation());
        map.put("progress-per-mille", array.operation().isEmpty() ? null : array.progressPerMille());
        return map;
    }

    private Map<String, Object> connections()
    {
        final Map<String, Object> connections = new LinkedHashMap<>();
        connections.put("accepted", sample.counter("ACCEPTED"));
        connections.put("pending", sample.counter("PENDING_CONNECTIONS"));
        connections.put("refused", sample.counter("REFUSED"));
        connections.put("refused-pending", sample.counter("REFUSED_PENDING"));
        connections.put("refused-connects", sample.counter("REFUSED_CONNECTS"));
        return connections;
    }

    private static Map<String, Object> map(final IoLoad load, final String name, final String detail)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put(name, load.name());
        if (0 != load.nsid())
        {
            map.put("nsid", load.nsid());
        }
        map.put(detail, load.detail());
        map.put("read", map(load.reads()));
        map.put("write", map(load.writes()));
        map.put("errors-per-second", rounded(load.errors()));
        return map;
    }

    private static Map<String, Object> map(final Rate rate)
    {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("iops", rounded(rate.iops()));
        map.put("bytes-per-second", rounded(rate.bytes()));
        map.put("p50-ns", 0 == rate.medianNs() ? null : rate.medianNs());
        map.put("p99-ns", 0 == rate.highNs() ? null : rate.highNs());
        return map;
    }

    private static double rounded(final double value)
    {
        return Math.rint(value * 1000) / 1000;
    }
}

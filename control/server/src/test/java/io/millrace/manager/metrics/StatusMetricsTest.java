package io.millrace.manager.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.rdma.endpoint.DeviceCounters;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.ReactorCounters;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Whatever the status file counts can be watched: it is a metric, or stands here with the reason why not.
 */
class StatusMetricsTest
{
    private static final String IN_DATA_PLANE_RECORD = "a metric of the data plane's own record";
    private static final String IN_REACTOR_RECORD = "a metric of the reactor's own record";

    private static final Map<DataPlaneCounters.Value, String> ELSEWHERE = Map.of(
        DataPlaneCounters.Value.STATE, IN_DATA_PLANE_RECORD,
        DataPlaneCounters.Value.MEMORY_BYTES, IN_DATA_PLANE_RECORD,
        DataPlaneCounters.Value.DMA_BYTES, IN_DATA_PLANE_RECORD,
        DataPlaneCounters.Value.DMA_HUGEPAGE_BYTES, IN_DATA_PLANE_RECORD);
    private static final Set<ReactorCounters.Value> IN_REACTOR = EnumSet.of(
        ReactorCounters.Value.BUSY_NS, ReactorCounters.Value.IDLE_NS, ReactorCounters.Value.CYCLES,
        ReactorCounters.Value.LONGEST_CYCLE_NS, ReactorCounters.Value.CONNECTIONS, ReactorCounters.Value.REQUESTS,
        ReactorCounters.Value.POOL_BYTES, ReactorCounters.Value.POOL_USED_BYTES, ReactorCounters.Value.POOL_WAITING,
        ReactorCounters.Value.POOL_WAITS, ReactorCounters.Value.POOL_PEAK_BYTES,
        ReactorCounters.Value.POOL_QUARANTINED_BYTES);

    @Test
    void shouldMakeEachCounterAMetricOrSayWhyNot()
    {
        for (final DataPlaneCounters.Value value : DataPlaneCounters.Value.values())
        {
            assertTrue(StatusMetrics.DATA_PLANE.containsKey(value) ^ ELSEWHERE.containsKey(value), value +
                ": add a metric in Metric, StatusMetrics and docs/metrics.md, or the reason here");
        }
        for (final ReactorCounters.Value value : ReactorCounters.Value.values())
        {
            assertTrue(StatusMetrics.REACTOR.containsKey(value) ^ IN_REACTOR.contains(value), value +
                ": add a metric in Metric, StatusMetrics and docs/metrics.md, or say here that it is " +
                IN_REACTOR_RECORD);
        }
    }

    @Test
    void shouldMakeEachCounterOfAnRdmaDeviceItsOwnTimeSeries()
    {
        assertEquals(EnumSet.allOf(DeviceCounters.Value.class), StatusMetrics.RDMA.keySet());
        assertEquals(DeviceCounters.Value.values().length, Set.copyOf(StatusMetrics.RDMA.values()).size());
        assertEquals(new StatusMetrics.RdmaMetric(Metric.RDMA_ERRORS, "RETRY_EXC_ERR"),
            StatusMetrics.RDMA.get(DeviceCounters.Value.FAILED_RETRIES));
    }

    @Test
    void shouldGiveNoMetricTwice()
    {
        final Set<Metric> metrics = Stream.concat(StatusMetrics.DATA_PLANE.values().stream(),
            StatusMetrics.REACTOR.values().stream()).collect(Collectors.toCollection(HashSet::new));
        assertEquals(StatusMetrics.DATA_PLANE.size() + StatusMetrics.REACTOR.size(), metrics.size());
    }
}

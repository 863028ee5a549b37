package io.millrace.status;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.rdma.endpoint.DeviceCounters;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class RdmaLatenciesTest
{
    private final List<Long> buckets = new ArrayList<>(Collections.nCopies(DeviceCounters.BUCKETS, 0L));

    @Test
    void shouldSpreadTheLatenciesOfABucketOverIt()
    {
        buckets.set(0, 10L);
        buckets.set(3, 80L);
        buckets.set(5, 10L);
        final RdmaLatencies latencies = new RdmaLatencies(buckets, 600_000);
        assertEquals(100, latencies.count());
        assertEquals(6_000, latencies.meanNs());
        assertEquals(100, latencies.percentileNs(0), "the first");
        assertEquals(1_000, latencies.percentileNs(10));
        assertEquals(4_050, latencies.percentileNs(11));
        assertEquals(6_000, latencies.percentileNs(50));
        assertEquals(8_000, latencies.percentileNs(90));
        assertEquals(30_400, latencies.percentileNs(99));
        assertEquals(32_000, latencies.percentileNs(100));
    }

    @Test
    void shouldKnowNoEndOfTheLastBucket()
    {
        buckets.set(DeviceCounters.BUCKETS - 1, 2L);
        assertEquals(67_108_864_000L, new RdmaLatencies(buckets, 1).percentileNs(99));
    }

    @Test
    void shouldHaveNothingOfNoLatencies()
    {
        final RdmaLatencies none = new RdmaLatencies(buckets, 0);
        assertEquals(List.of(0L, 0L, 0L), List.of(none.count(), none.meanNs(), none.percentileNs(50)));
    }
}

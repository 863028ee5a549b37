package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.IoKind;
import io.millrace.control.message.LatencyBucket;
import io.millrace.control.message.LatencyInfo;
import io.millrace.status.IoCounters;
import io.millrace.status.IoOperation;
import io.millrace.status.LatencyBuckets;
import io.millrace.status.LatencyHistogram;
import io.millrace.status.StatusFile;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LatenciesTest
{
    private final StatusFile status = StatusFile.inMemory(1);

    @AfterEach
    void close()
    {
        status.close();
    }

    private List<LatencyInfo> list(final String only)
    {
        return Latencies.of(status.snapshot(), only).stream().map(Latencies::info).toList();
    }

    private static void count(final IoCounters io, final IoOperation operation, final long latencyNs)
    {
        io.onSuccess(operation, 512, latencyNs, LatencyBuckets.index(latencyNs));
    }

    @Test
    void shouldListWhatHasCounted()
    {
        final IoCounters namespace = status.part(0).namespace("nqn.a", 3);
        count(namespace, IoOperation.READ, 5_000);
        count(namespace, IoOperation.READ, 9_000_000);
        namespace.onError(IoOperation.WRITE);
        count(status.part(0).host("nqn.host"), IoOperation.OTHER, 1);
        assertEquals(List.of(
            new LatencyInfo("nqn.a", 3, IoKind.READ, 2, 1024, 0, 9_005_000, 9_000_000, List.of(
                new LatencyBucket(5_000, 5_500, 1), new LatencyBucket(8_192_000, 9_216_000, 1))),
            new LatencyInfo("nqn.a", 3, IoKind.WRITE, 0, 0, 1, 0, 0, List.of()),
            new LatencyInfo("nqn.host", 0, IoKind.OTHER, 1, 0 + 512, 0, 1, 1, List.of(new LatencyBucket(0, 125, 1)))),
            list(null));
        assertEquals(2, list("nqn.a").size());
        assertTrue(list("nqn.host").getFirst().isHost());
        assertEquals(List.of(), list("nqn.b"));
        assertEquals(5_250, list("nqn.a").getFirst().percentileNs(50));
        assertEquals(8_704_000, list("nqn.a").getFirst().percentileNs(99));
    }

    @Test
    void shouldFitEveryHistogramIntoARecordWithoutCrossingPowersOfTwo()
    {
        final IoCounters namespace = status.part(0).namespace("nqn.a", 1);
        for (int i = 0; i < LatencyBuckets.COUNT; i++)
        {
            count(namespace, IoOperation.READ, LatencyBuckets.lowerBoundNs(i));
        }
        final LatencyInfo info = list(null).getFirst();
        assertEquals(LatencyBuckets.COUNT / 2, info.buckets().size());
        assertEquals(LatencyBuckets.COUNT, info.buckets().stream().mapToLong(LatencyBucket::count).sum());
        for (int power = 0; power <= 26; power++)
        {
            final long boundNs = 1_000L << power;
            assertTrue(info.buckets().stream().noneMatch((each) ->
                each.fromNs() < boundNs && boundNs < each.belowNs()), () -> boundNs + " is no bound");
        }
        final LatencyHistogram whole =
            status.snapshot().namespaces().getFirst().operation(IoOperation.READ).latencies();
        assertEquals(whole.percentileNs(50), info.percentileNs(50), whole.percentileNs(50) / 8.0);
    }
}

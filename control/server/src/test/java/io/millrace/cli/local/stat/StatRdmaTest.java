package io.millrace.cli.local.stat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.rdma.endpoint.CountedLatencies;
import io.millrace.status.StatusFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code millrace stat --json} has of RDMA devices. */
class StatRdmaTest
{
    @Test
    void shouldShowLatenciesOfEachOperation()
    {
        try (StatusFile file = StatusFile.inMemory(2))
        {
            CountedLatencies.writes(file.part(0).rdmaDevice("mlx5_0"), 3_000, 3_500, 1_500);
            CountedLatencies.writes(file.part(1).rdmaDevice("mlx5_0"), 100_000_000_000L);
            final Map<String, Object> json = StatJson.of(
                StatView.sinceStart(Path.of("s"), StatView.State.RUNNING, 0, file.snapshot()));
            final Map<?, ?> device = (Map<?, ?>)((List<?>)json.get("rdma-devices")).getFirst();
            final Map<?, ?> latencies = (Map<?, ?>)device.get("latency-ns");
            assertEquals(List.of("send", "read", "write", "atomic"), List.copyOf(latencies.keySet()));
            assertEquals("{count=4, mean=25000002000, p50=3000, p99=67108864000, buckets=[" +
                "{above=1000, to=2000, count=1}, {above=2000, to=4000, count=2}, " +
                "{above=67108864000, to=null, count=1}]}", latencies.get("write").toString());
            assertEquals("{count=0, mean=0, p50=0, p99=0, buckets=[]}", latencies.get("read").toString());
            assertEquals(100_000_008_000L, device.get("write-ns"));
            assertEquals(List.of("write-ns", "atomic-ns", "errors", "latency-ns"),
                Arrays.asList(device.keySet().toArray()).reversed().subList(0, 4).reversed());
        }
    }
}

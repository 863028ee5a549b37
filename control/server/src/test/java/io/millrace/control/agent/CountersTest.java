package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.control.message.CounterInfo;
import io.millrace.rdma.endpoint.CountedLatencies;
import io.millrace.status.StatusFile;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountersTest
{
    /** A record for each empty one would be a hundred a device and scrape. */
    @Test
    void shouldListTheBucketsOfLatenciesThatAreNotEmpty()
    {
        try (StatusFile file = StatusFile.inMemory(1))
        {
            CountedLatencies.writes(file.part(0).rdmaDevice("mlx5_0"), 1_001, 2_000, 100_000_000_000L);
            assertEquals(List.of(
                new CounterInfo(CounterInfo.RDMA_DEVICE, "", "mlx5_0", "WRITE_NS_TO_2000", 2),
                new CounterInfo(CounterInfo.RDMA_DEVICE, "", "mlx5_0", "WRITE_NS_ABOVE_67108864000", 1)),
                Counters.of(file.snapshot()).stream().map(CounterInfo.class::cast)
                    .filter((each) -> each.counter().contains("_NS_")).toList());
        }
    }
}

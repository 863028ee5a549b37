package io.millrace.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.Resource;
import io.millrace.manager.metrics.BdevCounter;
import io.millrace.rpc.RpcServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BdevCountersTest
{
    /** As SPDK 26.05 answers; a bdev without requests has no shortest latency. */
    private static final String ANSWER = """
        {"jsonrpc": "2.0", "id": 1, "result": {"tick_rate": 2000000000, "ticks": 18446744073709551, "bdevs": [
        {"name": "Aio0", "bytes_read": 8192, "num_read_ops": 2, "bytes_written": 4096, "num_write_ops": 1,
        "bytes_unmapped": 512, "num_unmap_ops": 3, "bytes_copied": 1024, "num_copy_ops": 4,
        "read_latency_ticks": 6000000000, "max_read_latency_ticks": 5, "min_read_latency_ticks": 1,
        "write_latency_ticks": 1000, "unmap_latency_ticks": 2000, "copy_latency_ticks": 4000,
        "min_write_latency_ticks": 18446744073709551615, "io_error": {}},
        {"name": "lvs0/vol0", "bytes_read": 1}]}}""";

    @TempDir
    private Path directory;
    private final List<String> errors = new ArrayList<>();

    private BdevCounters counters(final Path socket)
    {
        return new BdevCounters(() -> socket, errors::add);
    }

    private static Resource counter(final String bdev, final BdevCounter counter, final long value)
    {
        return new CounterInfo(CounterInfo.SPDK_BDEV, "", bdev, counter.name(), value);
    }

    @Test
    void shouldTellWhatSpdkCounts() throws IOException
    {
        final Path socket = directory.resolve("s");
        try (RpcServer server = new RpcServer(socket, 1 << 20, ANSWER))
        {
            assertEquals(List.of(
                counter("Aio0", BdevCounter.READS, 2),
                counter("Aio0", BdevCounter.READ_BYTES, 8192),
                counter("Aio0", BdevCounter.READ_NS, 3_000_000_000L),
                counter("Aio0", BdevCounter.WRITES, 1),
                counter("Aio0", BdevCounter.WRITTEN_BYTES, 4096),
                counter("Aio0", BdevCounter.WRITE_NS, 500),
                counter("Aio0", BdevCounter.UNMAPS, 3),
                counter("Aio0", BdevCounter.UNMAPPED_BYTES, 512),
                counter("Aio0", BdevCounter.UNMAP_NS, 1000),
                counter("Aio0", BdevCounter.COPIES, 4),
                counter("Aio0", BdevCounter.COPIED_BYTES, 1024),
                counter("Aio0", BdevCounter.COPY_NS, 2000),
                counter("lvs0/vol0", BdevCounter.READ_BYTES, 1)), counters(socket).get());
            assertTrue(server.requests().getFirst().contains("\"bdev_get_iostat\""), server.requests()::toString);
            assertEquals(List.of(), errors);
        }
    }

    @Test
    void shouldSayOnceThatSpdkDoesNotAnswer() throws IOException
    {
        final Path socket = directory.resolve("s");
        final BdevCounters counters = counters(socket);
        assertEquals(List.of(), counters.get());
        assertEquals(List.of(), counters.get());
        assertEquals(1, errors.size());
        assertTrue(errors.getFirst().startsWith(
            "metrics are without those of SPDK's bdevs: SPDK cannot be reached at " + socket), errors::toString);
        try (RpcServer _ = new RpcServer(socket, 1 << 20, ANSWER, "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": []}"))
        {
            assertEquals(13, counters.get().size());
            assertEquals(List.of(), counters.get());
        }
        assertEquals("metrics are without those of SPDK's bdevs: the answer to bdev_get_iostat has no tick_rate or " +
            "bdevs: is the socket SPDK's?", errors.getLast());
        assertEquals(2, errors.size());
    }

    @Test
    void shouldTellNothingWithoutSpdk()
    {
        assertEquals(List.of(), counters(null).get());
        assertEquals(List.of(), errors);
    }
}

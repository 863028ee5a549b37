package io.millrace.serve;

import io.millrace.control.message.CounterInfo;
import io.millrace.control.message.Resource;
import io.millrace.manager.metrics.BdevCounter;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.SpdkRpc;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What SPDK counts for each of its bdevs, asked of its JSON-RPC ({@code bdev_get_iostat}) whenever metrics are made.
 * One thread at a time, which may wait.
 */
final class BdevCounters implements Supplier<List<Resource>>
{
    /** SPDK's thread may be asleep for 100 ms; who scrapes waits for some seconds. */
    private static final long TIMEOUT_MS = 5_000;
    private static final double NS_PER_S = 1e9;
    private static final String TICKS = "_ticks";
    private static final Map<BdevCounter, String> KEYS = new EnumMap<>(Map.ofEntries(
        Map.entry(BdevCounter.READS, "num_read_ops"),
        Map.entry(BdevCounter.READ_BYTES, "bytes_read"),
        Map.entry(BdevCounter.READ_NS, "read_latency_ticks"),
        Map.entry(BdevCounter.WRITES, "num_write_ops"),
        Map.entry(BdevCounter.WRITTEN_BYTES, "bytes_written"),
        Map.entry(BdevCounter.WRITE_NS, "write_latency_ticks"),
        Map.entry(BdevCounter.UNMAPS, "num_unmap_ops"),
        Map.entry(BdevCounter.UNMAPPED_BYTES, "bytes_unmapped"),
        Map.entry(BdevCounter.UNMAP_NS, "unmap_latency_ticks"),
        Map.entry(BdevCounter.COPIES, "num_copy_ops"),
        Map.entry(BdevCounter.COPIED_BYTES, "bytes_copied"),
        Map.entry(BdevCounter.COPY_NS, "copy_latency_ticks")));

    private final Supplier<Path> socket;
    private final Consumer<String> onError;
    private boolean isRefused;

    /**
     * @param socket  of SPDK's JSON-RPC; gives null while SPDK does not run, or has none.
     * @param onError gets a sentence when SPDK does not answer, once until it does again.
     */
    BdevCounters(final Supplier<Path> socket, final Consumer<String> onError)
    {
        this.socket = socket;
        this.onError = onError;
    }

    @Override
    public List<Resource> get()
    {
        final Path path = socket.get();
        if (null == path)
        {
            return List.of();
        }
        try
        {
            final List<Resource> counters = counters(new SpdkRpc(path, TIMEOUT_MS).call("bdev_get_iostat", null));
            isRefused = false;
            return counters;
        }
        catch (final RpcException e)
        {
            if (!isRefused)
            {
                isRefused = true;
                onError.accept("metrics are without those of SPDK's bdevs: " + e.getMessage());
            }
            return List.of();
        }
    }

    private static List<Resource> counters(final Object answer)
    {
        final List<Resource> counters = new ArrayList<>();
        if (answer instanceof final Map<?, ?> map && map.get("tick_rate") instanceof final Number ticksPerS &&
            map.get("bdevs") instanceof final List<?> bdevs)
        {
            for (final Object each : bdevs)
            {
                if (each instanceof final Map<?, ?> bdev && bdev.get("name") instanceof final String name)
                {
                    KEYS.forEach((counter, key) ->
                    {
                        if (bdev.get(key) instanceof final Number value)
                        {
                            counters.add(new CounterInfo(CounterInfo.SPDK_BDEV, "", name, counter.name(),
                                key.endsWith(TICKS) ? nanoseconds(value, ticksPerS) : value.longValue()));
                        }
                    });
                }
            }
            return counters;
        }
        throw new RpcException("the answer to bdev_get_iostat has no tick_rate or bdevs: is the socket SPDK's?");
    }

    private static long nanoseconds(final Number ticks, final Number ticksPerS)
    {
        return (long)(ticks.doubleValue() / ticksPerS.doubleValue() * NS_PER_S);
    }
}

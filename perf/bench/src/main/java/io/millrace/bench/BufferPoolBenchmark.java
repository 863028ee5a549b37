package io.millrace.bench;

import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of acquiring and releasing a buffer. {@code pair} is the worst case of a buddy scheme, an empty pool that splits
 * its largest block down and merges it up again each time; {@code steady} is a queue at depth 128, where the oldest
 * buffer goes back when a new one is taken.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE})
public class BufferPoolBenchmark
{
    private static final int DEPTH = 128;
    private static final int BUFFER_BYTES_MAX = 1 << 20;
    private static final long REGION_BYTES = 64L << 20;

    /** Length of a buffer in bytes. */
    @Param({"4096", "131072"})
    private int lengthBytes;

    private final long[] held = new long[DEPTH];
    private BufferPool empty;
    private BufferPool busy;
    private BufferShare emptyShare;
    private BufferShare busyShare;
    private int next;

    /**
     * Makes two pools: the pool touches none of its memory, so the address need not be mapped.
     */
    @Setup
    public void setUp()
    {
        empty = new BufferPool(REGION_BYTES, REGION_BYTES, BUFFER_BYTES_MAX);
        busy = new BufferPool(REGION_BYTES, REGION_BYTES, BUFFER_BYTES_MAX);
        emptyShare = empty.newShare(new BufferGroup());
        busyShare = busy.newShare(new BufferGroup());
        for (int i = 0; i < DEPTH; i++)
        {
            held[i] = busy.acquire(busyShare, lengthBytes);
        }
        next = 0;
    }

    /**
     * Takes from an empty pool and gives back.
     *
     * @return the address.
     */
    @Benchmark
    public long pair()
    {
        final long address = empty.acquire(emptyShare, lengthBytes);
        empty.release(emptyShare, address, lengthBytes);
        return address;
    }

    /**
     * Gives the oldest of 128 back and takes another.
     *
     * @return the address.
     */
    @Benchmark
    public long steady()
    {
        final int index = next++ & DEPTH - 1;
        busy.release(busyShare, held[index], lengthBytes);
        final long address = busy.acquire(busyShare, lengthBytes);
        held[index] = address;
        return address;
    }
}

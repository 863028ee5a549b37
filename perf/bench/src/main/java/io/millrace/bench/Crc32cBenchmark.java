package io.millrace.bench;

import io.millrace.memory.Crc32c;
import java.lang.foreign.Arena;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Header and data digests: a capsule header, a 4 KiB and a 128 KiB payload. {@code intrinsic} runs with {@code
 * java.util.zip} opened, as the launcher does; {@code tables} runs without, and shows what a JVM without that flag
 * pays. In the process itself ({@code -f 0}) both are the same.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Crc32cBenchmark
{
    /** Length of the range in bytes. */
    @Param({"72", "4096", "131072"})
    private int lengthBytes;

    private Arena arena;
    private long address;

    /**
     * Maps the range and makes sure that the named engine is the one that runs.
     *
     * @param params of the bench.
     */
    @Setup
    public void setUp(final BenchmarkParams params)
    {
        if (params.getForks() > 0 && Crc32c.isIntrinsic() != params.getBenchmark().endsWith("intrinsic"))
        {
            throw new IllegalStateException("the JVM flags do not select " + params.getBenchmark());
        }
        arena = Arena.ofShared();
        address = arena.allocate(lengthBytes, 4096).fill((byte)0x5A).address();
    }

    /**
     * Unmaps it.
     */
    @TearDown
    public void tearDown()
    {
        arena.close();
    }

    /**
     * By the JDK's intrinsic.
     *
     * @return the digest.
     */
    @Benchmark
    @Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.OPEN_ZIP, JvmFlags.NATIVE})
    public int intrinsic()
    {
        return Crc32c.digest(address, lengthBytes);
    }

    /**
     * By tables in Java.
     *
     * @return the digest.
     */
    @Benchmark
    @Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE})
    public int tables()
    {
        return Crc32c.digest(address, lengthBytes);
    }
}

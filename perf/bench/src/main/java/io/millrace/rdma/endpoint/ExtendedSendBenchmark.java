package io.millrace.rdma.endpoint;

import io.millrace.bindings.Native;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.ScatterGatherEntry;
import io.millrace.bindings.verbs.SendRequest;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.verbs.VerbsQueues;
import io.millrace.bindings.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The two ways to post SEND requests, with a provider in C that only completes the last: a list of requests in memory
 * and one call ({@code ibv_post_send}), or calls that begin, add to and end a batch ({@code ibv_wr_start} and so on).
 * Needs a C compiler.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = {
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
    "-XX:+UseSerialGC"})
public class ExtendedSendBenchmark
{
    private static final int REQUESTS = 32;
    private static final long PAYLOAD = 0x10_0000;
    private static final int PAYLOAD_BYTES = 64;
    private static final int KEY = 7;
    private static final MethodHandle CALL_1 = Native.linkPointerCritical(1);
    private static final MethodHandle CALL_4 = Native.linkPointerCritical(4);

    /** Requests that are posted together. */
    @Param({"1", "2", "32"})
    private int batch;

    private final Arena arena = Arena.ofConfined();
    private final long requests = arena.allocate((long)REQUESTS * SendRequest.SIZE_BYTES, Long.BYTES).address();
    private final long segments = arena.allocate((long)REQUESTS * ScatterGatherEntry.SIZE_BYTES, Long.BYTES).address();
    private final long bad = arena.allocate(Long.BYTES, Long.BYTES).address();
    private final long completion = arena.allocate(WorkCompletion.SIZE_BYTES, Long.BYTES).address();
    private StubProvider provider;
    private long pair;
    private long idAddress;
    private long flagsAddress;
    private MemorySegment start;
    private MemorySegment send;
    private MemorySegment setSegment;
    private MemorySegment complete;

    /**
     * Opens a queue pair.
     *
     * @throws Throwable when the provider cannot be compiled.
     */
    @Setup
    public void setUp() throws Throwable
    {
        provider = new StubProvider();
        pair = provider.queuePair;
        final long[] offsets = provider.extendedOffsets;
        idAddress = pair + offsets[0];
        flagsAddress = pair + offsets[1];
        start = function(offsets[2]);
        send = function(offsets[3]);
        setSegment = function(offsets[4]);
        complete = function(offsets[5]);
    }

    /**
     * Closes it.
     */
    @TearDown
    public void tearDown()
    {
        provider.close();
        arena.close();
    }

    /**
     * Requests in memory, and one call.
     *
     * @return completions.
     */
    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    public int list()
    {
        int polled = 0;
        for (int i = 0; i < REQUESTS; i += batch)
        {
            for (int k = 0; k < batch; k++)
            {
                final long request = requests + (long)k * SendRequest.SIZE_BYTES;
                final long segment = segments + (long)k * ScatterGatherEntry.SIZE_BYTES;
                ScatterGatherEntry.memory(segment, PAYLOAD);
                ScatterGatherEntry.length(segment, PAYLOAD_BYTES);
                ScatterGatherEntry.localKey(segment, KEY);
                SendRequest.id(request, k);
                SendRequest.segments(request, segment);
                SendRequest.segmentCount(request, 1);
                SendRequest.opcode(request, Verbs.IBV_WR_SEND);
                SendRequest.flags(request, flags(k));
                SendRequest.next(request, batch - 1 == k ? 0L : request + SendRequest.SIZE_BYTES);
            }
            check(VerbsQueues.postSend(pair, requests, bad));
            polled += VerbsQueues.poll(provider.completionQueue, 1, completion);
        }
        return polled;
    }

    /**
     * Two calls for each request, and two around them.
     *
     * @return completions.
     * @throws Throwable never.
     */
    @Benchmark
    @OperationsPerInvocation(REQUESTS)
    public int extended() throws Throwable
    {
        int polled = 0;
        for (int i = 0; i < REQUESTS; i += batch)
        {
            long ignored = (long)CALL_1.invokeExact(start, pair);
            for (int k = 0; k < batch; k++)
            {
                NativeMemory.putLong(idAddress, k);
                NativeMemory.putInt(flagsAddress, flags(k));
                ignored = (long)CALL_1.invokeExact(send, pair);
                ignored = (long)CALL_4.invokeExact(setSegment, pair, (long)KEY, PAYLOAD, (long)PAYLOAD_BYTES);
            }
            check((int)(long)CALL_1.invokeExact(complete, pair));
            polled += VerbsQueues.poll(provider.completionQueue, 1, completion);
        }
        return polled;
    }

    private int flags(final int index)
    {
        return batch - 1 == index ? Verbs.IBV_SEND_SIGNALED : 0;
    }

    private static void check(final int status)
    {
        if (0 != status)
        {
            throw new IllegalStateException("post: " + status);
        }
    }

    @SuppressWarnings("restricted")
    private MemorySegment function(final long offset)
    {
        return MemorySegment.ofAddress(NativeMemory.getLong(pair + offset));
    }
}

package io.millrace.rdma.endpoint;

import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.reactor.DrivenReactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorErrorHandler;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of a send request on an RDMA queue pair, from its memory to its reported completion, with a provider in C that
 * only completes: the request is written, posted by the provider's function pointer, polled and reported. Needs a C
 * compiler.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = {
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
    "-XX:+UseSerialGC"})
public class QueuePairBenchmark
{
    private static final int LIST = 32;
    private static final int DEPTH = 128;
    private static final int RECEIVE_DEPTH = 16;
    private static final int SEGMENTS = 2;
    private static final long PAYLOAD = 0x10_0000;
    private static final int PAYLOAD_BYTES = 64;
    private static final int KEY = 7;

    private DrivenReactor reactor;
    private StubProvider provider;
    private CompletionQueue queue;
    private RdmaQueuePair pair;
    private long reported;

    /**
     * Opens a queue pair.
     *
     * @throws Throwable when the provider cannot be compiled.
     */
    @Setup
    public void setUp() throws Throwable
    {
        reactor = new DrivenReactor(ReactorConfig.of("clock", -1), ReactorErrorHandler.standard());
        provider = new StubProvider();
        final QueuePairConfig sizes = new QueuePairConfig(DEPTH, RECEIVE_DEPTH, SEGMENTS, 0, 1);
        queue = new CompletionQueue(
            LinuxRdmaCore.INSTANCE, reactor.reactor(), provider.counters, null, provider.completionQueue, 0L,
            sizes.completions());
        pair = new RdmaQueuePair(queue, new CompletionHandler()
        {
            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                reported += id;
            }

            @Override
            public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                throw new IllegalStateException("nothing is received");
            }
        }, sizes, () -> { });
        pair.open(provider.queuePair, 0);
    }

    /**
     * Closes it.
     */
    @TearDown
    public void tearDown()
    {
        pair.close();
        provider.close();
        reactor.close();
    }

    /**
     * A request alone: posted and polled.
     *
     * @return sum of what was reported.
     */
    @Benchmark
    public long one()
    {
        send(1, true);
        queue.poll();
        return reported;
    }

    /**
     * A request of 32 that are posted as a list, each with a completion, and polled together.
     *
     * @return sum of what was reported.
     */
    @Benchmark
    @OperationsPerInvocation(LIST)
    public long list()
    {
        pair.hold();
        for (int i = 0; i < LIST; i++)
        {
            send(i, true);
        }
        pair.release();
        queue.poll();
        return reported;
    }

    /**
     * A request of 32 that are posted as a list, of which the last has a completion.
     *
     * @return sum of what was reported.
     */
    @Benchmark
    @OperationsPerInvocation(LIST)
    public long listWithOneCompletion()
    {
        pair.hold();
        for (int i = 1; i < LIST; i++)
        {
            send(i, false);
        }
        send(LIST, true);
        pair.release();
        queue.poll();
        return reported;
    }

    private void send(final long id, final boolean isSignalled)
    {
        if (!pair.segment(PAYLOAD, PAYLOAD_BYTES, KEY).postSend(id, isSignalled))
        {
            throw new IllegalStateException("no room for request " + id);
        }
    }
}

package io.millrace.bench;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorLink;
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
 * Cost of a message to another reactor over a {@link ReactorLink}. {@code roundTrip} is one message to a spinning
 * reactor and the answer through a shared word: twice the latency of a cache line and a turn of the reactor's cycle.
 * {@code burst} is the time per message when 64 follow each other and the last one is awaited. {@code wakeWhenAwake} is
 * the look at the sleeping flag alone. Needs two cores to itself: on one, or with busy neighbours, it measures the
 * scheduler.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE})
public class RingHopBenchmark
{
    private static final int BURST = 64;

    private Reactor reactor;
    private ReactorLink link;
    private long sent;
    private volatile long received;

    /**
     * Starts a reactor that never sleeps.
     */
    @Setup
    public void setUp()
    {
        reactor = new Reactor(new ReactorConfig("bench", -1, ReactorConfig.IdleMode.BUSY_SPIN, 0));
        reactor.start();
        link = new ReactorLink(reactor, 4 * BURST, this::onMessage);
    }

    /**
     * Ends it.
     */
    @TearDown
    public void tearDown()
    {
        reactor.close();
    }

    /**
     * One message there and its answer back.
     *
     * @return number of the message.
     */
    @Benchmark
    public long roundTrip()
    {
        send();
        return awaitLast();
    }

    /**
     * Messages one after the other, the last one awaited.
     *
     * @return number of the last.
     */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public long burst()
    {
        for (int i = 0; i < BURST; i++)
        {
            send();
        }
        return awaitLast();
    }

    /**
     * What a producer pays to find out that the reactor is awake.
     */
    @Benchmark
    public void wakeWhenAwake()
    {
        reactor.wake();
    }

    private void send()
    {
        final long number = ++sent;
        while (!link.offer(1, 0, 0, 0, number, 0))
        {
            Thread.onSpinWait();
        }
    }

    private long awaitLast()
    {
        while (received != sent)
        {
            Thread.onSpinWait();
        }
        return sent;
    }

    private void onMessage(
        final int type, final int slot, final long address, final int lengthBytes, final long word0, final long word1)
    {
        received = word0;
    }
}

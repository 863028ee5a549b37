package io.millrace.bench;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorLink;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time until a reactor that sleeps in the kernel has handled a message: the delay that idling adds to the next I/O.
 * Look at the percentiles; the first I/O after idle is meant to stay under 200 µs at the 99th. Needs two cores to
 * itself: on a shared one the woken reactor runs first and goes on spinning, so that the time is the reactor's
 * {@code spinNs} rather than its wake-up.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE})
public class WakeUpBenchmark
{
    private Reactor reactor;
    private ReactorLink link;
    private long sent;
    private volatile long received;

    /**
     * Starts a reactor with default idle behaviour.
     */
    @Setup
    public void setUp()
    {
        reactor = new Reactor(ReactorConfig.of("bench", -1));
        reactor.start();
        link = new ReactorLink(reactor, 16, this::onMessage);
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
     * Leaves the reactor alone for longer than it spins.
     */
    @Setup(Level.Invocation)
    public void idle()
    {
        LockSupport.parkNanos(5 * ReactorConfig.SPIN_NS_DEFAULT);
    }

    /**
     * A message to a sleeping reactor, handled.
     *
     * @return number of the message.
     */
    @Benchmark
    public long firstAfterIdle()
    {
        link.offer(1, 0, 0, 0, ++sent, 0);
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

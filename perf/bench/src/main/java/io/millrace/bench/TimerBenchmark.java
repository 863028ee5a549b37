package io.millrace.bench;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
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

/**
 * Cost of arming and cancelling a timer while many others are armed: keep-alive times of as many controllers, all later
 * ({@code last}) or all earlier ({@code first}) than this one.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = {JvmFlags.OPEN_UNSAFE, JvmFlags.NATIVE})
public class TimerBenchmark
{
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    /** How many other timers are armed. */
    @Param({"10", "1000"})
    private int others;

    private Reactor reactor;

    /**
     * Makes a reactor that is not started, so that this thread may use it.
     */
    @Setup
    public void setUp()
    {
        reactor = new Reactor(ReactorConfig.of("bench", -1));
        for (int i = 0; i < others; i++)
        {
            reactor.schedule(reactor.nowNs() + 10 * SECOND_NS + i, TimerBenchmark::onTimer);
        }
    }

    /**
     * Frees it.
     */
    @TearDown
    public void tearDown()
    {
        reactor.close();
    }

    /**
     * Earlier than all others: rises to the root and leaves from there.
     *
     * @return whether it was cancelled.
     */
    @Benchmark
    public boolean first()
    {
        return reactor.cancel(reactor.schedule(reactor.nowNs() + SECOND_NS, TimerBenchmark::onTimer));
    }

    /**
     * Later than all others, as a keep-alive time that is begun again.
     *
     * @return whether it was cancelled.
     */
    @Benchmark
    public boolean last()
    {
        return reactor.cancel(reactor.schedule(reactor.nowNs() + 20 * SECOND_NS, TimerBenchmark::onTimer));
    }

    private static void onTimer(final long nowNs)
    {
        throw new IllegalStateException("the reactor does not run");
    }
}

package io.millrace.manager.metrics;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.NanoClock;

/**
 * Whether a loop turns, as far as probes can see: its count of cycles changes. Any thread.
 */
public final class CycleWatch
{
    /** A loop without a cycle for this long does not turn. */
    public static final long STALL_NS = TimeUnit.SECONDS.toNanos(5);

    private final LongSupplier cycles;
    private final NanoClock clock;
    private long count;
    private long changedNs;

    /**
     * Makes one.
     *
     * @param cycles of the loop so far; by any thread.
     * @param clock  for the time between probes.
     */
    public CycleWatch(final LongSupplier cycles, final NanoClock clock)
    {
        this.cycles = cycles;
        this.clock = clock;
        count = cycles.getAsLong();
        changedNs = clock.nanoTime();
    }

    /**
     * {@return for how long no probe has seen a new cycle, in seconds; 0 while the loop turns}
     */
    public synchronized long stalledSeconds()
    {
        final long nowNs = clock.nanoTime();
        final long now = cycles.getAsLong();
        if (now != count)
        {
            count = now;
            changedNs = nowNs;
        }
        return nowNs - changedNs < STALL_NS ? 0 : TimeUnit.NANOSECONDS.toSeconds(nowNs - changedNs);
    }
}

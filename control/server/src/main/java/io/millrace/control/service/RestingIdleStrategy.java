package io.millrace.control.service;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Idle strategy of the threads of a control service: backs off to sleeping 1 ms while there was work within the last
 * second, and sleeps 10 ms afterwards, so that a process that gets no commands seldom wakes up. One thread.
 */
final class RestingIdleStrategy implements IdleStrategy
{
    static final long ACTIVE_NS = TimeUnit.SECONDS.toNanos(1);
    static final long RESTING_PARK_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int SPINS = 50;
    private static final int YIELDS = 10;
    private static final long PARK_MIN_NS = 1_000;
    private static final long PARK_MAX_NS = 1_000_000;
    private static final String ALIAS = "resting";

    private final IdleStrategy active;
    private final LongConsumer park;
    private final NanoClock clock;
    private boolean hasWorked = true;
    private long activeUntilNs;

    RestingIdleStrategy()
    {
        this(new BackoffIdleStrategy(SPINS, YIELDS, PARK_MIN_NS, PARK_MAX_NS), LockSupport::parkNanos,
            SystemNanoClock.INSTANCE);
    }

    /** With a clock of a test. */
    RestingIdleStrategy(final IdleStrategy active, final LongConsumer park, final NanoClock clock)
    {
        this.active = active;
        this.park = park;
        this.clock = clock;
    }

    @Override
    public void idle(final int workCount)
    {
        if (workCount > 0)
        {
            reset();
        }
        else
        {
            idle();
        }
    }

    @Override
    public void idle()
    {
        final long nowNs = clock.nanoTime();
        if (hasWorked)
        {
            hasWorked = false;
            activeUntilNs = nowNs + ACTIVE_NS;
        }
        if (nowNs - activeUntilNs < 0)
        {
            active.idle();
        }
        else
        {
            park.accept(RESTING_PARK_NS);
        }
    }

    @Override
    public void reset()
    {
        // The clock is read when there is no work.
        hasWorked = true;
        active.reset();
    }

    @Override
    public String alias()
    {
        return ALIAS;
    }
}

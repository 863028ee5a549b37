package io.millrace.reactor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Time and cycle counters of a reactor. Written by the reactor's thread; read from any, each number separately: they
 * are not a consistent snapshot.
 */
public final class DutyCycle
{
    private static final VarHandle BUSY_NS;
    private static final VarHandle IDLE_NS;
    private static final VarHandle CYCLES;
    private static final VarHandle SLEEP_COUNT;
    private static final VarHandle LONGEST_CYCLE_NS;

    static
    {
        try
        {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            BUSY_NS = lookup.findVarHandle(DutyCycle.class, "busyNs", long.class);
            IDLE_NS = lookup.findVarHandle(DutyCycle.class, "idleNs", long.class);
            CYCLES = lookup.findVarHandle(DutyCycle.class, "cycles", long.class);
            SLEEP_COUNT = lookup.findVarHandle(DutyCycle.class, "sleepCount", long.class);
            LONGEST_CYCLE_NS = lookup.findVarHandle(DutyCycle.class, "longestCycleNs", long.class);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long busyNs;
    private long idleNs;
    private long cycles;
    private long sleepCount;
    private long longestCycleNs;
    /** The longest since the last call of {@link #takeRecentCycle}. */
    private long recentCycleNs;

    DutyCycle()
    {
    }

    /**
     * {@return nanoseconds in cycles that found work}
     */
    public long busyNs()
    {
        return (long)BUSY_NS.getOpaque(this);
    }

    /**
     * {@return nanoseconds in cycles that found none, asleep or spinning}
     */
    public long idleNs()
    {
        return (long)IDLE_NS.getOpaque(this);
    }

    /**
     * {@return how many cycles there were}
     */
    public long cycles()
    {
        return (long)CYCLES.getOpaque(this);
    }

    /**
     * {@return how many times the reactor slept in the kernel}
     */
    public long sleepCount()
    {
        return (long)SLEEP_COUNT.getOpaque(this);
    }

    /**
     * {@return nanoseconds of the longest cycle since the last reset, sleep not counted: the longest time that work had
     * to wait}
     */
    public long longestCycleNs()
    {
        return (long)LONGEST_CYCLE_NS.getOpaque(this);
    }

    /**
     * Begins a new search for the longest cycle. Any thread.
     */
    public void resetLongestCycle()
    {
        LONGEST_CYCLE_NS.setOpaque(this, 0L);
    }

    /**
     * {@return nanoseconds of the longest cycle since the last call of this, sleep not counted. The reactor's thread}
     */
    public long takeRecentCycle()
    {
        final long recent = recentCycleNs;
        recentCycleNs = 0;
        return recent;
    }

    /**
     * A cycle is over.
     *
     * @param elapsedNs it took.
     * @param busy      whether it found work.
     */
    void onCycle(final long elapsedNs, final boolean busy)
    {
        CYCLES.setOpaque(this, cycles + 1);
        if (busy)
        {
            BUSY_NS.setOpaque(this, busyNs + elapsedNs);
        }
        else
        {
            IDLE_NS.setOpaque(this, idleNs + elapsedNs);
        }
        if (elapsedNs > recentCycleNs)
        {
            recentCycleNs = elapsedNs;
        }
        if (elapsedNs > (long)LONGEST_CYCLE_NS.getOpaque(this))
        {
            LONGEST_CYCLE_NS.setOpaque(this, elapsedNs);
        }
    }

    /**
     * A cycle without work that ended in sleep is over.
     *
     * @param elapsedNs it took, sleep included.
     */
    void onSleep(final long elapsedNs)
    {
        CYCLES.setOpaque(this, cycles + 1);
        SLEEP_COUNT.setOpaque(this, sleepCount + 1);
        IDLE_NS.setOpaque(this, idleNs + elapsedNs);
    }
}

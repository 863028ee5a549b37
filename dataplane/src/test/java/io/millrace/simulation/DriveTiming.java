package io.millrace.simulation;

/**
 * How long a drive takes for a step of a request: some time, now and then much longer, and all of them while it is
 * stuck.
 */
final class DriveTiming
{
    private static final int RESUME_NS_MAX = 1_000_000;

    private final Draw draw;
    private final long latencyNs;
    /** One in so many steps takes long; 0 for none. */
    private final int slowOneIn;
    private final long slowNs;
    private long stuckUntilNs;

    DriveTiming(final Draw draw)
    {
        this.draw = draw;
        latencyNs = draw.of(5_000, 100_000, 5_000_000);
        slowOneIn = draw.of(0, 6, 25);
        slowNs = draw.of(20_000_000, 400_000_000, 2_000_000_000);
    }

    long delayNs()
    {
        return draw.between(1_000, slowOneIn > 0 && draw.oneIn(slowOneIn) ? slowNs : latencyNs);
    }

    /** {@return the longest time of a step} */
    long longestNs()
    {
        return slowOneIn > 0 ? Math.max(slowNs, latencyNs) : latencyNs;
    }

    /** {@return when something may be executed that is due now} */
    long dueNs(final long nowNs)
    {
        return nowNs < stuckUntilNs ? stuckUntilNs + draw.below(RESUME_NS_MAX) : nowNs;
    }

    /** Nothing is executed before a time. */
    void stick(final long untilNs)
    {
        stuckUntilNs = untilNs;
    }
}

package io.millrace.reactor;

/**
 * How late a reactor comes to a timer that is due every 10 ms. What a host is to do within a time limit, and what a
 * reactor is to do meanwhile, shows nothing where the machine has let neither of them run. Made and closed by a test's
 * thread; any thread may look.
 */
public final class Punctuality implements AutoCloseable
{
    private static final long INTERVAL_NS = 10_000_000L;

    private final Reactor reactor;
    private volatile long longestNs;
    private volatile long dueNs = System.nanoTime();
    private volatile boolean isOver;

    private Punctuality(final Reactor reactor)
    {
        this.reactor = reactor;
        reactor.execute(() -> onTimer(reactor.nowNs()));
    }

    /**
     * Begins to measure.
     *
     * @param reactor to look at.
     */
    public static Punctuality of(final Reactor reactor)
    {
        return new Punctuality(reactor);
    }

    private void onTimer(final long cycleNs)
    {
        final long nowNs = reactor.clockNs();
        longestNs = Math.max(longestNs, nowNs - dueNs);
        dueNs = nowNs + INTERVAL_NS;
        if (!isOver)
        {
            reactor.schedule(dueNs, this::onTimer);
        }
    }

    /**
     * {@return how late it came at worst, in nanoseconds; to a timer that is due now included}
     */
    public long longestNs()
    {
        final long present = System.nanoTime() - dueNs;
        return Math.max(longestNs, present);
    }

    @Override
    public void close()
    {
        isOver = true;
    }
}

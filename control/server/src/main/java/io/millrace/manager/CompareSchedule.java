package io.millrace.manager;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * When a data plane is compared with what it should be: every 10 s, soon after events that are not of the manager's own
 * making, and later and later, up to every minute, while something is refused. The manager's thread.
 */
final class CompareSchedule
{
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long SOON_NS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Events of a change of the manager's own come at most so much later. */
    private static final long OWN_EVENTS_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long BACKOFF_MIN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long BACKOFF_MAX_NS = TimeUnit.SECONDS.toNanos(60);

    private final NanoClock clock;
    private CompletableFuture<Void> next = new CompletableFuture<>();
    private boolean isWanted;
    private long dueNs;
    private long backoffNs = BACKOFF_MIN_NS;
    private long ownChangeNs;

    CompareSchedule(final NanoClock clock)
    {
        this.clock = clock;
        dueNs = clock.nanoTime();
        ownChangeNs = dueNs - OWN_EVENTS_NS;
    }

    /** Whether it is time; stays so until {@link #begin()}. */
    boolean isDue(final long nowNs)
    {
        isWanted = isWanted || nowNs - dueNs >= 0;
        return isWanted;
    }

    /** As soon as can be; when it is being compared, again. */
    void want()
    {
        isWanted = true;
    }

    /** Done when the comparison that is wanted, or is made, has ended. */
    CompletableFuture<Void> next()
    {
        return next;
    }

    /** A comparison begins. */
    void begin()
    {
        isWanted = false;
    }

    /** A comparison ended, well or not, or was given up. */
    void end()
    {
        final CompletableFuture<Void> ended = next;
        next = new CompletableFuture<>();
        ended.complete(null);
    }

    /** All is as it should be. */
    void onEqual(final long nowNs)
    {
        backoffNs = BACKOFF_MIN_NS;
        dueNs = nowNs + INTERVAL_NS;
    }

    /** Something is refused: the next time is twice as far as the last. */
    void onRefused(final long nowNs)
    {
        dueNs = nowNs + backoffNs;
        backoffNs = Math.min(BACKOFF_MAX_NS, 2 * backoffNs);
    }

    /** What was found is kept as what should be, or could not be. */
    void onAdopted(final boolean isKept)
    {
        dueNs = clock.nanoTime() + (isKept ? 0 : BACKOFF_MIN_NS);
    }

    /** What was refused may be different now. */
    void forgetRefusals()
    {
        backoffNs = BACKOFF_MIN_NS;
    }

    /** The manager changed something. */
    void onOwnChange()
    {
        ownChangeNs = clock.nanoTime();
    }

    /** Something that is kept changed; soon it is known whether that was meant. */
    void onEvent()
    {
        final long nowNs = clock.nanoTime();
        if (nowNs - ownChangeNs >= OWN_EVENTS_NS && dueNs - (nowNs + SOON_NS) > 0)
        {
            dueNs = nowNs + SOON_NS;
        }
    }
}

package io.millrace.manager.plane;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * Schedule of comparisons with the desired state: every 10 s, soon after events not caused by the manager, and with
 * exponential back-off, up to a minute, while steps are refused. The manager's thread.
 */
final class CompareSchedule
{
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long SOON_NS = TimeUnit.MILLISECONDS.toNanos(100);
    /** Maximum delay of events caused by the manager. */
    private static final long OWN_EVENTS_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long BACKOFF_MIN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long BACKOFF_MAX_NS = TimeUnit.SECONDS.toNanos(60);

    private final NanoClock clock;
    private CompletableFuture<Void> next = new CompletableFuture<>();
    private boolean isRequested;
    private long dueNs;
    private long backoffNs = BACKOFF_MIN_NS;
    private long ownChangeNs;

    CompareSchedule(final NanoClock clock)
    {
        this.clock = clock;
        dueNs = clock.nanoTime();
        ownChangeNs = dueNs - OWN_EVENTS_NS;
    }

    /** Whether a comparison is due; until {@link #begin()}. */
    boolean isDue(final long nowNs)
    {
        isRequested = isRequested || nowNs - dueNs >= 0;
        return isRequested;
    }

    /** Requests a comparison as soon as possible; another one, if one is in progress. */
    void request()
    {
        isRequested = true;
    }

    /** Completes when the requested comparison, or the one in progress, has ended. */
    CompletableFuture<Void> next()
    {
        return next;
    }

    /** A comparison begins. */
    void begin()
    {
        isRequested = false;
    }

    /** A comparison ended, failed or was aborted. */
    void end()
    {
        final CompletableFuture<Void> ended = next;
        next = new CompletableFuture<>();
        ended.complete(null);
    }

    /** No differences. */
    void onEqual(final long nowNs)
    {
        backoffNs = BACKOFF_MIN_NS;
        dueNs = nowNs + INTERVAL_NS;
    }

    /** A step was refused: the interval is doubled. */
    void onRefused(final long nowNs)
    {
        dueNs = nowNs + backoffNs;
        backoffNs = Math.min(BACKOFF_MAX_NS, 2 * backoffNs);
    }

    /** The actual state was saved as the desired state, or saving failed. */
    void onAdopted(final boolean isPersisted)
    {
        dueNs = clock.nanoTime() + (isPersisted ? 0 : BACKOFF_MIN_NS);
    }

    /** Refused steps may succeed now. */
    void forgetRefusals()
    {
        backoffNs = BACKOFF_MIN_NS;
    }

    /** The manager changed something. */
    void onOwnChange()
    {
        ownChangeNs = clock.nanoTime();
    }

    /** A resource of the desired state changed; a comparison follows soon. */
    void onEvent()
    {
        final long nowNs = clock.nanoTime();
        if (nowNs - ownChangeNs >= OWN_EVENTS_NS && dueNs - (nowNs + SOON_NS) > 0)
        {
            dueNs = nowNs + SOON_NS;
        }
    }
}

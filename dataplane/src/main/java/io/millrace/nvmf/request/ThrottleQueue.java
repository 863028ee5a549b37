package io.millrace.nvmf.request;

import io.millrace.nvmf.qos.QosCounters;
import io.millrace.nvmf.qos.QosPolicy;
import io.millrace.nvmf.qos.TokenShare;
import io.millrace.reactor.TimerListener;

/**
 * The reads or the writes of one reactor that wait for a limit, in order. A timer fires when the first may be released;
 * in between nothing is polled. Single-threaded.
 */
public final class ThrottleQueue implements TimerListener
{
    /** Bounds a run as the polls of pollers are bounded. */
    private static final int RELEASES_PER_TURN = 64;
    private static final long NO_TIMER = -1;
    private static final TokenShare[] NO_SHARES = {};

    private final RateLimiter rateLimiter;
    private final boolean isRead;
    private final RequestQueue waiting = new RequestQueue();
    private TokenShare[] commandShares = NO_SHARES;
    private TokenShare[] byteShares = NO_SHARES;
    private QosCounters counters;
    private long timer = NO_TIMER;
    private long throttled;
    private long left;
    private long waitedNs;

    ThrottleQueue(final RateLimiter rateLimiter, final boolean isRead)
    {
        this.rateLimiter = rateLimiter;
        this.isRead = isRead;
    }

    int size()
    {
        return waiting.size();
    }

    /**
     * Replaces the limits: waiting commands may be released sooner or later than before.
     *
     * @param policy of the limits; null for none.
     */
    void policy(final QosPolicy policy)
    {
        flush();
        if (null == policy)
        {
            commandShares = NO_SHARES;
            byteShares = NO_SHARES;
        }
        else
        {
            commandShares = policy.commandShares(isRead);
            byteShares = policy.byteShares(isRead);
            counters = policy.counters();
        }
        run();
    }

    /**
     * {@return whether a command is admitted without waiting; then its tokens are used}
     *
     * @param lengthBytes length in bytes.
     */
    boolean passes(final int lengthBytes)
    {
        return 0 == waiting.size() && 0 == waitNs(lengthBytes, true) && use(lengthBytes);
    }

    /**
     * Queues a command that is not admitted.
     *
     * @param request     the command's request.
     * @param phase       whether the transport keeps its capsule meanwhile.
     * @param lengthBytes length in bytes.
     */
    void add(final Request request, final RequestPhase phase, final int lengthBytes)
    {
        request.onThrottled(this, phase, lengthBytes, rateLimiter.nowNs());
        waiting.add(request);
        rateLimiter.admission().onKept(request.pooledLength());
        throttled++;
        if (1 == waiting.size())
        {
            run();
        }
    }

    /**
     * Removes a command that ends otherwise.
     *
     * @param request that waits in it.
     */
    public void remove(final Request request)
    {
        final boolean wasFirst = request == waiting.first();
        take(request);
        if (wasFirst)
        {
            // The next one may need less. Not at once: its connection may be going, too.
            stopTimer();
            if (0 != waiting.size())
            {
                startTimer(1);
            }
        }
        flush();
        rateLimiter.onQueueChanged();
    }

    /**
     * Fails the commands of a removed namespace.
     *
     * @param namespace of them.
     * @param status    to fail them with.
     */
    void fail(final NamespaceChannel namespace, final int status)
    {
        Request next;
        for (Request request = waiting.first(); null != request; request = next)
        {
            next = request.next();
            if (request.namespace() == namespace)
            {
                take(request);
                if (RequestPhase.CAPSULE_THROTTLED == request.phase())
                {
                    // Its transport comes again with the capsule, which is refused then.
                    request.phase(RequestPhase.CAPSULE_BUFFERED);
                }
                else
                {
                    request.owner().complete(request, status);
                }
            }
        }
        run();
    }

    /**
     * Releases the commands that the limits admit, and starts the timer for the next one.
     */
    void run()
    {
        stopTimer();
        if (!rateLimiter.admission().isPaused())
        {
            for (int released = 0; released < RELEASES_PER_TURN && 0 != waiting.size(); released++)
            {
                final Request first = waiting.first();
                final long untilNs = waitNs(first.throttledBytes(), 1 == waiting.size());
                if (0 != untilNs)
                {
                    startTimer(untilNs);
                    break;
                }
                use(first.throttledBytes());
                take(first);
                first.owner().resume(first);
            }
            if (0 != waiting.size())
            {
                // In the next cycle.
                startTimer(1);
            }
        }
        flush();
        rateLimiter.onQueueChanged();
    }

    @Override
    public void onTimer(final long nowNs)
    {
        timer = NO_TIMER;
        run();
    }

    private void take(final Request request)
    {
        waiting.remove(request);
        rateLimiter.admission().onKept(-request.pooledLength());
        left++;
        waitedNs += request.onUnthrottled(rateLimiter.nowNs());
    }

    private long waitNs(final int lengthBytes, final boolean isLast)
    {
        final long nowNs = rateLimiter.nowNs();
        long untilNs = 0;
        for (final TokenShare share : commandShares)
        {
            untilNs = Math.max(untilNs, share.waitNs(1, isLast, nowNs));
        }
        for (final TokenShare share : byteShares)
        {
            untilNs = Math.max(untilNs, share.waitNs(lengthBytes, isLast, nowNs));
        }
        return untilNs;
    }

    private boolean use(final int lengthBytes)
    {
        for (final TokenShare share : commandShares)
        {
            share.use(1);
        }
        for (final TokenShare share : byteShares)
        {
            share.use(lengthBytes);
        }
        return true;
    }

    private void startTimer(final long untilNs)
    {
        if (NO_TIMER == timer)
        {
            timer = rateLimiter.reactor().schedule(rateLimiter.nowNs() + untilNs, this);
        }
    }

    private void stopTimer()
    {
        if (NO_TIMER != timer)
        {
            rateLimiter.reactor().cancel(timer);
            timer = NO_TIMER;
        }
    }

    private void flush()
    {
        if (0 != throttled)
        {
            counters.onThrottled(isRead, throttled);
            throttled = 0;
        }
        if (0 != left)
        {
            counters.onLeft(left, waitedNs);
            left = 0;
            waitedNs = 0;
        }
    }
}

package io.millrace.nvmf;

import io.millrace.reactor.TimerListener;

/**
 * The reads or the writes of one reactor that wait for a limit, in order. A timer wakes it when the first may go on;
 * between, nothing is asked or polled. Single-threaded.
 */
final class QosLine implements TimerListener
{
    /** A turn of a line is kept as short as that of pollers. */
    private static final int RELEASES_PER_TURN = 64;
    private static final long NO_TIMER = -1;
    private static final TokenShare[] NO_SHARES = {};

    private final QosGate gate;
    private final boolean isRead;
    private final RequestLine waiting = new RequestLine();
    private TokenShare[] commandShares = NO_SHARES;
    private TokenShare[] byteShares = NO_SHARES;
    private QosCounters counters;
    private long timer = NO_TIMER;
    private long throttled;
    private long left;
    private long waitedNs;

    QosLine(final QosGate gate, final boolean isRead)
    {
        this.gate = gate;
        this.isRead = isRead;
    }

    int size()
    {
        return waiting.size();
    }

    /**
     * Goes by other limits from now on: who waits may go on sooner or later than before.
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
     * {@return whether a command may go on without waiting; then its tokens are used}
     *
     * @param lengthBytes of it.
     */
    boolean passes(final int lengthBytes)
    {
        return 0 == waiting.size() && 0 == waitNs(lengthBytes, true) && use(lengthBytes);
    }

    /**
     * Puts a command in line; it does not pass.
     *
     * @param request     of it.
     * @param phase       whether the transport keeps its capsule meanwhile.
     * @param lengthBytes of it.
     */
    void add(final Request request, final RequestPhase phase, final int lengthBytes)
    {
        request.onThrottled(this, phase, lengthBytes, gate.nowNs());
        waiting.add(request);
        gate.admission().onKept(request.pooledLength());
        throttled++;
        if (1 == waiting.size())
        {
            run();
        }
    }

    /**
     * Takes a command out of the line that ends otherwise.
     *
     * @param request that waits in it.
     */
    void remove(final Request request)
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
        gate.onLineChanged();
    }

    /**
     * Fails the commands of a namespace that was taken away.
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
                    request.queuePair().complete(request, status);
                }
            }
        }
        run();
    }

    /**
     * Lets those go on who may, and starts the timer for the next one.
     */
    void run()
    {
        stopTimer();
        if (!gate.admission().isPaused())
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
                first.queuePair().intake().onPassed(first);
            }
            if (0 != waiting.size())
            {
                // In the next cycle.
                startTimer(1);
            }
        }
        flush();
        gate.onLineChanged();
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
        gate.admission().onKept(-request.pooledLength());
        left++;
        waitedNs += request.onUnthrottled(gate.nowNs());
    }

    private long waitNs(final int lengthBytes, final boolean isLast)
    {
        final long nowNs = gate.nowNs();
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
            timer = gate.reactor().schedule(gate.nowNs() + untilNs, this);
        }
    }

    private void stopTimer()
    {
        if (NO_TIMER != timer)
        {
            gate.reactor().cancel(timer);
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

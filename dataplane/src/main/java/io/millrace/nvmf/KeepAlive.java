package io.millrace.nvmf;

import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.reactor.Reactor;
import java.util.concurrent.TimeUnit;

/**
 * Keep alive timer of a controller (NVM Express Base 2.0, section 3.9): any command on any of its queues restarts it,
 * as reported by TBKAS; when it expires the association ends. It does not run out while an admin command waits for its
 * turn, which is not the host's delay. Home of the controller only.
 * <p>
 * While the controller is not ready the association is kept for two minutes without a command, however short the
 * timeout. A discovery controller without a timeout is ended after the same time, so that hosts which disappear leave
 * nothing behind. Any host may have a discovery controller, so silent ones are ended earlier while few are left: after
 * ten seconds, or after their timeout if they have one, but after two minutes at most.
 */
final class KeepAlive
{
    /** Granularity of the timeout (KAS), in units of 100 ms. */
    static final int GRANULARITY_100_MS = 10;

    private static final int GRANULARITY_MS = GRANULARITY_100_MS * 100;
    private static final int ASSOCIATION_MS = 120_000;
    /** A host reads the log at once; also the interval at which the number of discovery controllers is checked. */
    static final int SCARCE_MS = 10_000;
    private static final long NO_TIMER = -1;

    private final Controller controller;
    private final Reactor reactor;
    private int timeoutMs;
    private long timerId = NO_TIMER;
    private long startNs;

    /**
     * Makes a timer that does not run yet.
     *
     * @param controller it watches.
     * @param reactor    home of the controller.
     * @param timeoutMs  as the host asked for; unsigned, 0 for none.
     */
    KeepAlive(final Controller controller, final Reactor reactor, final int timeoutMs)
    {
        this.controller = controller;
        this.reactor = reactor;
        this.timeoutMs = rounded(timeoutMs);
    }

    /**
     * {@return timeout in milliseconds, rounded up to the granularity; 0 for none}
     */
    int timeoutMs()
    {
        return timeoutMs;
    }

    /**
     * Changes the timeout.
     *
     * @param newTimeoutMs as the host asked for; unsigned, 0 for none.
     */
    void timeoutMs(final int newTimeoutMs)
    {
        timeoutMs = rounded(newTimeoutMs);
        start();
    }

    /**
     * Restarts the timer.
     */
    void start()
    {
        stop();
        startNs = reactor.nowNs();
        final long allowedNs = allowedNs();
        if (allowedNs > 0)
        {
            schedule(startNs, startNs + allowedNs);
        }
    }

    private void schedule(final long nowNs, final long deadlineNs)
    {
        final boolean isDiscovery = controller.subsystem().isDiscovery();
        final long leftNs = deadlineNs - nowNs;
        timerId = reactor.schedule(
            nowNs + (isDiscovery ? Math.min(leftNs, TimeUnit.MILLISECONDS.toNanos(SCARCE_MS)) : leftNs),
            this::onTimer);
    }

    /**
     * Stops the timer.
     */
    void stop()
    {
        if (NO_TIMER != timerId)
        {
            reactor.cancel(timerId);
            timerId = NO_TIMER;
        }
    }

    /**
     * The controller has entered another state.
     */
    void onStateChanged()
    {
        if (ControllerState.FAILED == controller.state() || ControllerState.DEAD == controller.state())
        {
            stop();
        }
        else
        {
            start();
        }
    }

    private void onTimer(final long nowNs)
    {
        timerId = NO_TIMER;
        final long allowedNs = allowedNs();
        if (0 == allowedNs)
        {
            return;
        }
        final long lastNs = controller.adminQueuePair().dispatcher().isAwaitingTurn() ? nowNs : lastCommandNs();
        if (nowNs - lastNs >= allowedNs)
        {
            final boolean isEarly = allowedNs < unhurriedNs();
            controller.fail("no command for " + TimeUnit.NANOSECONDS.toMillis(nowNs - lastNs) + " ms: " + (isEarly ?
                "places for discovery controllers are scarce" : "keep alive timer ran out"));
        }
        else
        {
            schedule(nowNs, lastNs + allowedNs);
        }
    }

    private long lastCommandNs()
    {
        long lastNs = startNs;
        final long adminNs = controller.adminQueuePair().meter().lastCommandNs();
        if (adminNs - lastNs > 0)
        {
            lastNs = adminNs;
        }
        for (int queueId = 1; queueId <= TargetConfig.QUEUE_PAIRS_MAX; queueId++)
        {
            final QueuePair queuePair = controller.ioQueuePair(queueId);
            if (null != queuePair && queuePair.meter().lastCommandNs() - lastNs > 0)
            {
                lastNs = queuePair.meter().lastCommandNs();
            }
        }
        return lastNs;
    }

    private long allowedNs()
    {
        final long unhurriedNs = unhurriedNs();
        if (!controller.subsystem().isDiscovery() || !controller.adminQueuePair().transport().isDiscoveryCrowded())
        {
            return unhurriedNs;
        }
        final int scarceMs = ControllerState.READY == controller.state() && 0 != timeoutMs ? ASSOCIATION_MS : SCARCE_MS;
        return Math.min(unhurriedNs, TimeUnit.MILLISECONDS.toNanos(scarceMs));
    }

    private long unhurriedNs()
    {
        final boolean isDiscovery = controller.subsystem().isDiscovery();
        if (ControllerState.READY != controller.state() || isDiscovery && 0 == timeoutMs)
        {
            return TimeUnit.MILLISECONDS.toNanos(Math.max(ASSOCIATION_MS, Integer.toUnsignedLong(timeoutMs)));
        }
        return TimeUnit.MILLISECONDS.toNanos(Integer.toUnsignedLong(timeoutMs));
    }

    private static int rounded(final int timeoutMs)
    {
        final long wanted = Integer.toUnsignedLong(timeoutMs);
        final long rounded = (wanted + GRANULARITY_MS - 1) / GRANULARITY_MS * GRANULARITY_MS;
        return (int)Math.min(rounded, 0xFFFFFFFFL / GRANULARITY_MS * GRANULARITY_MS);
    }
}

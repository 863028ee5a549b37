package io.millrace.nvmf.rdma;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.util.concurrent.TimeUnit;

/**
 * Time limits of a queue: for its Connect command, for transfers without progress, for memory that a device lent and a
 * writer waits for, and for the last answers. The watch of transfers runs only while there are any. Its queue's reactor
 * only; nothing is allocated for a transfer.
 */
final class QueueTimers
{
    /** A writer waits for lent memory so long, and a check more. */
    static final long LOAN_LIMIT_NS = 1_000_000_000L;
    /** Answers leave within, when the target ends a connection. */
    static final long DRAIN_TIMEOUT_NS = 1_000_000_000L;

    private static final long CHECK_NS = 100_000_000L;
    private static final long COPY_RETRY_NS = 1_000_000L;
    private static final long NO_TIMER = -1;

    private final RdmaPollGroup group;
    private final RdmaQueue queue;
    private final TimerListener watch = this::onWatch;
    private long connectTimer = NO_TIMER;
    private long watchTimer = NO_TIMER;
    private long endTimer = NO_TIMER;
    private long progress;
    private long progressNs;

    /**
     * Runs none.
     *
     * @param group of the queue.
     * @param queue that waits.
     */
    QueueTimers(final RdmaPollGroup group, final RdmaQueue queue)
    {
        this.group = group;
        this.queue = queue;
    }

    /** Starts the time-out of the Connect command. */
    void awaitConnect()
    {
        final Reactor reactor = group.reactor();
        connectTimer = reactor.schedule(reactor.nowNs() + group.config().connectTimeoutNs(), this::onConnectTimeout);
    }

    /** Starts to watch transfers, unless it does. */
    void awaitTransfer()
    {
        if (NO_TIMER == watchTimer)
        {
            final Reactor reactor = group.reactor();
            progress = queue.progress();
            progressNs = reactor.nowNs();
            watchTimer = reactor.schedule(progressNs + nextNs(), watch);
        }
    }

    /** Starts the time-out of the last answers. */
    void awaitEnd()
    {
        final Reactor reactor = group.reactor();
        endTimer = reactor.schedule(reactor.nowNs() + DRAIN_TIMEOUT_NS, (_) ->
        {
            endTimer = NO_TIMER;
            queue.onEndOverdue();
        });
    }

    /** Cancels all timers. */
    void cancel()
    {
        connectTimer = cancel(connectTimer);
        watchTimer = cancel(watchTimer);
        endTimer = cancel(endTimer);
    }

    private long cancel(final long timer)
    {
        if (NO_TIMER != timer)
        {
            group.reactor().cancel(timer);
        }
        return NO_TIMER;
    }

    private long nextNs()
    {
        return queue.awaitsCopy() ? COPY_RETRY_NS : Math.min(CHECK_NS, group.config().transferTimeoutNs() / 2);
    }

    private void onConnectTimeout(final long nowNs)
    {
        connectTimer = NO_TIMER;
        if (queue.isReady() && !queue.queuePair().connected())
        {
            group.counters().onConnectTimeout();
            queue.onProtocolError("no Connect command within " +
                TimeUnit.NANOSECONDS.toMillis(group.config().connectTimeoutNs()) + " ms");
        }
    }

    private void onWatch(final long nowNs)
    {
        watchTimer = NO_TIMER;
        if (queue.awaitsCopy())
        {
            queue.retry();
        }
        if (!queue.isAnyPosted() && !queue.awaitsCopy())
        {
            return;
        }
        queue.copyWantedLoans();
        if (progress != queue.progress())
        {
            progress = queue.progress();
            progressNs = nowNs;
        }
        if (nowNs - progressNs >= group.config().transferTimeoutNs())
        {
            end("no transfer ended within " + TimeUnit.NANOSECONDS.toMillis(nowNs - progressNs) +
                " ms: the host has stopped, or rdma.transfer-timeout is too short for it");
        }
        else if (queue.isLoanOverdue(nowNs - LOAN_LIMIT_NS))
        {
            end("an answer not taken while others have waited " + TimeUnit.NANOSECONDS.toMillis(LOAN_LIMIT_NS) +
                " ms to write what it borrows");
        }
        else
        {
            watchTimer = group.reactor().schedule(nowNs + nextNs(), watch);
        }
    }

    private void end(final String reason)
    {
        if (queue.isReading())
        {
            group.counters().onDataTimeout();
        }
        else
        {
            group.counters().onSendTimeout();
        }
        queue.onProtocolError(reason);
    }
}

package io.millrace.nvmf.tcp;

import io.millrace.reactor.TimerListener;
import java.util.concurrent.TimeUnit;

/**
 * When a connection sends next: in its group's next flush, or when its socket has room again. While that has none for
 * long, and somebody waits to write what answers borrow from devices, this is copied and given back. Its connection's
 * reactor only.
 */
final class SendTurn
{
    /**
     * How long a full socket may keep others from writing what its answers borrow from devices; then that is copied
     * and given back. What nobody waits for stays where it is: a host that reads all the time under load has a full
     * socket all the time, and copying for it would cost half of its answers' speed.
     */
    static final long LOAN_TIMEOUT_NS = 2_000_000L;
    /** A writer shows where else it is held up when it tries again, so after a copy the next look comes soon. */
    static final long LOAN_RETRY_NS = 100_000L;

    /**
     * How long a host may take nothing while others wait to write what its answers borrow and there are no buffers to
     * copy that to: it has its share of them and keeps it.
     */
    static final long LOAN_LIMIT_NS = 1_000_000_000L;

    private static final long NO_TIMER = -1;

    private final TcpPollGroup group;
    private final TcpConnection connection;
    private final PduSender sender;
    private final TimerListener loanListener = this::onLoanTimeout;
    private SendState state = SendState.IDLE;
    private long loanTimer = NO_TIMER;
    private long blockedSinceNs;
    private long progressBytes;
    private long progressNs;

    /**
     * Has nothing to send.
     *
     * @param group      that flushes.
     * @param connection that sends.
     * @param sender     of it.
     */
    SendTurn(final TcpPollGroup group, final TcpConnection connection, final PduSender sender)
    {
        this.group = group;
        this.connection = connection;
        this.sender = sender;
    }

    SendState state()
    {
        return state;
    }

    /**
     * There is something to send: it goes with the group's next flush, unless there was something before.
     */
    void request()
    {
        if (SendState.IDLE == state)
        {
            state = SendState.QUEUED;
            group.addFlush(connection);
        }
    }

    /**
     * How far a flush went.
     *
     * @param next what the connection waits for now.
     */
    void onFlushed(final SendState next)
    {
        if (SendState.BLOCKED == next && SendState.BLOCKED != state)
        {
            blockedSinceNs = group.reactor().nowNs();
            progressBytes = sender.sentBytes();
            progressNs = blockedSinceNs;
            if (NO_TIMER == loanTimer)
            {
                loanTimer = group.reactor().schedule(blockedSinceNs + LOAN_TIMEOUT_NS, loanListener);
            }
        }
        if (SendState.QUEUED == next && SendState.BLOCKED == state)
        {
            // Epoll said that there is room, so it is not in the list of those who flush each cycle.
            group.addFlush(connection);
        }
        state = next;
    }

    /**
     * The connection sends no more.
     */
    void stop()
    {
        state = SendState.IDLE;
        if (NO_TIMER != loanTimer)
        {
            group.reactor().cancel(loanTimer);
            loanTimer = NO_TIMER;
        }
    }

    private void onLoanTimeout(final long nowNs)
    {
        loanTimer = NO_TIMER;
        if (SendState.BLOCKED == state)
        {
            long dueNs = blockedSinceNs + LOAN_TIMEOUT_NS;
            if (dueNs - nowNs <= 0)
            {
                final int result = sender.copyLoans();
                final int copied = result < 0 ? ~result : result;
                group.counters().onCopiedLoans(copied);
                dueNs = nowNs + (copied > 0 ? LOAN_RETRY_NS : LOAN_TIMEOUT_NS);
                if (isOverdue(nowNs, result < 0 ? LOAN_LIMIT_NS : Long.MAX_VALUE))
                {
                    return;
                }
            }
            loanTimer = group.reactor().schedule(dueNs, loanListener);
        }
    }

    /** Ends the connection when its host has taken nothing for too long. */
    private boolean isOverdue(final long nowNs, final long loanLimitNs)
    {
        if (progressBytes != sender.sentBytes())
        {
            progressBytes = sender.sentBytes();
            progressNs = nowNs;
        }
        final long sendLimitNs = group.config().sendTimeoutNs();
        final long silentNs = nowNs - progressNs;
        if (silentNs < Math.min(sendLimitNs, loanLimitNs))
        {
            return false;
        }
        group.counters().onSendTimeout();
        connection.onTransferTimeout("no byte of the answers taken within " +
            TimeUnit.NANOSECONDS.toMillis(silentNs) + " ms: " + (silentNs < sendLimitNs ?
            "others wait to write what they borrow, and the host's share of buffers is used up" :
            "the host has stopped, or tcp.send-timeout is too short for it"));
        return true;
    }
}

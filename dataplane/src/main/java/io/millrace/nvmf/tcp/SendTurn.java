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
     * How long others may wait to write what a host's answers borrow when there are no buffers to copy that to, since
     * it has its share of them. However slowly the host goes on, and however many hosts borrow the same: each one's
     * time begins when the writer comes, not when another one's has ended.
     */
    static final long LOAN_LIMIT_NS = 1_000_000_000L;

    private static final long NO_TIMER = -1;

    private final TcpPollGroup group;
    private final TcpConnection connection;
    private final PduSender sender;
    private final TimerListener loanListener = this::onLoanTimeout;
    private SendState state = SendState.IDLE;
    private long loanTimer = NO_TIMER;
    private long progressBytes;
    private long progressNs;
    /** Since when there has been something at each look that somebody waits to write and that could not be copied. */
    private long uncopiedSinceNs;
    private boolean isUncopied;

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
        // The timer runs on until everything has left: one that is blocked again and again must not begin anew.
        if (SendState.BLOCKED == next && NO_TIMER == loanTimer)
        {
            progressNs = group.reactor().nowNs();
            progressBytes = sender.sentBytes();
            isUncopied = false;
            loanTimer = group.reactor().schedule(progressNs + LOAN_TIMEOUT_NS, loanListener);
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
        if (SendState.IDLE == state)
        {
            return;
        }
        final int result = sender.copyLoans();
        final int copied = result < 0 ? ~result : result;
        group.counters().onCopiedLoans(copied);
        uncopiedSinceNs = isUncopied ? uncopiedSinceNs : nowNs;
        isUncopied = result < 0;
        if (!isOverdue(nowNs))
        {
            loanTimer = group.reactor().schedule(
                nowNs + (copied > 0 ? LOAN_RETRY_NS : LOAN_TIMEOUT_NS), loanListener);
        }
    }

    /** Ends the connection when its host has taken nothing for too long, or has kept others from writing. */
    private boolean isOverdue(final long nowNs)
    {
        if (progressBytes != sender.sentBytes())
        {
            progressBytes = sender.sentBytes();
            progressNs = nowNs;
        }
        final long silentNs = nowNs - progressNs;
        if (silentNs >= group.config().sendTimeoutNs())
        {
            end("no byte of the answers taken within " + TimeUnit.NANOSECONDS.toMillis(silentNs) +
                " ms: the host has stopped, or tcp.send-timeout is too short for it");
            return true;
        }
        if (isUncopied && nowNs - uncopiedSinceNs >= LOAN_LIMIT_NS)
        {
            end("answers not taken while others have waited " +
                TimeUnit.NANOSECONDS.toMillis(nowNs - uncopiedSinceNs) +
                " ms to write what they borrow, and the host's share of buffers is used up");
            return true;
        }
        return false;
    }

    private void end(final String reason)
    {
        group.counters().onSendTimeout();
        connection.onTransferTimeout(reason);
    }
}

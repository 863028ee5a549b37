package io.millrace.nvmf.tcp;

import io.millrace.reactor.TimerListener;
import java.util.concurrent.TimeUnit;

/**
 * Schedules the sending of a connection: in its group's next flush, or when its socket has room again. While the socket
 * has been full for long and writers wait for memory that responses borrow from devices, that memory is copied and
 * returned. Its connection's reactor only.
 */
final class SendScheduler
{
    /**
     * How long a full socket may block writers of memory that its responses borrow from devices; then that memory is
     * copied and returned. Memory that no writer waits for stays borrowed: a host that reads continuously has a full
     * socket all the time, and copying would halve its throughput.
     */
    static final long LOAN_TIMEOUT_NS = 2_000_000L;
    /** A writer reveals further loans that block it when it retries, so the next check follows a copy soon. */
    static final long LOAN_RETRY_NS = 100_000L;

    /**
     * How long writers may wait for memory that a host's responses borrow when there are no buffers to copy it to,
     * since the host has its share of them. It holds however slowly the host progresses, and however many hosts borrow
     * the same memory: each one's time begins when the writer arrives, not when another one's has ended.
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
    /** Since when each check has found borrowed memory that a writer waits for and that could not be copied. */
    private long uncopiedSinceNs;
    private boolean isUncopied;

    /**
     * Creates a scheduler with nothing to send.
     *
     * @param group      that flushes.
     * @param connection that sends.
     * @param sender     the connection's sender.
     */
    SendScheduler(final TcpPollGroup group, final TcpConnection connection, final PduSender sender)
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
     * There is something to send: it is sent in the group's next flush, unless one is already scheduled.
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
        // The timer runs until everything is sent: repeated blocking must not restart it.
        if (SendState.BLOCKED == next && NO_TIMER == loanTimer)
        {
            progressNs = group.reactor().nowNs();
            progressBytes = sender.sentBytes();
            isUncopied = false;
            loanTimer = group.reactor().schedule(progressNs + LOAN_TIMEOUT_NS, loanListener);
        }
        if (SendState.QUEUED == next && SendState.BLOCKED == state)
        {
            // Epoll reported room, so it is not in the list of connections that flush in each cycle.
            group.addFlush(connection);
        }
        state = next;
    }

    /**
     * The connection stops sending.
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

    /** Ends the connection when its host has received nothing for too long, or has blocked writers. */
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

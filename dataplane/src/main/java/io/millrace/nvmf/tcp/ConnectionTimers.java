package io.millrace.nvmf.tcp;

import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.util.concurrent.TimeUnit;

/**
 * Time-outs of a connection for its host: for the Connect command in the beginning, for data that was asked for, for
 * the end of the stream in the end. Its connection's reactor only; control path.
 */
final class ConnectionTimers
{
    /**
     * How long a host has to close after C2HTermReq or the target's end of stream. The specification allows up to 30 s;
     * a connection that ends anyway need not hold its slot so long.
     */
    static final long DRAIN_TIMEOUT_NS = 2_000_000_000L;

    private static final long NO_TIMER = -1;

    private final TcpPollGroup group;
    private final TcpConnection connection;
    private long connectTimer = NO_TIMER;
    private long drainTimer = NO_TIMER;
    /** Runs from the first R2T on, and ends by itself when it finds that no data is awaited. */
    private long dataTimer = NO_TIMER;
    private final TransferProgress dataProgress;
    private final TimerListener dataListener = this::onDataTimer;

    /**
     * Creates timers that do not run.
     *
     * @param group      of the connection.
     * @param connection that waits.
     */
    ConnectionTimers(final TcpPollGroup group, final TcpConnection connection)
    {
        this.group = group;
        this.connection = connection;
        dataProgress = new TransferProgress(group.config().dataTimeoutNs());
    }

    /**
     * Starts the time-out of the Connect command.
     */
    void awaitConnect()
    {
        final Reactor reactor = group.reactor();
        connectTimer = reactor.schedule(reactor.nowNs() + group.config().connectTimeoutNs(), this::onConnectTimeout);
    }

    /**
     * Starts the time-out of data without progress.
     */
    void awaitData()
    {
        if (NO_TIMER == dataTimer)
        {
            final Reactor reactor = group.reactor();
            dataProgress.begin(reactor.nowNs());
            dataTimer = reactor.schedule(dataProgress.nextCheckNs(reactor.nowNs()), dataListener);
        }
    }

    /**
     * Begins to wait for the host's end of the stream, {@link #DRAIN_TIMEOUT_NS} long.
     *
     * @param reason that the connection ends for.
     */
    void awaitEnd(final String reason)
    {
        final Reactor reactor = group.reactor();
        drainTimer = reactor.schedule(reactor.nowNs() + DRAIN_TIMEOUT_NS, (nowNs) -> connection.close(reason));
    }

    /**
     * Cancels all timers.
     */
    void cancel()
    {
        if (NO_TIMER != connectTimer)
        {
            group.reactor().cancel(connectTimer);
        }
        if (NO_TIMER != drainTimer)
        {
            group.reactor().cancel(drainTimer);
        }
        if (NO_TIMER != dataTimer)
        {
            group.reactor().cancel(dataTimer);
            dataTimer = NO_TIMER;
        }
    }

    private void onDataTimer(final long nowNs)
    {
        dataTimer = NO_TIMER;
        if (!connection.isReady() || !connection.h2cData().isAwaiting())
        {
            return;
        }
        // Data that is not received cannot be distinguished from data that was not sent.
        if (!connection.canReceiveData())
        {
            dataProgress.restart(nowNs);
        }
        if (dataProgress.isOverdue(connection.h2cData().progress(), nowNs))
        {
            group.counters().onDataTimeout();
            connection.onTransferTimeout("no byte of the data that was asked for within " +
                TimeUnit.NANOSECONDS.toMillis(group.config().dataTimeoutNs()) + " ms: the host has stopped, or " +
                "tcp.data-timeout is too short for it");
            return;
        }
        dataTimer = group.reactor().schedule(dataProgress.nextCheckNs(nowNs), dataListener);
    }

    private void onConnectTimeout(final long nowNs)
    {
        if (connection.isReceiving() && !connection.queuePair().connected())
        {
            group.counters().onConnectTimeout();
            final String reason = "no Connect command within " +
                TimeUnit.NANOSECONDS.toMillis(group.config().connectTimeoutNs()) + " ms";
            connection.queuePair().onProtocolError(reason);
            connection.close(reason);
        }
    }
}

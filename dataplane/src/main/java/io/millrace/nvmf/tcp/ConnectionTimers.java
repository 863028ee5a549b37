package io.millrace.nvmf.tcp;

import io.millrace.reactor.Reactor;
import java.util.concurrent.TimeUnit;

/**
 * How long a connection waits for its host: for the Connect command in the beginning, for the end of the stream in the
 * end. Its connection's reactor only; control path.
 */
final class ConnectionTimers
{
    /**
     * How long a host has to close after C2HTermReq or the target's end of stream. The specification allows up to 30 s;
     * a connection that is over anyway need not hold its slot so long.
     */
    static final long DRAIN_TIMEOUT_NS = 2_000_000_000L;

    private static final long NO_TIMER = -1;

    private final TcpPollGroup group;
    private final TcpConnection connection;
    private long connectTimer = NO_TIMER;
    private long drainTimer = NO_TIMER;

    /**
     * Waits for nothing yet.
     *
     * @param group      of the connection.
     * @param connection that waits.
     */
    ConnectionTimers(final TcpPollGroup group, final TcpConnection connection)
    {
        this.group = group;
        this.connection = connection;
    }

    /**
     * Begins to wait for a Connect command, as long as the configuration says.
     */
    void awaitConnect()
    {
        final Reactor reactor = group.reactor();
        connectTimer = reactor.schedule(reactor.nowNs() + group.config().connectTimeoutNs(), this::onConnectTimeout);
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
     * Waits for nothing any more.
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

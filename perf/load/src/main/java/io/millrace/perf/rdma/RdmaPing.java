package io.millrace.perf.rdma;

import io.millrace.bindings.NativeMemory;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.CompletionStatus;
import io.millrace.rdma.endpoint.ConnectionManager;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.reactor.Reactor;
import java.util.concurrent.TimeUnit;

/**
 * Sends messages to a {@link RdmaTestServer} and times their way there and back, one at a time. A ping without reply
 * ends its connection, so that a late reply is not taken for that of the next one; the next ping connects again, which
 * is not part of its time. Reactor's thread.
 */
public final class RdmaPing implements AutoCloseable
{
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long NO_TIMER = -1;
    private static final int SLOTS = 2;

    private final Reactor reactor;
    private final RdmaPingConfig pings;
    private final PingListener listener;
    private final ConnectionManager manager;
    /** Null when the next ping has to connect. */
    private Session session;
    private State state = State.IDLE;
    private long sequence;
    private long startNs;
    private long dueNs;
    private long timerId = NO_TIMER;

    private enum State
    {
        /** Between two pings. */
        IDLE,
        /** The current ping has no connection yet. */
        CONNECTING,
        /** The message of the current ping is under way. */
        AWAITING_REPLY,
        /** The last ping has ended, or this was closed. */
        ENDED
    }

    /**
     * Sends the first ping.
     *
     * @param reactor  that calls this.
     * @param config   of the pings.
     * @param listener notified of each.
     * @throws RdmaException when there is no RDMA on this machine, with what to do.
     */
    public RdmaPing(final Reactor reactor, final RdmaPingConfig config, final PingListener listener)
    {
        this(reactor, LinuxRdmaCore.INSTANCE, config, listener);
    }

    /** As above, with another rdma-core. */
    RdmaPing(
        final Reactor reactor, final RdmaCore core, final RdmaPingConfig config, final PingListener listener)
    {
        this.reactor = reactor;
        pings = config;
        this.listener = listener;
        manager = new ConnectionManager(reactor, core, RdmaTests.COMPLETIONS_MAX);
        // Never within this call: the listener may want to close this.
        timerId = reactor.schedule(reactor.nowNs(), (_) -> next());
    }

    private void next()
    {
        timerId = NO_TIMER;
        sequence++;
        dueNs = reactor.nowNs() + pings.intervalNs();
        if (null != session)
        {
            session.send();
            return;
        }
        state = State.CONNECTING;
        final Session made = new Session();
        try
        {
            manager.connect(pings.server(), made.queuePairConfig(), made, made.hello().encode(), CONNECT_NS);
            session = made;
        }
        catch (final RdmaException e)
        {
            made.free();
            onLost(e.getMessage());
        }
    }

    private void onLost(final String reason)
    {
        state = State.IDLE;
        listener.onLost(sequence, reason);
        scheduleNext();
    }

    private void onReply(final long ns)
    {
        state = State.IDLE;
        cancelTimer();
        listener.onReply(sequence, ns);
        scheduleNext();
    }

    /** A ping that took longer than the interval is followed by the next one at once. */
    private void scheduleNext()
    {
        if (State.IDLE == state && sequence == pings.count())
        {
            state = State.ENDED;
            listener.onEnd();
        }
        else if (State.IDLE == state)
        {
            timerId = reactor.schedule(dueNs, (_) -> next());
        }
    }

    private void onSessionClosed(final Session closed, final String reason)
    {
        if (closed != session)
        {
            return;
        }
        session = null;
        if (State.CONNECTING == state || State.AWAITING_REPLY == state)
        {
            cancelTimer();
            onLost(reason);
        }
    }

    private void cancelTimer()
    {
        if (NO_TIMER != timerId)
        {
            reactor.cancel(timerId);
            timerId = NO_TIMER;
        }
    }

    /** Ends the connection; a ping that is under way is not reported. A second call does nothing. */
    @Override
    public void close()
    {
        state = State.ENDED;
        cancelTimer();
        manager.close();
    }

    /** One connection: a message in the first half of its memory, its reply in the second one. */
    private final class Session extends RdmaTest<Void>
    {
        private Session()
        {
            super(new RdmaTestConfig(
                pings.server(), RdmaOperation.SEND, pings.sizeBytes(), SLOTS, 1), SLOTS);
        }

        @Override
        RdmaHello.Client hello()
        {
            return new RdmaHello.Client(true, config.sizeBytes(), SLOTS);
        }

        @Override
        void begin()
        {
            send();
        }

        private void send()
        {
            state = State.AWAITING_REPLY;
            final byte pattern = (byte)sequence;
            NativeMemory.fill(address(0), config.sizeBytes(), pattern);
            NativeMemory.fill(address(1), config.sizeBytes(), (byte)~pattern);
            segment(1);
            queuePair().postReceive(0);
            timerId = reactor.schedule(reactor.nowNs() + pings.timeoutNs(), (_) ->
            {
                timerId = NO_TIMER;
                lose("no reply within " + TimeUnit.NANOSECONDS.toMillis(pings.timeoutNs()) +
                    " ms: check the server's process and its CPU time");
            });
            startNs = System.nanoTime();
            post(0, 0, false);
        }

        private void lose(final String reason)
        {
            session = null;
            connection().close(reason);
            onLost(reason);
        }

        @Override
        public void onReceived(final long id, final CompletionStatus status, final int bytes, final int immediate)
        {
            if (CompletionStatus.SUCCESS != status || State.AWAITING_REPLY != state || this != session)
            {
                return;
            }
            final long ns = System.nanoTime() - startNs;
            if (bytes != config.sizeBytes() ||
                -1 != NativeMemory.mismatch(address(0), address(1), config.sizeBytes()))
            {
                cancelTimer();
                lose("the reply differs from what was sent: check memory and devices of both machines");
                return;
            }
            onReply(ns);
        }

        @Override
        void onDone(final long id)
        {
            // The reply is what counts.
        }

        @Override
        public void onClosed(final RdmaConnection closed, final String reason)
        {
            super.onClosed(closed, reason);
            onSessionClosed(this, failure(closed, reason));
        }
    }
}

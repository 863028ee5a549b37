package io.millrace.nvmf.initiator;

import io.millrace.reactor.Poller;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.TimerListener;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The initiator on one reactor: all connections of the reactor take turns in it. Make one for each reactor that
 * queue pairs are to live on. Made and closed from any thread; everything else happens on the reactor.
 */
public final class HostPollGroup implements Poller, AutoCloseable
{
    /** With more busy connections, polling each socket costs more than one epoll call for all. */
    private static final int POLLED_CONNECTIONS_MAX = 8;
    private static final long TICK_NS = 50_000_000;

    private final Reactor reactor;
    private final List<HostTransport> transports;
    private final TimerListener tick = this::onTick;
    private HostQueueTransport[] connections = {};
    private long nowNs;
    private boolean ticking;

    /**
     * Puts the initiator on a reactor.
     *
     * @param reactor    to live on; started or not.
     * @param transports of this group alone, one of a type; closed with it.
     */
    public HostPollGroup(final Reactor reactor, final List<HostTransport> transports)
    {
        this.reactor = reactor;
        this.transports = List.copyOf(transports);
        nowNs = reactor.clockNs();
        reactor.execute(() -> reactor.addPoller(this));
    }

    /**
     * {@return the reactor it lives on}
     */
    public Reactor reactor()
    {
        return reactor;
    }

    /**
     * {@return the transport that a target is reached by}
     *
     * @param config of the target.
     * @throws InitiatorException when there is no such transport.
     */
    HostTransport transport(final ConnectionConfig config)
    {
        for (final HostTransport transport : transports)
        {
            if (config.transport() == transport.type())
            {
                return transport;
            }
        }
        throw new InitiatorException("target " + config.target() + ": transport " + config.transport() +
            " is not in this build: use " + transports.stream().map((each) -> each.type().toString())
            .collect(Collectors.joining(", ")));
    }

    /**
     * {@return the latest reading of the clock}
     */
    public long nowNs()
    {
        return nowNs;
    }

    /**
     * Reads the clock again, when bytes have come and the time until the next cycle would distort their latency.
     */
    public void readClock()
    {
        nowNs = reactor.clockNs();
    }

    /**
     * {@return whether sockets are polled in every cycle rather than when epoll reports them}
     */
    public boolean pollsDirectly()
    {
        return connections.length <= POLLED_CONNECTIONS_MAX;
    }

    @Override
    public int poll()
    {
        final HostQueueTransport[] current = connections;
        if (0 == current.length)
        {
            return 0;
        }
        readClock();
        int work = 0;
        if (pollsDirectly())
        {
            for (final HostQueueTransport connection : current)
            {
                work += connection.wantsPoll() ? connection.poll() : connection.pollWithoutReceive();
            }
        }
        else
        {
            for (final HostQueueTransport connection : current)
            {
                work += connection.pollWithoutReceive();
            }
        }
        return work;
    }

    @Override
    public boolean canSleep()
    {
        for (final HostQueueTransport connection : connections)
        {
            if (!connection.arm())
            {
                return false;
            }
        }
        return true;
    }

    /**
     * A queue begins to have turns. On the reactor.
     *
     * @param connection that was opened.
     */
    public void add(final HostQueueTransport connection)
    {
        final HostQueueTransport[] grown = Arrays.copyOf(connections, connections.length + 1);
        grown[connections.length] = connection;
        connections = grown;
        if (!ticking)
        {
            ticking = true;
            reactor.schedule(nowNs + TICK_NS, tick);
        }
    }

    /**
     * A queue has no turns any more. On the reactor.
     *
     * @param connection that is closed.
     */
    public void remove(final HostQueueTransport connection)
    {
        for (int i = 0; i < connections.length; i++)
        {
            if (connections[i] == connection)
            {
                final HostQueueTransport[] shrunk = Arrays.copyOf(connections, connections.length - 1);
                System.arraycopy(connections, i + 1, shrunk, i, shrunk.length - i);
                connections = shrunk;
                return;
            }
        }
    }

    private void onTick(final long timerNowNs)
    {
        readClock();
        for (final HostQueueTransport connection : connections)
        {
            connection.onTick(nowNs);
        }
        ticking = connections.length > 0;
        if (ticking)
        {
            reactor.schedule(nowNs + TICK_NS, tick);
        }
    }

    /**
     * Takes the initiator off its reactor. All controllers and queue pairs on it have been closed before; what is still
     * open is cut off. Not on the reactor's thread.
     *
     * @throws java.util.concurrent.CompletionException of what went wrong at the end of a connection; the group has
     *                                                  left its reactor nevertheless.
     */
    @Override
    public void close()
    {
        Reactor.checkMayBlock("the end of a poll group");
        reactor.call(() ->
        {
            try
            {
                for (final HostQueueTransport connection : connections)
                {
                    connection.close("poll group is closed");
                    connection.poll();
                }
            }
            finally
            {
                leave();
            }
            return null;
        }).join();
    }

    /**
     * Takes the initiator off its reactor, without waiting. All controllers and queue pairs on it have been closed
     * before. A command of its reactor, not within a turn of the group.
     */
    void leave()
    {
        reactor.removePoller(this);
        transports.forEach(HostTransport::close);
    }
}

package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.rdmacm.ConnectionId;
import io.millrace.bindings.rdmacm.RdmaCm;
import io.millrace.bindings.rdmacm.RdmaCmCalls;
import io.millrace.rdma.RdmaException;
import java.net.InetSocketAddress;

/**
 * A connection to a peer, or the request for one. Made by a {@link ConnectionManager}. Reactor's thread.
 */
public final class RdmaConnection
{
    private static final byte[] NO_DATA = new byte[0];
    private static final long NO_TIMER = -1;
    /** Requests come back in microseconds once a queue pair has failed. */
    private static final long DRAIN_NS = 1_000_000_000L;

    private final ConnectionManager manager;
    private final long idAddress;
    private ConnectionHandler handler;
    private QueuePairConfig config;
    private byte[] ownData;
    private byte[] peerData = NO_DATA;
    private int peerReads = QueuePairConfig.READS_MAX;
    private int peerReadDepth = QueuePairConfig.READS_MAX;
    private ConnectionState state;
    private RdmaDomain domain;
    private RdmaQueuePair queuePair;
    private long timerId = NO_TIMER;
    private String reason = "";

    /** One that connects. */
    RdmaConnection(
        final ConnectionManager manager,
        final long idAddress,
        final QueuePairConfig config,
        final ConnectionHandler handler,
        final byte[] ownData)
    {
        this.manager = manager;
        this.idAddress = idAddress;
        this.config = config;
        this.handler = handler;
        this.ownData = ownData;
        state = ConnectionState.RESOLVING_ADDRESS;
    }

    /** One that a peer asked for. */
    RdmaConnection(final ConnectionManager manager, final long idAddress, final PeerParameters peer)
    {
        this.manager = manager;
        this.idAddress = idAddress;
        onPeer(peer);
        state = ConnectionState.REQUESTED;
    }

    /**
     * {@return its state}
     */
    public ConnectionState state()
    {
        return state;
    }

    /**
     * {@return its queues, from {@link ConnectionHandler#onQueuePair} to {@link ConnectionHandler#onClosed}}
     */
    public RdmaQueuePair queuePair()
    {
        return queuePair;
    }

    /**
     * {@return what its memory is registered with, as soon as it has a device}
     */
    public RdmaDomain domain()
    {
        if (null == domain)
        {
            domain = manager.domain(ConnectionId.context(idAddress));
        }
        return domain;
    }

    /**
     * {@return what the peer said when it connected, accepted or refused; zeros may follow it, as on RoCE}
     */
    public byte[] peerData()
    {
        return peerData.clone();
    }

    /**
     * {@return the address of the peer, while it is not closed}
     */
    public InetSocketAddress peerAddress()
    {
        return SocketAddress.read(ConnectionId.peerAddress(idAddress));
    }

    /**
     * {@return the address of this side, while it is not closed}
     */
    public InetSocketAddress localAddress()
    {
        return SocketAddress.read(ConnectionId.localAddress(idAddress));
    }

    /**
     * Accepts the peer's request.
     *
     * @param queuePairConfig   sizes.
     * @param connectionHandler owner; asked for receive requests before this returns.
     * @param data              that the peer is told, up to {@value ConnectionManager#ACCEPT_DATA_BYTES_MAX} bytes.
     * @throws RdmaException when no queue pair can be made; the peer is refused then, and the handler told.
     */
    public void accept(
        final QueuePairConfig queuePairConfig, final ConnectionHandler connectionHandler, final byte[] data)
    {
        if (ConnectionState.REQUESTED != state)
        {
            throw new IllegalStateException("cannot accept a connection that is " + state);
        }
        ConnectionManager.checkData(data, ConnectionManager.ACCEPT_DATA_BYTES_MAX);
        config = queuePairConfig;
        handler = connectionHandler;
        ownData = data.clone();
        try
        {
            openQueuePair();
            state = ConnectionState.ACCEPTING;
            check("rdma_accept", RdmaCmCalls.accept(idAddress, parameters()));
        }
        catch (final RdmaException e)
        {
            RdmaCmCalls.reject(idAddress, 0L, 0);
            reason = e.getMessage();
            finish();
            throw e;
        }
    }

    /**
     * Refuses the peer's request; it is gone then.
     *
     * @param data that the peer is told, up to {@value ConnectionManager#REJECT_DATA_BYTES_MAX} bytes.
     */
    public void reject(final byte[] data)
    {
        if (ConnectionState.REQUESTED != state)
        {
            throw new IllegalStateException("cannot reject a connection that is " + state);
        }
        ConnectionManager.checkData(data, ConnectionManager.REJECT_DATA_BYTES_MAX);
        RdmaCmCalls.reject(idAddress, manager.privateData(data), data.length);
        finish();
    }

    /**
     * Ends the connection. What is outstanding is reported as flushed, then that it is closed; both after this has
     * returned, unless it was never established. Does nothing when it ends already.
     *
     * @param why for the handler.
     */
    public void close(final String why)
    {
        switch (state)
        {
            case CLOSING, CLOSED ->
            {
                // Its first reason stands.
            }
            case ESTABLISHED, ACCEPTING ->
            {
                reason = why;
                cancelTimer();
                state = ConnectionState.CLOSING;
                // Fails the queue pair, whose requests come back as flushed. It has failed already when this fails.
                RdmaCmCalls.disconnect(idAddress);
                timerId = manager.reactor().schedule(manager.reactor().nowNs() + DRAIN_NS, (_) ->
                {
                    timerId = NO_TIMER;
                    finish();
                });
                onProgress();
            }
            default ->
            {
                reason = why;
                finish();
            }
        }
    }

    void start(final long timeoutNs, final String peer)
    {
        timerId = manager.reactor().schedule(manager.reactor().nowNs() + timeoutNs, (_) ->
        {
            timerId = NO_TIMER;
            close(peer + " does not answer: check its address, the link, and that it listens there for RDMA");
        });
    }

    void onEvent(final int type, final int status, final PeerParameters peer)
    {
        try
        {
            if (RdmaCm.RDMA_CM_EVENT_ADDR_RESOLVED == type)
            {
                state = ConnectionState.RESOLVING_ROUTE;
                check("rdma_resolve_route", RdmaCmCalls.resolveRoute(idAddress, ConnectionManager.RESOLVE_MS));
            }
            else if (RdmaCm.RDMA_CM_EVENT_ROUTE_RESOLVED == type)
            {
                openQueuePair();
                state = ConnectionState.CONNECTING;
                check("rdma_connect", RdmaCmCalls.connect(idAddress, parameters()));
            }
            else if (RdmaCm.RDMA_CM_EVENT_ESTABLISHED == type)
            {
                cancelTimer();
                if (ConnectionState.CONNECTING == state)
                {
                    onPeer(peer);
                }
                state = ConnectionState.ESTABLISHED;
                handler.onEstablished(this);
            }
            else if (RdmaCm.RDMA_CM_EVENT_TIMEWAIT_EXIT != type)
            {
                onPeer(peer);
                close(ConnectionFailures.text(type, status));
            }
        }
        catch (final RdmaException e)
        {
            close(e.getMessage());
        }
    }

    private void onPeer(final PeerParameters peer)
    {
        peerData = peer.data();
        peerReads = peer.reads();
        peerReadDepth = peer.readDepth();
    }

    private void openQueuePair()
    {
        final RdmaQueuePair made = new RdmaQueuePair(domain().completions(), handler, config, this::onProgress);
        final int status = manager.createQueuePair(idAddress, domain(), config);
        if (0 != status)
        {
            made.close();
            throw new RdmaException("no queue pair of " + config + ": " + Errno.describe(-status) +
                "; the device has its limits in: millrace rdma devices");
        }
        made.open(ConnectionId.queuePair(idAddress), manager.grantedInlineBytes());
        queuePair = made;
        handler.onQueuePair(this);
    }

    /** Neither side asks for more reads than the other serves. */
    private long parameters()
    {
        return manager.parameters(ownData,
            Math.min(Math.min(config.reads(), peerReadDepth), domain().readsServed()),
            Math.min(Math.min(config.reads(), peerReads), domain().readsInitiated()));
    }

    private static void check(final String function, final int status)
    {
        if (status < 0)
        {
            throw new RdmaException(function + ": " + Errno.describe(-status));
        }
    }

    /** A request has failed, or nothing is outstanding. */
    private void onProgress()
    {
        if (ConnectionState.CLOSING == state)
        {
            if (0 == queuePair.outstanding())
            {
                finish();
            }
        }
        else if (ConnectionState.CLOSED != state && CompletionStatus.SUCCESS != queuePair.failure())
        {
            close(queuePair.failure().text());
        }
    }

    private void cancelTimer()
    {
        if (NO_TIMER != timerId)
        {
            manager.reactor().cancel(timerId);
            timerId = NO_TIMER;
        }
    }

    /** Frees all of it. */
    void finish()
    {
        if (ConnectionState.CLOSED == state)
        {
            return;
        }
        state = ConnectionState.CLOSED;
        cancelTimer();
        if (null != queuePair)
        {
            RdmaCmCalls.destroyQueuePair(idAddress);
        }
        manager.remove(this, idAddress);
        RdmaCmCalls.destroyId(idAddress);
        if (null != queuePair)
        {
            queuePair.close();
            // The peer that found a request wrong may say goodbye before the request says so.
            if (ConnectionFailures.PEER_ENDED.equals(reason) && CompletionStatus.SUCCESS != queuePair.failure())
            {
                reason = queuePair.failure().text();
            }
        }
        if (null != handler)
        {
            handler.onClosed(this, reason);
        }
    }
}

package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.rdmacm.ConnectionId;
import io.millrace.bindings.rdmacm.RdmaCm;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import java.net.InetSocketAddress;
import java.util.concurrent.RejectedExecutionException;

/**
 * A connection to a peer, or the request for one. Made by a {@link ConnectionManager}. Reactor's thread.
 */
public final class RdmaConnection
{
    private static final byte[] NO_DATA = new byte[0];
    private static final long NO_TIMER = -1;
    /** Requests come back in microseconds once a queue pair has failed. */
    private static final long DRAIN_NS = 1_000_000_000L;
    /** Not every device says when a failed queue pair has let go of its shared receive queue. */
    private static final long SHARED_DRAIN_NS = 50_000_000L;

    private final ConnectionManager manager;
    private final RdmaCore core;
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
    /** Whether the peer asked for it. */
    private final boolean isRequest;
    private boolean isRejected;
    /** Whether its device is gone, and the hardware may still use memory of its requests. */
    private boolean isOnHardware;
    /** Whether it ends since the peer was not found, did not answer or refused. */
    private boolean hasNotReachedPeer;
    /** Set when the identifier is freed. */
    private InetSocketAddress lastPeerAddress;
    private InetSocketAddress lastLocalAddress;

    /** One that connects. */
    RdmaConnection(
        final ConnectionManager manager,
        final long idAddress,
        final QueuePairConfig config,
        final ConnectionHandler handler,
        final byte[] ownData)
    {
        this.manager = manager;
        core = manager.core();
        this.idAddress = idAddress;
        this.config = config;
        this.handler = handler;
        this.ownData = ownData;
        isRequest = false;
        state = ConnectionState.RESOLVING_ADDRESS;
    }

    /** One that a peer asked for. */
    RdmaConnection(final ConnectionManager manager, final long idAddress, final PeerParameters peer)
    {
        this.manager = manager;
        core = manager.core();
        this.idAddress = idAddress;
        isRequest = true;
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
     * {@return what its memory is registered with: of a connection manager with a {@link RdmaMemory} from
     *     {@link ConnectionHandler#onQueuePair} on, of another as soon as it has a device}
     */
    public RdmaDomain domain()
    {
        if (null == domain)
        {
            if (ConnectionState.CLOSED == state)
            {
                throw new IllegalStateException("a closed connection has no device");
            }
            domain = manager.devices().domain(idAddress);
        }
        return domain;
    }

    /**
     * {@return the keys of the memory that is registered for all connections, from
     *     {@link ConnectionHandler#onQueuePair} on}
     */
    public RegionKeys keys()
    {
        return domain().keys();
    }

    /**
     * {@return what the peer said when it connected, accepted or refused; zeros may follow it, as on RoCE}
     */
    public byte[] peerData()
    {
        return peerData.clone();
    }

    /**
     * {@return whether a connection of this side ended since its peer was not found, did not answer or refused; false
     *     when something of this side failed}
     */
    public boolean hasNotReachedPeer()
    {
        return hasNotReachedPeer;
    }

    /**
     * {@return the address of the peer}
     */
    public InetSocketAddress peerAddress()
    {
        return null != lastPeerAddress ? lastPeerAddress : SocketAddress.read(ConnectionId.peerAddress(idAddress));
    }

    /**
     * {@return the address of this side}
     */
    public InetSocketAddress localAddress()
    {
        return null != lastLocalAddress ? lastLocalAddress : SocketAddress.read(ConnectionId.localAddress(idAddress));
    }

    /**
     * {@return the kernel's name of its device, from the request or {@link ConnectionHandler#onQueuePair} on, until
     * it is
     *     closed}
     */
    public String deviceName()
    {
        return core.deviceName(ConnectionId.context(idAddress));
    }

    /**
     * {@return the port of its device, from 1, as long as {@link #deviceName}}
     */
    public int devicePort()
    {
        return ConnectionId.devicePort(idAddress);
    }

    /**
     * {@return the index of the GID that is the address of this side, as long as {@link #deviceName}; -1 where none is,
     *     as on InfiniBand and iWARP. A system call}
     */
    public int gidIndex()
    {
        return core.gidIndex(ConnectionId.context(idAddress), devicePort(), localAddress().getAddress());
    }

    /**
     * {@return whether its device is an iWARP one, which reads only into memory that peers may write; from the request
     *     or {@link ConnectionHandler#onQueuePair} on, until it is closed}
     */
    public boolean isIwarp()
    {
        return Verbs.IBV_TRANSPORT_IWARP == core.transportType(ConnectionId.context(idAddress));
    }

    /**
     * Accepts the peer's request. The handler is notified when that fails, also when the peer has given up.
     *
     * @param queuePairConfig   sizes.
     * @param connectionHandler owner; asked for receive requests when the device is open, maybe before this
     *                          returns.
     * @param data              private data for the peer, up to {@value ConnectionManager#ACCEPT_DATA_BYTES_MAX} bytes.
     */
    public void accept(
        final QueuePairConfig queuePairConfig, final ConnectionHandler connectionHandler, final byte[] data)
    {
        if (ConnectionState.REQUESTED != state && !isUnansweredRequest())
        {
            throw new IllegalStateException("cannot accept a connection that is " + state);
        }
        ConnectionManager.checkData(data, ConnectionManager.ACCEPT_DATA_BYTES_MAX);
        if (isUnansweredRequest())
        {
            handler = connectionHandler;
            handler.onClosed(this, reason);
            return;
        }
        cancelTimer();
        config = queuePairConfig;
        handler = connectionHandler;
        ownData = data.clone();
        try
        {
            openDevice(this::answer);
        }
        catch (final RuntimeException e)
        {
            fail(e);
        }
    }

    /** Whatever is thrown, all that it has is released: nothing else would end it. */
    private void fail(final RuntimeException e)
    {
        close(e instanceof RdmaException ? e.getMessage() : e.toString());
    }

    private void answer()
    {
        openQueuePair();
        if (ConnectionState.OPENING_DEVICE == state)
        {
            state = ConnectionState.ACCEPTING;
            check("rdma_accept", core.accept(idAddress, parameters()));
            manager.boundReceiverWait(ConnectionId.queuePair(idAddress));
            start(ConnectionManager.REQUEST_NS, ConnectionFailures.GAVE_UP);
        }
    }

    private void ask()
    {
        openQueuePair();
        if (ConnectionState.OPENING_DEVICE == state)
        {
            state = ConnectionState.CONNECTING;
            check("rdma_connect", core.connect(idAddress, parameters()));
        }
    }

    /** Goes on at once, or when the memory is registered with the device. */
    private void openDevice(final Runnable next)
    {
        state = ConnectionState.OPENING_DEVICE;
        manager.checkDevice(idAddress, localAddress());
        final long contextAddress = ConnectionId.context(idAddress);
        if (manager.devices().isOpen(contextAddress))
        {
            next.run();
            return;
        }
        manager.devices().open(idAddress, (memory, why) -> onDevice(memory, why, next));
    }

    private void onDevice(final DeviceMemory memory, final String why, final Runnable next)
    {
        if (ConnectionState.OPENING_DEVICE != state)
        {
            return;
        }
        if (null == memory)
        {
            close(why);
            return;
        }
        try
        {
            next.run();
        }
        catch (final RuntimeException e)
        {
            fail(e);
        }
    }

    /** The time to answer has passed, or the manager was closed. */
    private boolean isUnansweredRequest()
    {
        return ConnectionState.CLOSED == state && null == handler && !isRejected;
    }

    /**
     * Refuses the peer's request; it is gone then. Does nothing when the peer has given up.
     *
     * @param data private data for the peer, up to {@value ConnectionManager#REJECT_DATA_BYTES_MAX} bytes.
     */
    public void reject(final byte[] data)
    {
        ConnectionManager.checkData(data, ConnectionManager.REJECT_DATA_BYTES_MAX);
        if (isUnansweredRequest())
        {
            return;
        }
        if (ConnectionState.REQUESTED != state)
        {
            throw new IllegalStateException("cannot reject a connection that is " + state);
        }
        isRejected = true;
        core.reject(idAddress, manager.privateData(data), data.length);
        finish();
    }

    /**
     * Gives the peer's request to another reactor, as below, where nobody has to know that it could not move.
     *
     * @param other    connection manager of another reactor, with the same rdma-core.
     * @param acceptor called on that reactor.
     */
    public void moveTo(final ConnectionManager other, final Acceptor acceptor)
    {
        moveTo(other, acceptor, () -> {});
    }

    /**
     * Gives the peer's request to another reactor, whose acceptor is called there instead; it is gone here. Further
     * events of it come there. It is refused when this connection manager is closed before it has arrived.
     *
     * @param other    connection manager of another reactor, with the same rdma-core.
     * @param acceptor called on that reactor.
     * @param onFailed called instead, on either reactor, when it cannot move there; it was refused then.
     */
    public void moveTo(final ConnectionManager other, final Acceptor acceptor, final Runnable onFailed)
    {
        if (ConnectionState.REQUESTED != state)
        {
            throw new IllegalStateException("cannot move a connection that is " + state);
        }
        final PeerParameters peer = new PeerParameters(peerData, peerReads, peerReadDepth);
        isRejected = true;
        state = ConnectionState.CLOSED;
        cancelTimer();
        lastPeerAddress = peerAddress();
        lastLocalAddress = localAddress();
        manager.remove(this, idAddress);
        final DepartingRequest departing = manager.depart(idAddress);
        try
        {
            other.reactor().execute(() -> other.adopt(idAddress, departing, peer, acceptor, onFailed));
        }
        catch (final RejectedExecutionException e)
        {
            departing.refuse();
            onFailed.run();
        }
    }

    /**
     * {@return RDMA READs and atomics of this side that the peer serves at a time}
     */
    public int readsServedByPeer()
    {
        return peerReads;
    }

    /**
     * {@return RDMA READs and atomics that this side may have under way at a time without blocking what it posts after
     *     them; from {@link ConnectionHandler#onQueuePair} on}
     */
    public int readsInitiated()
    {
        return Math.min(Math.min(config.reads(), peerReads), domain().readsInitiated());
    }

    /**
     * Ends the connection. What is outstanding is reported as flushed, then that it is closed; both after this has
     * returned. Does nothing when it ends already.
     *
     * @param why for the handler.
     */
    public void close(final String why)
    {
        if (ConnectionState.CLOSING == state || ConnectionState.CLOSED == state)
        {
            // Its first reason stands.
            return;
        }
        reason = why;
        if (null == handler)
        {
            finish();
            return;
        }
        final boolean isConnected = ConnectionState.ESTABLISHED == state || ConnectionState.ACCEPTING == state;
        state = ConnectionState.CLOSING;
        if (isConnected)
        {
            // What the device never gets it would never give back.
            queuePair.release();
            // Fails the queue pair, whose requests come back as flushed. It has failed already when this fails, but on
            // a device that is gone: there it goes on until the hardware ends, and what is posted goes to the peer.
            isOnHardware = -Errno.EIO == core.disconnect(idAddress);
            if (!isOnHardware)
            {
                queuePair.flush();
            }
        }
        // Never at once: the caller may be a handler that goes on to use the queue pair.
        finishIn(isOnHardware ? ConnectionManager.HARDWARE_NS :
            !isConnected || queuePair.isDrained() ? 0 : 0 != queuePair.outstanding() ? DRAIN_NS : SHARED_DRAIN_NS);
    }

    private void finishIn(final long delayNs)
    {
        cancelTimer();
        timerId = manager.reactor().schedule(manager.reactor().nowNs() + delayNs, (_) ->
        {
            timerId = NO_TIMER;
            finish();
        });
    }

    /** Bounds how long it takes to be established. */
    void start(final long timeoutNs, final String why)
    {
        timerId = manager.reactor().schedule(manager.reactor().nowNs() + timeoutNs, (_) ->
        {
            timerId = NO_TIMER;
            hasNotReachedPeer = !isRequest;
            close(why);
        });
    }

    void onEvent(final int type, final int status, final PeerParameters peer)
    {
        if (ConnectionState.CLOSING == state)
        {
            // Such as an acceptance that crossed with the end.
            return;
        }
        try
        {
            if (RdmaCm.RDMA_CM_EVENT_ADDR_RESOLVED == type)
            {
                state = ConnectionState.RESOLVING_ROUTE;
                check("rdma_resolve_route", core.resolveRoute(idAddress, ConnectionManager.RESOLVE_MS));
            }
            else if (RdmaCm.RDMA_CM_EVENT_ROUTE_RESOLVED == type)
            {
                openDevice(this::ask);
            }
            else if (RdmaCm.RDMA_CM_EVENT_ESTABLISHED == type)
            {
                cancelTimer();
                if (ConnectionState.CONNECTING == state)
                {
                    onPeer(peer);
                    manager.boundReceiverWait(ConnectionId.queuePair(idAddress));
                }
                state = ConnectionState.ESTABLISHED;
                domain().counters().add(DeviceCounters.Value.CONNECTIONS, 1);
                handler.onEstablished(this);
            }
            else if (RdmaCm.RDMA_CM_EVENT_TIMEWAIT_EXIT != type)
            {
                if (RdmaCm.RDMA_CM_EVENT_REJECTED == type)
                {
                    onPeer(peer);
                }
                hasNotReachedPeer = !isRequest && ConnectionState.ESTABLISHED != state &&
                    RdmaCm.RDMA_CM_EVENT_DEVICE_REMOVAL != type;
                // Only the peer of a request that was accepted too late does not confirm.
                final boolean isTooLate = ConnectionState.ACCEPTING == state &&
                    RdmaCm.RDMA_CM_EVENT_DISCONNECTED != type && RdmaCm.RDMA_CM_EVENT_DEVICE_REMOVAL != type;
                close(isTooLate ? ConnectionFailures.GAVE_UP : ConnectionFailures.text(type, status));
            }
        }
        catch (final RuntimeException e)
        {
            fail(e);
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
        final SharedReceiveQueue shared = handler.sharedReceiveQueue(domain());
        final CompletionQueue completions =
            domain().completions(null == shared ? config.completions() : config.sendDepth());
        final RdmaQueuePair made = new RdmaQueuePair(completions, handler, config, shared, this::onProgress);
        final int status = manager.createQueuePair(
            idAddress, domain(), completions, shared, config, Verbs.IBV_QPT_RC);
        if (0 != status)
        {
            made.close();
            if (isRequest && -Errno.EINVAL == status && domain().hasSizes(config))
            {
                // The kernel has ended the request, and reports nothing.
                throw new RdmaException(ConnectionFailures.GAVE_UP);
            }
            throw new RdmaException("no queue pair of " + config + ": " + Errno.describe(-status) +
                "; the device has its limits in: millrace rdma devices");
        }
        queuePair = made;
        made.open(ConnectionId.queuePair(idAddress), manager.grantedInlineBytes());
        // It may close the connection.
        handler.onQueuePair(this);
        // The peer may send as soon as it is connected.
        made.ring();
    }

    /** {@return whether it is by a device} */
    boolean isBy(final long contextAddress)
    {
        return ConnectionState.CLOSED != state && contextAddress == ConnectionId.context(idAddress);
    }

    /** {@return whether it has a queue pair} */
    boolean isOf(final long qpAddress, final int number)
    {
        return ConnectionState.CLOSED != state && null != queuePair &&
            qpAddress == ConnectionId.queuePair(idAddress) && number == core.queuePairNumber(qpAddress);
    }

    /** Neither side asks for more reads than the other serves. */
    private long parameters()
    {
        return manager.parameters(ownData,
            Math.min(Math.min(config.reads(), peerReadDepth), domain().readsServed()),
            readsInitiated());
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
            if (queuePair.isDrained() && !isOnHardware)
            {
                // Not within a poll, which would not report what the device took from the shared receive queue.
                finishIn(0);
            }
        }
        else if (ConnectionState.CLOSED != state && CompletionStatus.SUCCESS != queuePair.failure())
        {
            close(queuePair.failure().text());
        }
    }

    /** The device reports something about its queue pair. */
    void onQueuePairEvent(final int type)
    {
        final String failure = ConnectionFailures.queuePairText(type);
        if (!failure.isEmpty())
        {
            close(failure);
        }
        else if (Verbs.IBV_EVENT_QP_LAST_WQE_REACHED == type)
        {
            // It comes before what the queue pair had is reported, or after that.
            queuePair.onLastTaken();
            if (ConnectionState.CLOSING == state && queuePair.isDrained() && !isOnHardware)
            {
                finish();
            }
        }
        else if (Verbs.IBV_EVENT_PATH_MIG == type && ConnectionState.ESTABLISHED == state)
        {
            handler.onPathMigrated(this);
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
            queuePair.drain();
            queuePair.freeWindows();
            manager.destroyQueuePair(idAddress, domain);
        }
        lastPeerAddress = peerAddress();
        lastLocalAddress = localAddress();
        manager.remove(this, idAddress);
        core.destroyId(idAddress);
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

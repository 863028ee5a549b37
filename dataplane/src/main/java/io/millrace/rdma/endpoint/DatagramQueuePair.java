package io.millrace.rdma.endpoint;

import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.rdmacm.ConnectionId;
import io.millrace.rdma.core.RdmaCore;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Queues for datagrams to any number of peers: messages of up to one packet that may be lost, come twice or in another
 * order. Made by {@link ConnectionManager#openDatagrams}. Other datagram queue pairs find it by its address and port.
 * In front of the payload of each received datagram the device puts a header of {@value #HEADER_BYTES} bytes; what is
 * longer than its buffer, or finds none, is dropped. Reactor's thread; nothing is allocated for a datagram.
 */
public final class DatagramQueuePair
{
    /** Size of the global routing header in front of a received payload. */
    public static final int HEADER_BYTES = 40;

    /** How far it is. */
    private enum State
    {
        OPENING, OPEN, CLOSING, CLOSED
    }

    private final DatagramTable table;
    private final RdmaCore core;
    private final long idAddress;
    private final QueuePairConfig config;
    private final DatagramHandler handler;
    private final List<DatagramPeer> peers = new ArrayList<>();
    private State state = State.OPENING;
    private RdmaDomain domain;
    private RdmaQueuePair pair;
    private InetSocketAddress local;
    private int number;
    private int bytesMax;

    DatagramQueuePair(
        final DatagramTable table, final long idAddress, final QueuePairConfig config, final DatagramHandler handler)
    {
        this.table = table;
        core = table.core();
        this.idAddress = idAddress;
        this.config = config;
        this.handler = handler;
        local = SocketAddress.read(ConnectionId.localAddress(idAddress));
    }

    /** The device is open. */
    void open(final RdmaDomain opened)
    {
        if (State.OPENING != state)
        {
            return;
        }
        domain = opened;
        final CompletionQueue completions = domain.completions(config.completions());
        final RdmaQueuePair made = new RdmaQueuePair(completions, new CompletionHandler()
        {
            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                handler.onSent(id, status);
            }

            @Override
            public void onReceived(
                final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                handler.onReceived(id, status, Math.max(0, bytes - HEADER_BYTES), immediate,
                    CompletionStatus.SUCCESS == status ? pair.source() : 0);
            }
        }, config, this::onProgress);
        final String refused = table.create(idAddress, domain, completions, config);
        if (!refused.isEmpty())
        {
            made.close();
            close(refused);
            return;
        }
        final long qpAddress = ConnectionId.queuePair(idAddress);
        made.open(qpAddress, table.grantedInlineBytes());
        number = core.queuePairNumber(qpAddress);
        bytesMax = core.mtuBytes(ConnectionId.context(idAddress), ConnectionId.devicePort(idAddress));
        pair = made;
        state = State.OPEN;
        local = SocketAddress.read(ConnectionId.localAddress(idAddress));
        handler.onOpen(this);
    }

    /**
     * {@return the address and port by which peers find it}
     */
    public InetSocketAddress localAddress()
    {
        return local;
    }

    /**
     * {@return what its memory is registered with, from {@link DatagramHandler#onOpen} on}
     */
    public RdmaDomain domain()
    {
        return domain;
    }

    /**
     * {@return its number, which peers see as the source of its datagrams}
     */
    public int number()
    {
        return number;
    }

    /**
     * {@return the largest payload: the MTU of the port}
     */
    public int bytesMax()
    {
        return bytesMax;
    }

    /**
     * {@return how many datagrams can be posted now}
     */
    public int sendRoom()
    {
        return State.OPEN == state ? pair.sendRoom() : 0;
    }

    /**
     * {@return how many receive requests can be posted now}
     */
    public int receiveRoom()
    {
        return State.OPEN == state ? pair.receiveRoom() : 0;
    }

    /**
     * Adds a segment to the next request.
     *
     * @param address     of the memory, in a registered region.
     * @param lengthBytes of the memory.
     * @param localKey    of the region.
     * @return this queue pair.
     * @throws IllegalStateException when there are as many as configured, or the queue pair was never open.
     */
    public DatagramQueuePair segment(final long address, final int lengthBytes, final int localKey)
    {
        if (null == pair)
        {
            throw new IllegalStateException("the datagram queue pair is not open");
        }
        pair.segment(address, lengthBytes, localKey);
        return this;
    }

    /**
     * Posts a buffer: {@value #HEADER_BYTES} bytes for the header, then the payload.
     *
     * @param id that its completion is reported with.
     * @return false when there is no room, or the queue pair is closed.
     */
    public boolean postReceive(final long id)
    {
        return null != pair && pair.postReceive(id);
    }

    /**
     * Sends a datagram.
     *
     * @param id          that its completion is reported with.
     * @param isSignalled whether it is reported when it succeeds.
     * @param peer        that this queue pair resolved, not closed.
     * @return false when there is no room, or the queue pair is closed.
     * @throws IllegalArgumentException when it is longer than {@link #bytesMax}, which devices drop without a word, or
     *                                  the peer is closed or of another queue pair.
     */
    public boolean postSend(final long id, final boolean isSignalled, final DatagramPeer peer)
    {
        return State.OPEN == state && to(peer).postSend(id, isSignalled);
    }

    /**
     * Sends a datagram with immediate data.
     *
     * @param id          that its completion is reported with.
     * @param isSignalled whether it is reported when it succeeds.
     * @param peer        that this queue pair resolved, not closed.
     * @param immediate   that the peer gets with its completion.
     * @return false when there is no room, or the queue pair is closed.
     * @throws IllegalArgumentException as of {@link #postSend}.
     */
    public boolean postSendWithImmediate(
        final long id, final boolean isSignalled, final DatagramPeer peer, final int immediate)
    {
        return State.OPEN == state && to(peer).postSendWithImmediate(id, isSignalled, immediate);
    }

    private RdmaQueuePair to(final DatagramPeer peer)
    {
        final long bytes = pair.nextBytes();
        if (bytes > bytesMax || !peer.isOf(this))
        {
            pair.dropSegments();
            throw new IllegalArgumentException(bytes > bytesMax ?
                "a datagram of " + bytes + " bytes: at most " + bytesMax + ", the MTU of the port" :
                "the peer is closed, or was resolved by another queue pair");
        }
        pair.datagram(peer.handleAddress(), peer.number(), peer.queueKey());
        return pair;
    }

    /**
     * Asks the queue pair at an address where its datagrams go.
     *
     * @param peer      its address and port.
     * @param data      for its handler, up to {@value ConnectionManager#CONNECT_DATA_BYTES_MAX} bytes.
     * @param timeoutNs until it answers, in nanoseconds.
     * @param resolver  notified, also when this queue pair is closed before.
     * @throws io.millrace.rdma.RdmaException when it cannot begin; the resolver is not called then.
     */
    public void resolve(
        final InetSocketAddress peer, final byte[] data, final long timeoutNs, final DatagramResolver resolver)
    {
        if (State.OPEN != state)
        {
            throw new IllegalStateException("the datagram queue pair is not open");
        }
        table.resolve(this, peer, data, timeoutNs, resolver);
    }

    boolean isRequestAccepted(final InetSocketAddress peer, final byte[] data)
    {
        return State.OPEN == state && handler.onRequest(peer, data);
    }

    /** {@return a peer that has answered; null when this queue pair is closed, or the device refuses} */
    DatagramPeer add(final long handleAttributes, final int peerNumber, final int queueKey)
    {
        final long handle =
            State.OPEN == state ? core.createAddressHandle(domain.memory().pdAddress(), handleAttributes) : -1;
        if (handle < 0)
        {
            return null;
        }
        final DatagramPeer peer = new DatagramPeer(core, this, handle, peerNumber, queueKey);
        peers.add(peer);
        return peer;
    }

    void remove(final DatagramPeer peer)
    {
        peers.remove(peer);
    }

    private void onProgress()
    {
        if (CompletionStatus.SUCCESS != pair.failure())
        {
            close(pair.failure().text());
        }
    }

    /**
     * Ends it. What is outstanding is reported as flushed, then that it is closed; both after this has returned. A
     * second call does nothing.
     *
     * @param why for the handler.
     */
    public void close(final String why)
    {
        if (State.CLOSING == state || State.CLOSED == state)
        {
            return;
        }
        state = State.CLOSING;
        // Never at once: the caller may be a handler that goes on to use the queue pair.
        table.reactor().schedule(table.reactor().nowNs(), (_) -> finish(why));
    }

    /** Frees all of it. */
    void finish(final String why)
    {
        if (State.CLOSED == state)
        {
            return;
        }
        state = State.CLOSED;
        table.remove(this, idAddress, why);
        if (null != pair)
        {
            table.destroy(idAddress, domain);
        }
        List.copyOf(peers).forEach(DatagramPeer::close);
        core.destroyId(idAddress);
        if (null != pair)
        {
            pair.close();
        }
        handler.onClosed(this, why);
    }

    boolean isBy(final long contextAddress)
    {
        return State.CLOSED != state && contextAddress == ConnectionId.context(idAddress);
    }
}

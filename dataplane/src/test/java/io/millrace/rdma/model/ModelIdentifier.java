package io.millrace.rdma.model;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.rdmacm.rdmacm_h;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.rdmacm.RdmaCm;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;

/**
 * An identifier of the connection manager, with its {@code struct rdma_cm_id} in native memory, and the messages that
 * it exchanges with its peer (InfiniBand Architecture Specification 1.4, volume 1, chapter 12). Under the monitor of
 * its network.
 */
final class ModelIdentifier
{
    /** How far it is. */
    enum State
    {
        /** New. */
        IDLE,
        /** Has an address of this machine. */
        BOUND,
        /** Takes requests. */
        LISTENING,
        /** Has a device by which the peer is reached. */
        ADDRESS_RESOLVED,
        /** Has a route. */
        ROUTE_RESOLVED,
        /** Has asked the peer. */
        CONNECTING,
        /** The peer has asked. */
        REQUESTED,
        /** Has accepted. */
        ACCEPTED,
        /** Connected. */
        ESTABLISHED,
        /** Was connected, or refused. */
        DISCONNECTED,
        /** Gone. */
        DESTROYED
    }

    private static final int STRUCTURE_BYTES = 512;
    private static final int NO_LISTENER = 8;
    private static final int BY_CONSUMER = 28;
    private static final int DATAGRAMS_UNSUPPORTED = 1;
    private static final int DATAGRAMS_REFUSED = 2;
    private static final int REQUEST_DATA_BYTES = 56;
    private static final int REPLY_DATA_BYTES = 196;
    private static final int REJECT_DATA_BYTES = 148;
    private static final int POISON = 0xDB;

    final long address;
    final ModelRdmaCore core;
    final boolean isDatagram;
    private final Arena arena = Arena.ofAuto();
    private final ModelNetwork network;
    private ModelEventChannel channel;
    private State state = State.IDLE;
    private ModelDevice device;
    private InetSocketAddress local;
    private InetSocketAddress remote;
    private ModelQueuePair pair;
    private ModelIdentifier peer;
    private ModelParameters own;
    private ModelParameters peers;
    private ModelIdentifier listener;
    int waiting;
    private int backlog;
    int unacknowledged;

    ModelIdentifier(final ModelRdmaCore core, final ModelEventChannel channel, final boolean isDatagram)
    {
        this.isDatagram = isDatagram;
        this.core = core;
        this.channel = channel;
        network = core.network();
        address = arena.allocate(STRUCTURE_BYTES, Long.BYTES).address();
        channel.identifiers++;
    }

    State state()
    {
        return state;
    }

    ModelDevice device()
    {
        return device;
    }

    ModelQueuePair pair()
    {
        return pair;
    }

    InetSocketAddress local()
    {
        return local;
    }

    /** {@return whether the peer that asked has given up} */
    boolean isAbandoned()
    {
        return State.REQUESTED == state && State.CONNECTING != peer.state;
    }

    /** Its events come on another channel, those too that wait. */
    void migrate(final ModelEventChannel other)
    {
        channel.moveTo(other, this);
        channel = other;
    }

    private void device(final ModelDevice given)
    {
        device = given;
        NativeMemory.putLong(address + rdmacm_h.RDMA_CM_ID_VERBS(), given.context());
        NativeMemory.putByte(address + rdmacm_h.RDMA_CM_ID_PORT_NUM(), (byte)1);
    }

    private void addresses(final InetSocketAddress ownAddress, final InetSocketAddress peerAddress)
    {
        local = ownAddress;
        remote = peerAddress;
        SocketAddress.write(address + rdmacm_h.RDMA_CM_ID_SRC_ADDR(), ownAddress);
        if (null != peerAddress)
        {
            SocketAddress.write(address + rdmacm_h.RDMA_CM_ID_DST_ADDR(), peerAddress);
        }
    }

    private void event(final int type, final int status, final ModelParameters parameters, final int dataBytes)
    {
        channel.add(new ModelEventChannel.Event(this, null, type, status, parameters, dataBytes));
    }

    private void event(final int type, final int status)
    {
        event(type, status, null, 0);
    }

    int bind(final InetSocketAddress socketAddress)
    {
        if (State.IDLE != state)
        {
            return -Errno.EINVAL;
        }
        if (!socketAddress.getAddress().isAnyLocalAddress())
        {
            final ModelDevice own = network.device(socketAddress.getAddress());
            if (null == own || own.core() != core)
            {
                return -Errno.ENODEV;
            }
            device(own);
        }
        final int port = 0 == socketAddress.getPort() ? core.freePort() : socketAddress.getPort();
        addresses(new InetSocketAddress(socketAddress.getAddress(), port), null);
        state = State.BOUND;
        return 0;
    }

    int listen(final int backlogMax)
    {
        if (State.BOUND != state)
        {
            return -Errno.EINVAL;
        }
        if (!core.listen(this))
        {
            return -Errno.EADDRINUSE;
        }
        backlog = backlogMax;
        state = State.LISTENING;
        return 0;
    }

    int resolveAddress(final InetSocketAddress source, final InetSocketAddress destination)
    {
        if (State.IDLE != state && State.BOUND != state)
        {
            return -Errno.EINVAL;
        }
        final ModelDevice own = null != source ? network.device(source.getAddress()) :
            null != device ? device : core.anyDevice();
        if (null == own || own.core() != core)
        {
            return -Errno.ENODEV;
        }
        network.after(network.delayNs(), () ->
        {
            if (State.DESTROYED == state)
            {
                return;
            }
            if (null == network.device(destination.getAddress()) || own.isRemoved())
            {
                event(RdmaCm.RDMA_CM_EVENT_ADDR_ERROR, -Errno.ENODEV);
                return;
            }
            device(own);
            addresses(new InetSocketAddress(own.address(), null == local ? core.freePort() : local.getPort()),
                destination);
            state = State.ADDRESS_RESOLVED;
            event(RdmaCm.RDMA_CM_EVENT_ADDR_RESOLVED, 0);
        });
        return 0;
    }

    int resolveRoute()
    {
        if (State.ADDRESS_RESOLVED != state)
        {
            return -Errno.EINVAL;
        }
        network.after(network.delayNs(), () ->
        {
            if (State.ADDRESS_RESOLVED == state && !device.isRemoved())
            {
                state = State.ROUTE_RESOLVED;
                event(RdmaCm.RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
            }
        });
        return 0;
    }

    void pair(final ModelQueuePair made)
    {
        pair = made;
        NativeMemory.putLong(
            address + rdmacm_h.RDMA_CM_ID_QP(), null == made ? 0 : core.handle(made));
    }

    int connect(final ModelParameters parameters)
    {
        if (State.ROUTE_RESOLVED != state || null == pair && !isDatagram ||
            parameters.data().length > REQUEST_DATA_BYTES)
        {
            return -Errno.EINVAL;
        }
        own = parameters;
        state = State.CONNECTING;
        final ModelDevice other = network.device(remote.getAddress());
        if (null == other || network.isCut(device, other))
        {
            network.after(network.connectTimeoutNs(), this::unreachable);
        }
        else
        {
            network.after(network.delayNs(), () -> other.core().request(this, other));
        }
        return 0;
    }

    private void unreachable()
    {
        if (State.CONNECTING == state || State.ACCEPTED == state)
        {
            state = State.DISCONNECTED;
            event(RdmaCm.RDMA_CM_EVENT_UNREACHABLE, -Errno.ETIMEDOUT);
        }
    }

    InetSocketAddress remote()
    {
        return remote;
    }

    /** Nobody listens there. */
    void refuse()
    {
        network.after(network.delayNs(), () -> rejected(NO_LISTENER, new byte[0]));
    }

    /** Of datagrams there are answers, no connections. */
    private boolean isAnswered(final int status)
    {
        if (isDatagram && State.CONNECTING == state)
        {
            state = State.DISCONNECTED;
            event(RdmaCm.RDMA_CM_EVENT_UNREACHABLE, status);
        }
        return isDatagram;
    }

    private int acceptDatagrams(final int number)
    {
        answered();
        state = State.DISCONNECTED;
        final ModelIdentifier asking = peer;
        if (!network.isCut(device, asking.device))
        {
            network.after(network.delayNs(), () ->
            {
                if (State.CONNECTING == asking.state)
                {
                    asking.state = State.DISCONNECTED;
                    asking.channel.add(new ModelEventChannel.Event(
                        asking, null, RdmaCm.RDMA_CM_EVENT_ESTABLISHED, 0, null, 0, device, number));
                }
            });
        }
        return 0;
    }

    private void rejected(final int reason, final byte[] data)
    {
        if (isAnswered(NO_LISTENER == reason ? DATAGRAMS_UNSUPPORTED : DATAGRAMS_REFUSED))
        {
            return;
        }
        if (State.CONNECTING == state)
        {
            state = State.DISCONNECTED;
            event(RdmaCm.RDMA_CM_EVENT_REJECTED, reason, new ModelParameters(data, 0, 0, 0, 0), REJECT_DATA_BYTES);
        }
    }

    /** A request comes to a listener. */
    void onRequest(final ModelIdentifier from, final ModelDevice at)
    {
        if (waiting >= backlog)
        {
            network.after(network.connectTimeoutNs(), from::unreachable);
            return;
        }
        waiting++;
        final ModelIdentifier request = core.newIdentifier(channel, isDatagram);
        request.device(at);
        request.addresses(new InetSocketAddress(at.address(), local.getPort()), from.local);
        request.peer = from;
        request.peers = from.own;
        request.listener = this;
        request.state = State.REQUESTED;
        channel.add(new ModelEventChannel.Event(
            request, this, RdmaCm.RDMA_CM_EVENT_CONNECT_REQUEST, 0, from.own, REQUEST_DATA_BYTES));
    }

    int accept(final ModelParameters parameters, final int number)
    {
        if (isDatagram && State.REQUESTED == state)
        {
            return acceptDatagrams(null == pair ? number : pair.number());
        }
        if (State.REQUESTED != state || null == pair || parameters.data().length > REPLY_DATA_BYTES)
        {
            return -Errno.EINVAL;
        }
        answered();
        own = parameters;
        state = State.ACCEPTED;
        if (null != peer.pair)
        {
            pair.connect(peer.pair, peers.retries(), peers.notReadyRetries(), own.initiated(), own.served());
        }
        if (network.isCut(device, peer.device) || State.CONNECTING != peer.state)
        {
            network.after(network.connectTimeoutNs(), this::unreachable);
            return 0;
        }
        network.after(network.delayNs(), () -> peer.onReply(this));
        return 0;
    }

    private void onReply(final ModelIdentifier from)
    {
        if (State.CONNECTING != state || network.isCut(device, from.device))
        {
            network.after(network.connectTimeoutNs(), from::unreachable);
            return;
        }
        peer = from;
        pair.connect(from.pair, own.retries(), own.notReadyRetries(), own.initiated(), own.served());
        state = State.ESTABLISHED;
        event(RdmaCm.RDMA_CM_EVENT_ESTABLISHED, 0, from.own, REPLY_DATA_BYTES);
        network.after(network.delayNs(), () ->
        {
            if (State.ACCEPTED == from.state)
            {
                from.state = State.ESTABLISHED;
                from.event(RdmaCm.RDMA_CM_EVENT_ESTABLISHED, 0);
            }
        });
    }

    int reject(final byte[] data)
    {
        if (State.REQUESTED != state || data.length > REJECT_DATA_BYTES)
        {
            return -Errno.EINVAL;
        }
        answered();
        state = State.DISCONNECTED;
        if (!network.isCut(device, peer.device))
        {
            network.after(network.delayNs(), () -> peer.rejected(BY_CONSUMER, data));
        }
        else
        {
            network.after(network.connectTimeoutNs(), peer::unreachable);
        }
        return 0;
    }

    private void answered()
    {
        if (null != listener)
        {
            listener.waiting--;
            listener = null;
        }
    }

    int disconnect()
    {
        if (State.ESTABLISHED != state && State.ACCEPTED != state && State.DISCONNECTED != state)
        {
            return -Errno.EINVAL;
        }
        if (null != pair && device.isDisassociated())
        {
            // librdmacm has the queue pair fail first.
            return -Errno.EIO;
        }
        if (null != pair && !device.isRemoved())
        {
            pair.fail();
        }
        leave();
        return 0;
    }

    /** Tells the peer that the connection ends. */
    private void leave()
    {
        if (State.ESTABLISHED != state && State.ACCEPTED != state)
        {
            return;
        }
        state = State.DISCONNECTED;
        final boolean isCut = network.isCut(device, peer.device);
        final ModelIdentifier other = peer;
        if (!isCut)
        {
            network.after(network.delayNs(), other::onDisconnect);
        }
        network.after(isCut ? network.connectTimeoutNs() : 2 * network.delayNs(), () ->
        {
            if (State.DISCONNECTED == state && !device.isRemoved())
            {
                event(RdmaCm.RDMA_CM_EVENT_DISCONNECTED, 0);
                event(RdmaCm.RDMA_CM_EVENT_TIMEWAIT_EXIT, 0);
            }
        });
    }

    private void onDisconnect()
    {
        if (State.ESTABLISHED == state || State.ACCEPTED == state)
        {
            state = State.DISCONNECTED;
            event(RdmaCm.RDMA_CM_EVENT_DISCONNECTED, 0);
        }
    }

    /** Its device has been pulled out. */
    void onRemoved()
    {
        event(RdmaCm.RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
    }

    void destroy()
    {
        if (State.REQUESTED == state)
        {
            reject(new byte[0]);
        }
        if (null != device && !device.isRemoved())
        {
            leave();
        }
        state = State.DESTROYED;
        channel.remove(this);
        NativeMemory.fill(address, STRUCTURE_BYTES, (byte)POISON);
    }
}

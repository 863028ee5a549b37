package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.rdmacm.ConnectionEvent;
import io.millrace.bindings.rdmacm.ConnectionId;
import io.millrace.bindings.rdmacm.ConnectionParameters;
import io.millrace.bindings.rdmacm.DatagramParameters;
import io.millrace.bindings.rdmacm.RdmaCm;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import io.millrace.validation.AddressText;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.function.LongToIntFunction;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The datagram queue pairs of a {@link ConnectionManager}, and what they resolve: each has an identifier of the port
 * space of datagrams, whose requests and answers (SIDR, InfiniBand Architecture Specification 1.4, volume 1, section
 * 12.11) are events of the manager's channel. Reactor's thread.
 */
final class DatagramTable
{
    /** Status of an answer, table 126 of that specification. */
    private static final int UNSUPPORTED = 1;
    private static final int REFUSED = 2;
    private static final int BACKLOG = 128;

    /** A peer that was asked. */
    private final class Resolution
    {
        private final long idAddress;
        private final DatagramQueuePair pair;
        private final DatagramResolver resolver;
        private final byte[] data;
        private final long timerId;

        Resolution(
            final long idAddress,
            final DatagramQueuePair pair,
            final InetSocketAddress peer,
            final byte[] data,
            final long timeoutNs,
            final DatagramResolver resolver)
        {
            this.idAddress = idAddress;
            this.pair = pair;
            this.resolver = resolver;
            this.data = data;
            timerId = reactor().schedule(reactor().nowNs() + timeoutNs, (_) ->
            {
                resolutions.remove(idAddress);
                core().destroyId(idAddress);
                resolver.onFailed(peer + " does not answer: check its address, the link, and that it takes datagrams");
            });
        }

        void end(final DatagramPeer peer, final String reason)
        {
            resolutions.remove(idAddress);
            reactor().cancel(timerId);
            core().destroyId(idAddress);
            if (null == peer)
            {
                resolver.onFailed(reason);
            }
            else
            {
                resolver.onResolved(peer);
            }
        }
    }

    private final ConnectionManager manager;
    private final Long2ObjectHashMap<DatagramQueuePair> pairs = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Resolution> resolutions = new Long2ObjectHashMap<>();

    DatagramTable(final ConnectionManager manager)
    {
        this.manager = manager;
    }

    RdmaCore core()
    {
        return manager.core();
    }

    Reactor reactor()
    {
        return manager.reactor();
    }

    int grantedInlineBytes()
    {
        return manager.grantedInlineBytes();
    }

    DatagramQueuePair open(final InetSocketAddress local, final QueuePairConfig config, final DatagramHandler handler)
    {
        if (local.getAddress().isAnyLocalAddress())
        {
            throw new RdmaException("datagrams at " + AddressText.of(local) + ": name an address of one RDMA device");
        }
        final long id = newId();
        int status = withAddress(local, (address) -> core().bind(id, address));
        if (0 == status)
        {
            status = core().listen(id, BACKLOG);
        }
        if (status < 0)
        {
            core().destroyId(id);
            throw new RdmaException("cannot take datagrams at " + AddressText.of(local) + ": " +
                Errno.describe(-status) +
                (Errno.ENODEV == -status || Errno.EADDRNOTAVAIL == -status ?
                "; no RDMA device has that address: millrace rdma devices" : ""));
        }
        final DatagramQueuePair pair = new DatagramQueuePair(this, id, config, handler);
        pairs.put(id, pair);
        if (manager.devices().isOpen(ConnectionId.context(id)))
        {
            reactor().schedule(reactor().nowNs(), (_) -> onDevice(id, pair, ""));
        }
        else
        {
            manager.devices().open(id, (memory, why) -> onDevice(id, pair, null == memory ? why : ""));
        }
        return pair;
    }

    private void onDevice(final long id, final DatagramQueuePair pair, final String refused)
    {
        if (pair != pairs.get(id))
        {
            return;
        }
        if (!refused.isEmpty())
        {
            pair.close(refused);
            return;
        }
        try
        {
            pair.open(manager.devices().domain(id));
        }
        catch (final RdmaException e)
        {
            pair.close(e.getMessage());
        }
    }

    /** {@return why there is no queue pair; empty when there is one} */
    String create(
        final long id, final RdmaDomain domain, final CompletionQueue completions, final QueuePairConfig config)
    {
        final int status = manager.createQueuePair(id, domain, completions, null, config, Verbs.IBV_QPT_UD);
        return 0 == status ? "" : "no datagram queue pair of " + config + ": " + Errno.describe(-status) +
            "; the device has its limits in: millrace rdma devices";
    }

    void destroy(final long id, final RdmaDomain domain)
    {
        manager.destroyQueuePair(id, domain);
    }

    void resolve(
        final DatagramQueuePair pair,
        final InetSocketAddress peer,
        final byte[] data,
        final long timeoutNs,
        final DatagramResolver resolver)
    {
        ConnectionManager.checkData(data, ConnectionManager.CONNECT_DATA_BYTES_MAX);
        final long id = newId();
        // By the device of the queue pair: an address handle is valid there alone.
        int status = withAddress(
            new InetSocketAddress(pair.localAddress().getAddress(), 0), (address) -> core().bind(id, address));
        if (0 == status)
        {
            status = withAddress(
                peer, (address) -> core().resolveAddress(id, 0L, address, ConnectionManager.RESOLVE_MS));
        }
        if (status < 0)
        {
            core().destroyId(id);
            throw new RdmaException("cannot send datagrams to " + AddressText.of(peer) + ": " +
                ConnectionFailures.text(RdmaCm.RDMA_CM_EVENT_ADDR_ERROR, status));
        }
        resolutions.put(id, new Resolution(id, pair, peer, data.clone(), timeoutNs, resolver));
    }

    private long newId()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long outAddress = arena.allocate(Long.BYTES, Long.BYTES).address();
            final int status = core().createDatagramId(manager.channelAddress(), outAddress);
            if (status < 0)
            {
                throw new RdmaException("no more datagram queue pairs: " + Errno.describe(-status));
            }
            return NativeMemory.getLong(outAddress);
        }
    }

    /** Calls with a {@code sockaddr}. */
    private static int withAddress(
        final InetSocketAddress address, final LongToIntFunction call)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long socketAddress = arena.allocate(SocketAddress.SIZE_BYTES_MAX, Long.BYTES).address();
            SocketAddress.write(socketAddress, address);
            return call.applyAsInt(socketAddress);
        }
    }

    /** {@return whether an event is about datagrams: it is acknowledged then} */
    boolean onEvent(final long event)
    {
        final DatagramQueuePair listener = pairs.get(ConnectionEvent.listener(event));
        final Resolution resolution = resolutions.get(ConnectionEvent.id(event));
        if (null != listener && RdmaCm.RDMA_CM_EVENT_CONNECT_REQUEST == ConnectionEvent.type(event))
        {
            onRequest(listener, event);
        }
        else if (null != resolution)
        {
            onAnswer(resolution, event);
        }
        else if (pairs.containsKey(ConnectionEvent.id(event)))
        {
            // A removal of the device, which the device's own identifier gets too.
            core().acknowledge(event);
        }
        else
        {
            return false;
        }
        return true;
    }

    private void onRequest(final DatagramQueuePair pair, final long event)
    {
        final long id = ConnectionEvent.id(event);
        final byte[] data =
            NativeMemory.bytes(DatagramParameters.privateData(event), DatagramParameters.privateBytes(event));
        core().acknowledge(event);
        if (pair.isRequestAccepted(SocketAddress.read(ConnectionId.peerAddress(id)), data))
        {
            final long parameters = manager.parameters(new byte[0], 0, 0);
            ConnectionParameters.queuePair(parameters, pair.number());
            core().accept(id, parameters);
        }
        else
        {
            core().reject(id, 0L, 0);
        }
        core().destroyId(id);
    }

    private void onAnswer(final Resolution resolution, final long event)
    {
        final int type = ConnectionEvent.type(event);
        final int status = ConnectionEvent.status(event);
        // The attributes of the handle are the event's.
        final DatagramPeer peer = RdmaCm.RDMA_CM_EVENT_ESTABLISHED != type ? null : resolution.pair.add(
            DatagramParameters.handleAttributes(event), DatagramParameters.queuePair(event),
            DatagramParameters.queueKey(event));
        core().acknowledge(event);
        int next = 0;
        if (RdmaCm.RDMA_CM_EVENT_ADDR_RESOLVED == type)
        {
            next = core().resolveRoute(resolution.idAddress, ConnectionManager.RESOLVE_MS);
        }
        else if (RdmaCm.RDMA_CM_EVENT_ROUTE_RESOLVED == type)
        {
            final long parameters = manager.parameters(resolution.data, 0, 0);
            ConnectionParameters.queuePair(parameters, resolution.pair.number());
            next = core().connect(resolution.idAddress, parameters);
        }
        else if (null != peer)
        {
            resolution.end(peer, "");
        }
        else
        {
            resolution.end(null, RdmaCm.RDMA_CM_EVENT_ESTABLISHED == type ?
                "the device takes no address handle for the peer" : reason(type, status));
        }
        if (next < 0)
        {
            resolution.end(null, "the peer cannot be asked: " + Errno.describe(-next));
        }
    }

    private static String reason(final int type, final int status)
    {
        if (RdmaCm.RDMA_CM_EVENT_UNREACHABLE == type && UNSUPPORTED == status)
        {
            return "nobody takes datagrams at the address of the peer";
        }
        return RdmaCm.RDMA_CM_EVENT_UNREACHABLE == type && REFUSED == status ?
            "the peer refused to be sent datagrams" : ConnectionFailures.text(type, status);
    }

    /** A queue pair is gone. */
    void remove(final DatagramQueuePair pair, final long id, final String why)
    {
        pairs.remove(id);
        for (final Resolution resolution : new ArrayList<>(resolutions.values()))
        {
            if (pair == resolution.pair)
            {
                resolution.end(null, why);
            }
        }
    }

    /** The queue pairs of a removed device end. */
    void removeDevice(final long contextAddress)
    {
        for (final DatagramQueuePair pair : new ArrayList<>(pairs.values()))
        {
            if (pair.isBy(contextAddress))
            {
                pair.finish(ConnectionFailures.DEVICE_REMOVED);
            }
        }
    }

    void close()
    {
        for (final DatagramQueuePair pair : new ArrayList<>(pairs.values()))
        {
            pair.finish("the connection manager was closed");
        }
    }
}

package io.millrace.nvmf.rdma;

import io.millrace.nvmf.Target;
import io.millrace.nvmf.connection.ConnectionAdmission;
import io.millrace.nvmf.connection.ConnectionCounters;
import io.millrace.nvmf.rdma.cm.ConnectReject;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.nvmf.rdma.cm.RejectStatus;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.endpoint.Acceptor;
import io.millrace.rdma.endpoint.ConnectionState;
import io.millrace.rdma.endpoint.RdmaConnection;
import io.millrace.validation.AddressFilter;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * Takes requests to connect on the listening reactor: rejects those of addresses that are not allowed and those whose
 * private data is wrong, and gives the others to the reactor that has the fewest queues of their kind, which the
 * private data tells, among those with receive buffers for them. Where none has, a connection that has not sent its
 * Connect command is ended, and the request waits for its buffers, at most as long as any request. The ports have one
 * listening reactor, so their events come to it; a request moves to the event channel of its own reactor, and with it
 * all further events. Listening reactor's thread.
 */
final class RdmaPlacement implements Acceptor
{
    private final Target target;
    private final List<RdmaPollGroup> groups;
    private final RdmaTransportConfig config;
    private final AddressFilter allowed;
    private final ConnectionCounters counters;
    private final ConnectionAdmission admission;
    /** For each of these a connection is ended. */
    private final Queue<RdmaConnection> waiting = new ArrayDeque<>();
    private volatile boolean isAnyWaiting;

    /**
     * Of all listeners.
     *
     * @param target    that is served.
     * @param groups    of all reactors, the listening one first.
     * @param config    of the transport.
     * @param counters  of the transport.
     * @param admission of the transport.
     */
    RdmaPlacement(
        final Target target,
        final List<RdmaPollGroup> groups,
        final RdmaTransportConfig config,
        final ConnectionCounters counters,
        final ConnectionAdmission admission)
    {
        this.target = target;
        this.groups = List.copyOf(groups);
        this.config = config;
        allowed = config.filter();
        this.counters = counters;
        this.admission = admission;
        groups.forEach((group) -> group.onRoom(this::onRoom));
    }

    @Override
    public void onRequest(final RdmaConnection request)
    {
        if (!allowed.test(request.peerAddress().getAddress()))
        {
            // The specification has no status for it. What the private data says is of no interest.
            target.listener().onConnectionRefused(remote(request), "its address is not in rdma.allowed-addresses");
            counters.onRefused();
            reject(request, RejectStatus.NO_RESOURCES);
            return;
        }
        if (request.isIwarp() && !config.isIwarpAllowed())
        {
            // One domain has the buffers of all hosts, and the first READ would tell this one a key to write them.
            target.listener().onConnectionRefused(remote(request), "it came through an iWARP device, by which hosts " +
                "can write into the I/O buffers of others; where all are trusted, set rdma.allow-iwarp: true");
            counters.onRefused();
            reject(request, RejectStatus.NO_RESOURCES);
            return;
        }
        final RejectStatus refusal = refusal(request);
        if (null != refusal)
        {
            target.listener().onProtocolError(remote(request), refusal.text());
            counters.onRefused();
            reject(request, refusal);
            return;
        }
        place(request);
    }

    private static String remote(final RdmaConnection request)
    {
        return TransportAddress.of(TransportAddress.Type.RDMA, request.peerAddress()).toString();
    }

    private static void reject(final RdmaConnection request, final RejectStatus status)
    {
        request.reject(new ConnectReject(status).toBytes());
    }

    private RejectStatus refusal(final RdmaConnection request)
    {
        final byte[] data = request.peerData();
        final RejectStatus refusal = ConnectRequest.refusal(data);
        if (null != refusal)
        {
            return refusal;
        }
        final ConnectRequest asked = ConnectRequest.read(data);
        if (asked.queueId() > target.config().queuePairsMax())
        {
            return RejectStatus.INVALID_QUEUE_ID;
        }
        if (asked.sendQueueSize() < 2 || asked.sendQueueSize() > target.config().queueDepthMax())
        {
            return RejectStatus.INVALID_SEND_QUEUE_SIZE;
        }
        // Each capsule has a response.
        if (asked.receiveQueueSize() < asked.sendQueueSize())
        {
            return RejectStatus.INVALID_RECEIVE_QUEUE_SIZE;
        }
        return 0 == request.readsServedByPeer() ? RejectStatus.INVALID_READS_SERVED : null;
    }

    private void place(final RdmaConnection request)
    {
        final ConnectRequest asked = ConnectRequest.read(request.peerData());
        final boolean isAdmin = 0 == asked.queueId();
        final int capsules = asked.sendQueueSize();
        if (!hasRoomForConnection())
        {
            admission.refuseBeyond(ConnectionAdmission.Limit.RDMA_CONNECTIONS, config.connectionsMax(),
                request.peerAddress().getAddress().getHostAddress(), groups.getFirst().reactor().nowNs());
            reject(request, RejectStatus.NO_RESOURCES);
            return;
        }
        final RdmaPollGroup chosen = choose(isAdmin, capsules);
        if (null == chosen)
        {
            awaitRoom(request);
            return;
        }
        chosen.count(isAdmin).incrementAndGet();
        if (chosen == groups.getFirst())
        {
            chosen.adopt(request);
        }
        else
        {
            request.moveTo(chosen.manager(), chosen::adopt, () ->
            {
                counters.onRefused();
                chosen.capsules().cancel(capsules);
                chosen.count(isAdmin).decrementAndGet();
                onRoom();
            });
        }
    }

    private boolean hasRoomForConnection()
    {
        for (int i = 0; i < groups.size(); i++)
        {
            if (hasRoomForConnection(groups.get(i)))
            {
                return true;
            }
        }
        return false;
    }

    private boolean hasRoomForConnection(final RdmaPollGroup group)
    {
        return group.ioQueues().get() + group.adminQueues().get() < config.connectionsMax();
    }

    /** {@return the group for a new queue, which has its receive buffers reserved; null when none has them} */
    private RdmaPollGroup choose(final boolean isAdmin, final int capsules)
    {
        RdmaPollGroup chosen = null;
        int fewest = Integer.MAX_VALUE;
        int fewestInAll = Integer.MAX_VALUE;
        for (int i = 0; i < groups.size(); i++)
        {
            final RdmaPollGroup group = groups.get(i);
            final int count = group.count(isAdmin).get();
            final int inAll = group.ioQueues().get() + group.adminQueues().get();
            if ((count < fewest || count == fewest && inAll < fewestInAll) && hasRoomForConnection(group) &&
                group.capsules().reserve(capsules))
            {
                if (null != chosen)
                {
                    chosen.capsules().cancel(capsules);
                }
                fewest = count;
                fewestInAll = inAll;
                chosen = group;
            }
        }
        return chosen;
    }

    /** What is ended is of another address: a host opens all its queues before it sends their Connect commands. */
    private void awaitRoom(final RdmaConnection request)
    {
        // Before the other ends, on whichever reactor.
        waiting.add(request);
        isAnyWaiting = true;
        if (!admission.makeRoom(request.peerAddress().getAddress().getHostAddress(),
            ConnectionAdmission.Limit.CAPSULES, config.capsulesMax(), groups.getFirst().reactor().nowNs()))
        {
            waiting.remove(request);
            isAnyWaiting = !waiting.isEmpty();
            reject(request, RejectStatus.NO_RESOURCES);
        }
    }

    /** Receive buffers have come back. Any thread. */
    private void onRoom()
    {
        if (isAnyWaiting)
        {
            groups.getFirst().reactor().execute(this::placeWaiting);
        }
    }

    private void placeWaiting()
    {
        for (int left = waiting.size(); left > 0; left--)
        {
            final RdmaConnection request = waiting.remove();
            isAnyWaiting = !waiting.isEmpty();
            // It may have ended meanwhile.
            if (ConnectionState.REQUESTED == request.state())
            {
                place(request);
            }
        }
    }
}

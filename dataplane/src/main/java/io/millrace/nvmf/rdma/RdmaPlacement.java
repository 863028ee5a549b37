package io.millrace.nvmf.rdma;

import io.millrace.nvmf.Target;
import io.millrace.nvmf.connection.ConnectionCounters;
import io.millrace.nvmf.rdma.cm.ConnectReject;
import io.millrace.nvmf.rdma.cm.ConnectRequest;
import io.millrace.nvmf.rdma.cm.RejectStatus;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.endpoint.Acceptor;
import io.millrace.rdma.endpoint.RdmaConnection;
import java.util.List;

/**
 * Takes requests to connect on the listening reactor: rejects those whose private data is wrong, and gives the others
 * to the reactor that has the fewest queues of their kind, which the private data tells. One listener has the port, so
 * its events come to one reactor; a request moves to the event channel of its own, and with it all further events.
 * Listening reactor's thread.
 */
final class RdmaPlacement implements Acceptor
{
    private final Target target;
    private final List<RdmaPollGroup> groups;
    private final RdmaTransportConfig config;
    private final ConnectionCounters counters;

    /**
     * Of one listener.
     *
     * @param target   that is served.
     * @param groups   of all reactors, the listening one first.
     * @param config   of the transport.
     * @param counters of the transport.
     */
    RdmaPlacement(
        final Target target,
        final List<RdmaPollGroup> groups,
        final RdmaTransportConfig config,
        final ConnectionCounters counters)
    {
        this.target = target;
        this.groups = List.copyOf(groups);
        this.config = config;
        this.counters = counters;
    }

    @Override
    public void onRequest(final RdmaConnection request)
    {
        final RejectStatus refusal = refusal(request);
        if (null != refusal)
        {
            target.listener().onProtocolError(
                TransportAddress.of(TransportAddress.Type.RDMA, request.peerAddress()).toString(), refusal.text());
            reject(request, refusal);
            return;
        }
        final boolean isAdmin = 0 == ConnectRequest.read(request.peerData()).queueId();
        final RdmaPollGroup chosen = place(isAdmin);
        if (null == chosen)
        {
            reject(request, RejectStatus.NO_RESOURCES);
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
                chosen.count(isAdmin).decrementAndGet();
            });
        }
    }

    private void reject(final RdmaConnection request, final RejectStatus status)
    {
        counters.onRefused();
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

    /** {@return the group for a new queue; null when all have as many as they may} */
    private RdmaPollGroup place(final boolean isAdmin)
    {
        RdmaPollGroup chosen = null;
        int fewest = Integer.MAX_VALUE;
        int fewestInAll = Integer.MAX_VALUE;
        for (int i = 0; i < groups.size(); i++)
        {
            final RdmaPollGroup group = groups.get(i);
            final int count = group.count(isAdmin).get();
            final int inAll = group.ioQueues().get() + group.adminQueues().get();
            if (inAll < config.connectionsMax() && (count < fewest || count == fewest && inAll < fewestInAll))
            {
                fewest = count;
                fewestInAll = inAll;
                chosen = group;
            }
        }
        return chosen;
    }
}

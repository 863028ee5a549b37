package io.millrace.messaging;

import io.millrace.messaging.rdma.RdmaLink;
import io.millrace.messaging.rdma.RdmaProbe;
import io.millrace.messaging.tcp.TcpLink;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.LinkException;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.transport.TransportReason;
import io.millrace.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Chooses the transport of each attempt to connect, and begins it. The reactor's; devices are looked for on a thread of
 * its own, one at a time: attempts that begin meanwhile take the same answer. They are no more than endpoints.
 */
final class Connector
{
    private record Attempt(Endpoint endpoint, InetSocketAddress peer, Reconnection reconnection)
    {
    }

    private final Messaging messaging;
    /** For the answer of the probe that is under way; none is when it is empty. */
    private final List<Attempt> waiting = new ArrayList<>();

    Connector(final Messaging messaging)
    {
        this.messaging = messaging;
    }

    void connect(final Endpoint endpoint, final InetSocketAddress peer, final Reconnection reconnection)
    {
        final RdmaOptions rdma = messaging.context().rdma();
        if (!rdma.enabled())
        {
            connectByTcp(endpoint, peer, TransportReason.RDMA_DISABLED, "RDMA is disabled by the settings");
            return;
        }
        waiting.add(new Attempt(endpoint, peer, reconnection));
        if (waiting.size() > 1)
        {
            return;
        }
        try
        {
            messaging.context().probeThreads().execute(this::probe);
        }
        catch (final OutOfMemoryError e)
        {
            // There can be no more threads.
            onProbe(RdmaProbe.of(TransportReason.RDMA_FAILED, "no thread that looks for a device: " + e));
        }
    }

    private void probe()
    {
        final RdmaProbe probe = messaging.context().probe();
        try
        {
            messaging.reactor().execute(() -> onProbe(probe));
        }
        catch (final RejectedExecutionException e)
        {
            // The reactor has ended, and with it the endpoints.
            return;
        }
    }

    private void onProbe(final RdmaProbe probe)
    {
        final List<Attempt> answered = List.copyOf(waiting);
        waiting.clear();
        // One by one: what fails in one concerns no other.
        answered.forEach((each) -> messaging.reactor().execute(
            () -> onProbe(each.endpoint, each.peer, each.reconnection, probe)));
    }

    private void onProbe(
        final Endpoint endpoint, final InetSocketAddress peer, final Reconnection reconnection, final RdmaProbe probe)
    {
        if (reconnection.isStopped() || messaging.isClosed())
        {
            return;
        }
        if (TransportReason.RDMA_AVAILABLE != probe.reason())
        {
            connectByTcp(endpoint, peer, probe.reason(), probe.text());
            return;
        }
        final Connection connection = new Connection(messaging, endpoint, true, messaging.reactor().nowNs());
        endpoint.connecting(connection, new TransportChoice(TransportKind.RDMA, probe.reason(), probe.text()));
        try
        {
            connection.link(RdmaLink.connect(messaging.reactor(), messaging.context().rdmaCore(),
                messaging.context().rdmaAddress(peer), probe.sourceFor(peer), messaging.context().rdmaSizes(),
                messaging.nonce(), messaging.context().connectTimeoutNs(), connection));
        }
        catch (final RdmaException e)
        {
            connectByTcp(endpoint, peer, TransportReason.RDMA_FAILED, e.getMessage());
            return;
        }
        messaging.add(connection);
    }

    /** RDMA did not get as far as a connection. */
    void onRdmaFailed(
        final Endpoint endpoint, final InetSocketAddress peer, final EndpointStatus status, final String reason)
    {
        connectByTcp(endpoint, peer, EndpointStatus.UNREACHABLE == status ? TransportReason.PEER_WITHOUT_RDMA :
            TransportReason.RDMA_FAILED, reason);
    }

    private void connectByTcp(
        final Endpoint endpoint, final InetSocketAddress peer, final TransportReason reason, final String text)
    {
        final Connection connection =
            new Connection(messaging, endpoint, true, messaging.reactor().nowNs());
        endpoint.connecting(connection, new TransportChoice(TransportKind.TCP, reason, text));
        try
        {
            connection.link(TcpLink.connect(
                messaging.reactor(), peer, messaging.context().sizes(), messaging.nonce(), connection));
        }
        catch (final LinkException e)
        {
            endpoint.onConnectFailed(e.status(), e.getMessage());
            return;
        }
        messaging.add(connection);
    }
}

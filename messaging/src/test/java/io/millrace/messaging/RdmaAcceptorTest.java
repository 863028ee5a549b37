package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.messaging.rdma.RdmaAcceptor;
import io.millrace.messaging.rdma.RdmaLink;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.LinkHandler;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaNode;
import io.millrace.rdma.endpoint.RecordingPeer;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of listening while peers connect, on the model of rdma-core. */
@Timeout(120)
class RdmaAcceptorTest
{
    private static final int PORT = 4791;

    private final BlockingQueue<EndpointStatus> ended = new LinkedBlockingQueue<>();
    private final BlockingQueue<RdmaLink> links = new LinkedBlockingQueue<>();
    private final LinkHandler handler = new LinkHandler()
    {
        @Override
        public void onOpen(final long helloSent, final long helloReceived)
        {
            // Nothing is sent.
        }

        @Override
        public void onFrame(final long address, final int payloadBytes)
        {
            // Nothing is received.
        }

        @Override
        public void onReceived()
        {
            // Nothing is received.
        }

        @Override
        public long delivered()
        {
            return 0;
        }

        @Override
        public void onOperation(final int operation, final EndpointStatus status)
        {
            // There are none.
        }

        @Override
        public void onClosed(final EndpointStatus status, final String reason)
        {
            ended.add(status);
        }
    };
    private RdmaAcceptor acceptor;

    /** Its request is on the acceptor's event channel, which cannot be destroyed before. */
    @Test
    void shouldRefuseALinkWhoseListenerIsClosedAtOnce() throws InterruptedException
    {
        final RdmaModel model = new RdmaModel();
        final InetSocketAddress address = new InetSocketAddress(model.targetDevice().address(), PORT);
        final Reactor reactor = new Reactor(ReactorConfig.of("server", -1));
        reactor.start();
        acceptor = reactor.call(() -> new RdmaAcceptor(reactor, model.targetCore(), address,
            MessagingFixture.context("server").rdmaSizes(), (_) -> true, (_) -> null, (link, _) ->
            {
                link.handler(handler);
                links.add(link);
                acceptor.close();
            }, (_, reason) -> links.clear(), (_) -> links.clear(), new SecureRandom())).join();
        try (RdmaNode client = new RdmaNode("client", model.hostCore()); Arena arena = Arena.ofConfined())
        {
            final byte[] hello = BadPeerTest.hello(arena, new long[1]);
            final RecordingPeer peer = new RecordingPeer((_) ->
            {
            });
            client.call(() -> client.manager().connect(
                address, new QueuePairConfig(64, 64, 4, 64, 4), peer, hello, 30_000_000_000L));
            assertEquals("the peer refused the connection", peer.closed());
            final RdmaLink link = Recorder.next(links, "a link");
            reactor.call(link::poll).join();
            assertEquals(EndpointStatus.CONNECTION_LOST, Recorder.next(ended, "onClosed"));
        }
        reactor.close();
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.hostCore().resources() + model.targetCore().resources());
        model.close();
    }
}

package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.wire.Hello;
import io.millrace.rdma.endpoint.QueuePairConfig;
import io.millrace.rdma.endpoint.RdmaNode;
import io.millrace.rdma.endpoint.RecordingPeer;
import io.millrace.rdma.model.RdmaModel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer of another version of the protocol: both sides learn which, over RDMA by private data. */
class OtherVersionTest
{
    private static final int OTHER = Hello.VERSION + 1;
    private static final int VERSION_OFFSET = 4;
    private static final QueuePairConfig SIZES = new QueuePairConfig(64, 64, 4, 64, 4);
    private static final long CONNECT_NS = 30_000_000_000L;
    private static final int WAIT_MS = 20_000;

    private final RdmaModel model = new RdmaModel();
    private final UnaryOperator<InetSocketAddress> addresses =
        (address) -> new InetSocketAddress(model.targetDevice().address(), address.getPort());

    @AfterEach
    void closeModel()
    {
        model.close();
    }

    private static byte[] hello()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment hello = arena.allocate(Hello.SIZE_BYTES, Long.BYTES);
            Hello.write(hello.address(), 0, 4096, 64, 1 << 20, 0L);
            hello.set(ValueLayout.JAVA_SHORT_UNALIGNED, VERSION_OFFSET, (short)OTHER);
            return hello.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static RecordingPeer silent()
    {
        return new RecordingPeer((_) ->
        {
        });
    }

    private MessagingContext byRdma(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEventChannel(true)).model(
            "server".equals(context.name()) ? model.targetCore() : model.hostCore(), addresses);
    }

    private static MessagingContext byTcp(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false));
    }

    /** TCP is tried, too, and nobody listens. The peer refuses with its hello, as this release does, or accepts. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldSayWhyThereIsNoConnectionToAPeerThatListensByRdma(final boolean isAccepted)
    {
        try (RdmaNode peer = new RdmaNode("other", model.targetCore());
            Messaging client = Messaging.launch(byRdma(MessagingFixture.context("client"))))
        {
            final InetSocketAddress address = peer.call(() -> peer.manager().listen(
                new InetSocketAddress(model.targetDevice().address(), 0), 8, (request) ->
                {
                    if (isAccepted)
                    {
                        request.accept(SIZES, silent(), hello());
                    }
                    else
                    {
                        request.reject(hello());
                    }
                }));
            final Recorder recorder = new Recorder();
            client.connect(new InetSocketAddress(MessagingFixture.ADDRESS, address.getPort()), recorder);
            final Recorder.Ended ended = recorder.awaitDisconnected();
            assertEquals(EndpointStatus.UNREACHABLE, ended.status(), ended::reason);
            assertTrue(ended.reason().contains("no TCP connection"), ended::reason);
            assertTrue(ended.reason().contains("by RDMA: the peer speaks version " + OTHER +
                " of the protocol, this side " + Hello.VERSION), ended::reason);
        }
    }

    @Test
    void shouldEndAnEndpointWhosePeerListensByTcp() throws IOException
    {
        try (ServerSocket peer = new ServerSocket(0, 8, MessagingFixture.ADDRESS);
            Messaging client = Messaging.launch(byTcp(MessagingFixture.context("client"))))
        {
            final Recorder recorder = new Recorder();
            client.connect(new InetSocketAddress(MessagingFixture.ADDRESS, peer.getLocalPort()), recorder);
            peer.setSoTimeout(WAIT_MS);
            try (Socket socket = peer.accept())
            {
                socket.getOutputStream().write(hello());
                final Recorder.Ended ended = recorder.awaitDisconnected();
                assertEquals(EndpointStatus.INCOMPATIBLE, ended.status(), ended::reason);
                assertTrue(ended.reason().contains("version " + OTHER + " of the protocol"), ended::reason);
            }
        }
    }

    @Test
    void shouldRefuseAPeerThatConnectsByRdma() throws InterruptedException
    {
        try (MessagingFixture fixture = new MessagingFixture(this::byRdma);
            RdmaNode peer = new RdmaNode("other", model.hostCore()))
        {
            final RecordingPeer end = silent();
            peer.call(() -> peer.manager().connect(
                addresses.apply(fixture.listening.address()), SIZES, end, hello(), CONNECT_NS));
            assertEquals("the peer refused the connection", end.closed());
            checkRefusal(fixture, end.connection().peerData());
        }
    }

    @Test
    void shouldRefuseAPeerThatConnectsByTcp() throws IOException
    {
        try (MessagingFixture fixture = new MessagingFixture(OtherVersionTest::byTcp);
            Socket socket = new Socket(MessagingFixture.ADDRESS, fixture.listening.address().getPort()))
        {
            socket.setSoTimeout(WAIT_MS);
            socket.getOutputStream().write(hello());
            checkRefusal(fixture, socket.getInputStream().readNBytes(Hello.SIZE_BYTES));
            BadPeerTest.awaitEnd(socket);
        }
    }

    /** The peer learns the version of this side, and others connect. */
    private static void checkRefusal(final MessagingFixture fixture, final byte[] answer)
    {
        final String reason = Recorder.next(fixture.rejected, "onRejected");
        assertTrue(reason.contains("version " + OTHER), reason);
        assertEquals(Hello.VERSION, answer[VERSION_OFFSET] & 0xFF | (answer[VERSION_OFFSET + 1] & 0xFF) << 8);
        fixture.connect();
        fixture.send(1, new byte[100]);
        fixture.client.awaitSuccess(1);
    }
}

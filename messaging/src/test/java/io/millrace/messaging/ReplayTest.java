package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Somebody who does not know the secret repeats what one who does has sent. */
class ReplayTest
{
    private static final int PROOF_BYTES = FrameHeader.SIZE_BYTES + Handshake.PROOF_BYTES;
    private static final int TIMEOUT_MS = 20_000;

    private static MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false)).tcpStreams(2).reconnects(false)
            .secret("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
    }

    private static Socket socket(final InetSocketAddress to) throws IOException
    {
        final Socket socket = new Socket(to.getAddress(), to.getPort());
        socket.setSoTimeout(TIMEOUT_MS);
        return socket;
    }

    private static byte[] pass(final Socket from, final Socket to, final int bytes) throws IOException
    {
        final byte[] passed = from.getInputStream().readNBytes(bytes);
        assertEquals(bytes, passed.length);
        to.getOutputStream().write(passed);
        return passed;
    }

    /** {@return whether the other side has ended it, whatever it has sent before} */
    private static boolean hasEnded(final Socket socket) throws IOException
    {
        return socket.getInputStream().readAllBytes().length <= Hello.SIZE_BYTES + FrameHeader.SIZE_BYTES;
    }

    @Test
    void shouldTakeNeitherAProofNorAStreamTwice() throws IOException
    {
        try (MessagingFixture fixture = new MessagingFixture(ReplayTest::settings);
            ServerSocket between = new ServerSocket(0, 16, InetAddress.getLoopbackAddress()))
        {
            between.setSoTimeout(TIMEOUT_MS);
            final InetSocketAddress target = fixture.listening.address();
            fixture.endpoint = fixture.connecting.connect(
                (InetSocketAddress)between.getLocalSocketAddress(), fixture.client);
            try (Socket client = between.accept(); Socket server = socket(target))
            {
                final byte[] hello = pass(client, server, Hello.SIZE_BYTES);
                pass(server, client, Hello.SIZE_BYTES);
                final byte[] proof = pass(client, server, PROOF_BYTES);
                pass(server, client, PROOF_BYTES);
                fixture.client.awaitConnected();
                fixture.server.awaitConnected();
                try (Socket furtherClient = between.accept(); Socket furtherServer = socket(target))
                {
                    final byte[] join = pass(furtherClient, furtherServer, Hello.SIZE_BYTES);
                    pass(furtherServer, furtherClient, Hello.SIZE_BYTES);
                    try (Socket again = socket(target))
                    {
                        again.getOutputStream().write(join);
                        assertTrue(hasEnded(again));
                        assertTrue(Recorder.next(fixture.rejected, "onRejected").contains("no connection here"));
                    }
                    try (Socket again = socket(target))
                    {
                        again.getOutputStream().write(hello);
                        again.getInputStream().readNBytes(Hello.SIZE_BYTES);
                        again.getOutputStream().write(proof);
                        assertTrue(hasEnded(again));
                        final String reason = Recorder.next(fixture.rejected, "onRejected");
                        assertTrue(reason.contains("secret"), reason);
                    }
                    assertEquals(0, fixture.client.closed.size());
                    assertEquals(1, fixture.accepted.size());
                }
            }
        }
    }
}

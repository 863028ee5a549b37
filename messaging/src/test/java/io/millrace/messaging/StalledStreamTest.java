package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import io.millrace.messaging.wire.RegionDescriptor;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * A stream of bulk on which nothing moves, such as one that a firewall has forgotten, while the first stream has frames
 * of a peer that lives.
 */
class StalledStreamTest
{
    private static final int SIGNS_EACH_MS = 50;
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(1_500);
    private static final int ATTEMPTS = 8;

    private static MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false)).tcpStreams(2).reconnects(false)
            .keepAliveIntervalNs(TimeUnit.MILLISECONDS.toNanos(200))
            .keepAliveTimeoutNs(TIMEOUT_NS);
    }

    private static RemoteRegion remote(final RawServer server, final long bytes)
    {
        final long at = server.copy(new byte[RegionDescriptor.SIZE_BYTES]);
        RegionDescriptor.write(at, 0, bytes, 99, ExportAccess.READ_WRITE.bits());
        return new RemoteRegion(new UnsafeBuffer(at, RegionDescriptor.SIZE_BYTES), 0);
    }

    /** The peer lives so long on its first stream, or until that has ended. */
    private static void live(final RawServer server, final Socket socket, final int ms) throws InterruptedException
    {
        try
        {
            for (int i = 0; i < ms / SIGNS_EACH_MS; i++)
            {
                Thread.sleep(SIGNS_EACH_MS);
                socket.getOutputStream().write(server.frame(FrameHeader.KEEP_ALIVE, 0));
            }
        }
        catch (final IOException e)
        {
            // Whether it should have ended the test sees.
        }
    }

    @Test
    void shouldEndAConnectionWhoseStreamHasStalled() throws Exception
    {
        boolean isDone = false;
        for (int i = 0; i < ATTEMPTS && !isDone; i++)
        {
            isDone = isEndedAfterIdling();
        }
        assertTrue(isDone, "connections end while a stream is idle, each of " + ATTEMPTS);
    }

    /**
     * {@return false where the connection has ended before, as it does on a machine that gives the peer, or who listens
     * to it, no turn for long; one that ends for its idle stream does so in each attempt}
     */
    private boolean isEndedAfterIdling() throws Exception
    {
        try (MessagingFixture fixture = new MessagingFixture(StalledStreamTest::settings);
            RawServer server = new RawServer(64 << 10))
        {
            final MessageMemory memory = fixture.memory(64 << 20);
            final RemoteRegion region = remote(server, memory.lengthBytes());
            fixture.endpoint = fixture.connecting.connect(server.address(), fixture.client);
            try (Socket socket = server.authenticate(); Socket further = server.accept())
            {
                final int number = Hello.stream(server.copy(RawServer.read(further, Hello.SIZE_BYTES)));
                further.getOutputStream().write(server.hello(number));
                fixture.client.awaitConnected();
                // Nothing is to be sent on the stream: it may be idle.
                live(server, socket, 2_000);
                if (null != fixture.client.closed.peek())
                {
                    return false;
                }
                fixture.connecting.call(() ->
                    fixture.endpoint.write(1, region, 0, memory, 0, memory.lengthBytes()));
                for (int i = 0; i < 20 && null == fixture.client.closed.peek(); i++)
                {
                    live(server, socket, 500);
                }
                assertNotNull(fixture.client.closed.peek(), "the write waits without an end");
                final Recorder.Ended ended = fixture.client.awaitClosed();
                assertEquals(EndpointStatus.CONNECTION_LOST, ended.status(), ended::reason);
                fixture.client.awaitCompletion();
                return true;
            }
        }
    }
}

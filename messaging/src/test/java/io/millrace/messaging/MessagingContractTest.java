package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.seed.TestSeeds;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What holds over each transport. */
public abstract class MessagingContractTest
{
    private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OTHER_SECRET = "fedcba9876543210".getBytes(StandardCharsets.US_ASCII);

    protected abstract TransportKind kind();

    protected abstract MessagingContext settings(MessagingContext context);

    final MessagingFixture fixture()
    {
        return new MessagingFixture(this::settings);
    }

    final MessagingFixture fixture(
        final UnaryOperator<MessagingContext> server, final UnaryOperator<MessagingContext> client)
    {
        return new MessagingFixture((context) -> server.apply(settings(context)),
            (context) -> client.apply(settings(context)), new Recorder());
    }

    private static byte[] pattern(final int length, final int seed)
    {
        final byte[] bytes = new byte[length];
        TestSeeds.fixed(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void shouldConnectBothSidesByTheTransport()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            assertEquals(kind(), fixture.endpoint.transport().kind());
            assertEquals(kind(), fixture.serverEndpoint().transport().kind());
            assertEquals(1, fixture.connecting.count(TransportKind.RDMA == kind() ?
                MessagingCounter.CONNECTIONS_RDMA : MessagingCounter.CONNECTIONS_TCP));
        }
    }

    @Test
    void shouldDeliverMessagesOfAllSizesInTheirOrder()
    {
        final int[] sizes = {0, 1, 7, 100, 4_000, 4_063, 4_064, 4_065, 65_536, 1, 300_000, 2_000_001, 5, 0, 1 << 20};
        try (MessagingFixture fixture = fixture().connect())
        {
            for (int i = 0; i < sizes.length; i++)
            {
                assertEquals(SubmitResult.ACCEPTED, fixture.send(i, pattern(sizes[i], i)));
            }
            for (int i = 0; i < sizes.length; i++)
            {
                assertArrayEquals(pattern(sizes[i], i), fixture.server.awaitMessage(), "message " + i);
            }
            for (int i = 0; i < sizes.length; i++)
            {
                fixture.client.awaitSuccess(i);
            }
            assertEquals(5, fixture.connecting.count(MessagingCounter.MESSAGES_OFFERED));
        }
    }

    @Test
    void shouldReadALargeMessageFromNativeMemoryWhereItIs()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            final MessageMemory memory = fixture.memory(1 << 20);
            final byte[] expected = pattern(1 << 20, 3);
            memory.buffer().putBytes(0, expected);
            assertEquals(SubmitResult.ACCEPTED, fixture.connecting.call(() ->
                fixture.endpoint.send(9, memory.buffer(), 0, 1 << 20)));
            assertArrayEquals(expected, fixture.server.awaitMessage());
            fixture.client.awaitSuccess(9);
        }
    }

    /** Each side fills its memory with what it sends before it takes anything of the other. */
    @Test
    void shouldDeliverWhatBothSidesSendAtOnceWithAllTheMemoryTheyHave()
    {
        final int count = 40;
        final int bytes = 100_000;
        final UnaryOperator<MessagingContext> small = (context) -> context.bulkBytesMax(512 << 10);
        try (MessagingFixture fixture = fixture(small, small).connect())
        {
            final Endpoint server = fixture.serverEndpoint();
            final CompletableFuture<Void> other = CompletableFuture.runAsync(() ->
            {
                for (int i = 0; i < count; i++)
                {
                    MessagingFixture.send(fixture.serving, server, fixture.server, i, pattern(bytes, count + i));
                }
            });
            for (int i = 0; i < count; i++)
            {
                fixture.send(i, pattern(bytes, i));
            }
            for (int i = 0; i < count; i++)
            {
                assertArrayEquals(pattern(bytes, i), fixture.server.awaitMessage());
                assertArrayEquals(pattern(bytes, count + i), fixture.client.awaitMessage());
            }
            other.join();
        }
    }

    @Test
    void shouldDeliverManyMessagesBothWays()
    {
        final int count = 5_000;
        try (MessagingFixture fixture = fixture().connect())
        {
            final Endpoint server = fixture.serverEndpoint();
            for (int i = 0; i < count; i++)
            {
                fixture.send(i, pattern(8 + i % 64, i));
                MessagingFixture.send(fixture.serving, server, fixture.server, i, pattern(16 + i % 32, -i));
            }
            for (int i = 0; i < count; i++)
            {
                assertArrayEquals(pattern(8 + i % 64, i), fixture.server.awaitMessage());
                assertArrayEquals(pattern(16 + i % 32, -i), fixture.client.awaitMessage());
                fixture.client.awaitSuccess(i);
                fixture.server.awaitSuccess(i);
            }
        }
    }

    @Test
    void shouldRefuseMoreThanTheWindowUntilMessagesAreAcknowledged()
    {
        final int window = (RdmaOptions.DEFAULT.receiveDepth() - 16) / 2;
        try (MessagingFixture fixture = fixture().connect())
        {
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
            final int taken = fixture.connecting.call(() ->
            {
                int count = 0;
                while (SubmitResult.ACCEPTED == fixture.endpoint.send(count, buffer, 0, 8))
                {
                    count++;
                }
                return count;
            });
            assertEquals(window, taken);
            Recorder.next(fixture.client.writable, "onWritable");
            assertEquals(SubmitResult.ACCEPTED,
                fixture.connecting.call(() -> fixture.endpoint.send(taken, buffer, 0, 8)));
            for (int i = 0; i <= window; i++)
            {
                fixture.client.awaitSuccess(i);
            }
        }
    }

    @Test
    void shouldReadAndWriteExportedMemory()
    {
        // Several pieces of either transport.
        final int size = 13_000_000;
        try (MessagingFixture fixture = fixture().connect())
        {
            final Endpoint server = fixture.serverEndpoint();
            final MessageMemory exported = fixture.memory(size);
            final MessageMemory local = fixture.memory(size);
            final RemoteRegion remote = export(fixture, server, exported, ExportAccess.READ_WRITE);
            final byte[] written = pattern(size, 1);
            local.buffer().putBytes(0, written);
            fixture.connecting.call(() -> fixture.endpoint.write(1, remote, 0, local, 0, size));
            fixture.client.awaitSuccess(1);
            final byte[] there = new byte[size];
            exported.buffer().getBytes(0, there);
            assertArrayEquals(written, there);

            final byte[] other = pattern(size, 2);
            exported.buffer().putBytes(0, other);
            fixture.connecting.call(() -> fixture.endpoint.read(2, remote, 1_000, local, 0, size - 1_000));
            fixture.client.awaitSuccess(2);
            final byte[] here = new byte[size - 1_000];
            local.buffer().getBytes(0, here);
            assertArrayEquals(Arrays.copyOfRange(other, 1_000, size), here);
        }
    }

    private static RemoteRegion export(
        final MessagingFixture fixture, final Endpoint server, final MessageMemory memory, final ExportAccess access)
    {
        return new RemoteRegion(new UnsafeBuffer(fixture.serving.call(() ->
            server.export(memory, 0, memory.lengthBytes(), access).descriptor())), 0);
    }

    @Test
    void shouldRefuseAccessBeyondARegionAndConnectAgain()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            final MessageMemory exported = fixture.memory(4096);
            final MessageMemory local = fixture.memory(8192);
            final RemoteRegion remote =
                export(fixture, fixture.serverEndpoint(), exported, ExportAccess.READ_WRITE);
            fixture.connecting.call(() -> fixture.endpoint.read(1, remote, 1, local, 0, 4096));
            assertEquals(new Recorder.Completion(1, EndpointStatus.ACCESS_DENIED), fixture.client.awaitCompletion());
            fixture.client.awaitDisconnected();
            fixture.client.awaitConnected();
            assertEquals(SubmitResult.ACCEPTED, fixture.send(2, new byte[5]));
            fixture.client.awaitSuccess(2);
        }
    }

    @Test
    void shouldRefuseToWriteWhatMayOnlyBeRead()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            final MessageMemory exported = fixture.memory(4096);
            final MessageMemory local = fixture.memory(4096);
            local.buffer().setMemory(0, 4096, (byte)7);
            final RemoteRegion remote = export(fixture, fixture.serverEndpoint(), exported, ExportAccess.READ);
            assertTrue(remote.allows(ExportAccess.READ));
            fixture.connecting.call(() -> fixture.endpoint.write(1, remote, 0, local, 0, 4096));
            assertEquals(new Recorder.Completion(1, EndpointStatus.ACCESS_DENIED), fixture.client.awaitCompletion());
            fixture.client.awaitDisconnected();
            assertEquals(0, exported.buffer().getByte(0));
        }
    }

    @Test
    void shouldRefuseAccessToARevokedRegion()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            final Endpoint server = fixture.serverEndpoint();
            final MessageMemory exported = fixture.memory(4096);
            final MessageMemory local = fixture.memory(4096);
            final ExportedRegion region = fixture.serving.call(() ->
                server.export(exported, 0, 4096, ExportAccess.READ_WRITE));
            final RemoteRegion remote = new RemoteRegion(new UnsafeBuffer(region.descriptor()), 0);
            fixture.connecting.call(() -> fixture.endpoint.read(1, remote, 0, local, 0, 4096));
            fixture.client.awaitSuccess(1);
            fixture.serving.execute(region::close);
            fixture.serving.call(() -> null);
            fixture.connecting.call(() -> fixture.endpoint.read(2, remote, 0, local, 0, 4096));
            assertEquals(new Recorder.Completion(2, EndpointStatus.ACCESS_DENIED), fixture.client.awaitCompletion());
        }
    }

    @Test
    void shouldNotReachRegionsOfAnotherPeer()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            final MessageMemory exported = fixture.memory(4096);
            final MessageMemory local = fixture.memory(4096);
            final RemoteRegion remote =
                export(fixture, fixture.serverEndpoint(), exported, ExportAccess.READ_WRITE);
            final Recorder stranger = new Recorder();
            final Endpoint other = fixture.connecting.connect(fixture.listening.address(), stranger);
            stranger.awaitConnected();
            fixture.connecting.call(() -> other.read(1, remote, 0, local, 0, 4096));
            assertEquals(new Recorder.Completion(1, EndpointStatus.ACCESS_DENIED), stranger.awaitCompletion());
            fixture.connecting.call(() -> fixture.endpoint.read(2, remote, 0, local, 0, 4096));
            fixture.client.awaitSuccess(2);
        }
    }

    @Test
    void shouldRefuseAMessageThatIsLargerThanThePeerTakes()
    {
        try (MessagingFixture fixture = fixture((context) -> context.messageBytesMax(100_000), (context) -> context)
            .connect())
        {
            assertEquals(SubmitResult.TOO_LONG, fixture.send(1, new byte[100_001]));
            assertEquals(SubmitResult.ACCEPTED, fixture.send(2, new byte[100_000]));
            fixture.client.awaitSuccess(2);
        }
    }

    @Test
    void shouldConnectWithTheSameSecret()
    {
        try (MessagingFixture fixture =
            fixture((context) -> context.secret(SECRET), (context) -> context.secret(SECRET)).connect())
        {
            fixture.send(1, new byte[3]);
            fixture.client.awaitSuccess(1);
        }
    }

    @Test
    void shouldRefuseAnotherSecret()
    {
        for (final byte[] secret : List.of(OTHER_SECRET, new byte[0]))
        {
            try (MessagingFixture fixture =
                fixture((context) -> context.secret(SECRET), (context) -> context.secret(secret).reconnects(false)))
            {
                fixture.connecting.connect(fixture.listening.address(), fixture.client);
                assertEquals(EndpointStatus.NOT_AUTHENTICATED, fixture.client.awaitClosed().status());
                assertTrue(fixture.accepted.isEmpty(), "the acceptor knows nothing of it");
                assertTrue(Recorder.next(fixture.rejected, "onRejected").contains("secret"));
                assertTrue(fixture.serving.count(MessagingCounter.PEERS_REJECTED) >= 1);
            }
        }
    }

    @Test
    void shouldRefuseAddressesThatAreNotAllowed()
    {
        try (MessagingFixture fixture = fixture(
            (context) -> context.allowedAddresses(List.of("198.51.100.0/24")), (context) -> context.reconnects(false)))
        {
            fixture.connecting.connect(fixture.listening.address(), fixture.client);
            fixture.client.awaitClosed();
            assertTrue(fixture.accepted.isEmpty());
            assertTrue(Recorder.next(fixture.rejected, "onRejected").contains("not allowed"));
            assertTrue(fixture.serving.count(MessagingCounter.PEERS_REJECTED) >= 1);
        }
    }

    @Test
    void shouldCompleteEachRequestWhenThePeerCloses()
    {
        final int count = 100;
        try (MessagingFixture fixture = fixture().connect())
        {
            final Endpoint server = fixture.serverEndpoint();
            fixture.connecting.call(() ->
            {
                for (int i = 0; i < count; i++)
                {
                    assertEquals(SubmitResult.ACCEPTED,
                        fixture.endpoint.send(i, new UnsafeBuffer(new byte[100_000]), 0, 1 + 999 * i));
                }
                return null;
            });
            fixture.serving.execute(server::close);
            assertEquals(EndpointStatus.CLOSED, fixture.server.awaitClosed().status());
            EndpointStatus last = EndpointStatus.SUCCESS;
            for (int i = 0; i < count; i++)
            {
                final Recorder.Completion completion = fixture.client.awaitCompletion();
                assertEquals(i, completion.id());
                assertTrue(EndpointStatus.SUCCESS == last || last == completion.status(), "no success after a failure");
                last = completion.status();
            }
            final EndpointStatus ended = fixture.client.awaitDisconnected().status();
            // Over RDMA the goodbye may be behind what the end has flushed.
            assertTrue(EndpointStatus.PEER_CLOSED == ended ||
                TransportKind.RDMA == kind() && EndpointStatus.CONNECTION_LOST == ended, ended::name);
            fixture.client.awaitConnected();
            assertEquals(2, fixture.endpoint.sessions());
        }
    }

    @Test
    void shouldCompleteEachRequestWhenThisSideCloses()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            fixture.connecting.call(() ->
            {
                for (int i = 0; i < 20; i++)
                {
                    fixture.endpoint.send(i, new UnsafeBuffer(new byte[200_000]), 0, 200_000);
                }
                fixture.endpoint.close();
                assertEquals(SubmitResult.NOT_CONNECTED,
                    fixture.endpoint.send(99, new UnsafeBuffer(new byte[1]), 0, 1));
                return null;
            });
            assertEquals(EndpointStatus.CLOSED, fixture.client.awaitClosed().status());
            for (int i = 0; i < 20; i++)
            {
                assertEquals(i, fixture.client.awaitCompletion().id());
            }
            assertTrue(fixture.client.completions.isEmpty());
            assertEquals(SubmitResult.CLOSED, fixture.send(100, new byte[1]));
            fixture.server.awaitClosed();
        }
    }

    /** The goodbye says so: nothing is known to be lost that was not. */
    @Test
    void shouldCompleteWhatWasDeliveredBeforeThePeerClosed()
    {
        final Recorder closing = new Recorder((endpoint, message) ->
        {
            if (3 == message[0])
            {
                endpoint.close();
            }
        });
        try (MessagingFixture fixture = new MessagingFixture(this::settings, this::settings, closing).connect())
        {
            final UnsafeBuffer message = new UnsafeBuffer(new byte[1]);
            fixture.connecting.call(() ->
            {
                for (int i = 1; i <= 5; i++)
                {
                    message.putByte(0, (byte)i);
                    assertEquals(SubmitResult.ACCEPTED, fixture.endpoint.send(i, message, 0, 1));
                }
                return null;
            });
            for (int i = 1; i <= 3; i++)
            {
                fixture.client.awaitSuccess(i);
            }
            for (int i = 4; i <= 5; i++)
            {
                assertEquals(new Recorder.Completion(i, EndpointStatus.PEER_CLOSED), fixture.client.awaitCompletion());
            }
            assertEquals(3, closing.messages.size());
        }
    }

    @Test
    void shouldEndOnlyTheEndpointWhoseHandlerThrows()
    {
        final Recorder throwing = new Recorder((_, message) ->
        {
            if (13 == message[0])
            {
                throw new IllegalStateException("thirteen");
            }
        });
        try (MessagingFixture fixture = new MessagingFixture(this::settings, this::settings, throwing).connect())
        {
            final Recorder other = new Recorder();
            final Endpoint second = fixture.connecting.connect(fixture.listening.address(), other);
            other.awaitConnected();
            fixture.send(1, new byte[] {13});
            assertEquals(EndpointStatus.HANDLER_FAILED, throwing.awaitClosed().status());
            fixture.client.awaitDisconnected();
            assertEquals(SubmitResult.ACCEPTED,
                MessagingFixture.send(fixture.connecting, second, other, 2, new byte[] {14}));
            other.awaitSuccess(2);
            assertEquals(1, fixture.serving.count(MessagingCounter.HANDLER_ERRORS));
        }
    }

    @Test
    void shouldConnectAgainWhenTheListenerIsBack()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            final int port = fixture.listening.address().getPort();
            fixture.serving.close();
            fixture.client.awaitDisconnected();
            assertEquals(SubmitResult.NOT_CONNECTED, fixture.send(1, new byte[1]));
            try (MessagingFixture again = new MessagingFixture(
                this::settings, this::settings, new Recorder(), (_) -> port))
            {
                fixture.client.awaitConnected();
                assertEquals(SubmitResult.ACCEPTED, fixture.send(2, new byte[] {1, 2}));
                assertArrayEquals(new byte[] {1, 2}, again.server.awaitMessage());
                fixture.client.awaitSuccess(2);
            }
        }
    }

    @Test
    void shouldRejectAnIndexOutsideOfLocalMemory()
    {
        try (MessagingFixture fixture = fixture().connect())
        {
            final MessageMemory local = fixture.memory(4096);
            final RemoteRegion remote =
                export(fixture, fixture.serverEndpoint(), fixture.memory(4096), ExportAccess.READ);
            assertThrows(IndexOutOfBoundsException.class,
                () -> fixture.connecting.call(() -> fixture.endpoint.read(1, remote, 0, local, 1, 4096)));
            assertThrows(IndexOutOfBoundsException.class, () -> fixture.connecting.call(() ->
                fixture.endpoint.send(1, new UnsafeBuffer(new byte[10]), 5, 6)));
        }
    }
}

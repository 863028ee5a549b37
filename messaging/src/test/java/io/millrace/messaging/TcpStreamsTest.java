package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.wire.BulkHeader;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import io.millrace.messaging.wire.RegionDescriptor;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.reactor.HeldClock;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The streams of a connection over TCP: when they carry bulk, and what their end, or a bad peer, does to the rest. */
class TcpStreamsTest
{
    private static final int LARGE_BYTES = 600_000;
    private static final long LITTLE_NS = 50_000;

    private static MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false));
    }

    private static MessagingFixture fixture()
    {
        return new MessagingFixture(TcpStreamsTest::settings);
    }

    private static byte[] pattern(final int length)
    {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)(i * 31 + (i >> 8));
        }
        return bytes;
    }

    private static Endpoint connect(final MessagingFixture fixture, final RawServer server)
    {
        fixture.endpoint = fixture.connecting.connect(server.address(), fixture.client);
        return fixture.endpoint;
    }

    /** A region of the raw server, whatever its key: 0 to 4095. */
    private static RemoteRegion remote(final RawServer server)
    {
        return remote(server, 4096);
    }

    private static RemoteRegion remote(final RawServer server, final long bytes)
    {
        final long at = server.copy(new byte[RegionDescriptor.SIZE_BYTES]);
        RegionDescriptor.write(at, 0, bytes, 99, ExportAccess.READ_WRITE.bits());
        return new RemoteRegion(new UnsafeBuffer(at, RegionDescriptor.SIZE_BYTES), 0);
    }

    /** It takes longer than the keep-alive timeout, and no frame comes meanwhile: the time is the test's. */
    @Test
    void shouldTakeBulkThatComesForASignOfLife() throws Exception
    {
        final int pieceBytes = 512;
        final HeldClock clock = new HeldClock();
        final Reactor reactor = clock.reactor(ReactorConfig.of("client", -1));
        reactor.start();
        final Recorder client = new Recorder();
        final MessagingContext context = settings(MessagingFixture.context("client"))
            .keepAliveTimeoutNs(TimeUnit.SECONDS.toNanos(10)).keepAliveIntervalNs(TimeUnit.SECONDS.toNanos(5));
        try (RawServer server = new RawServer(); MessageMemory local = new MessageMemory(4096);
            Messaging messaging = Messaging.on(reactor, context))
        {
            final Endpoint endpoint = messaging.connect(server.address(), client);
            try (Socket socket = server.authenticate())
            {
                client.awaitConnected();
                clock.hold();
                final RemoteRegion remote = remote(server);
                assertEquals(SubmitResult.ACCEPTED,
                    messaging.call(() -> endpoint.read(1, remote, 0, local, 0, local.lengthBytes())));
                final long request = server.copy(RawServer.read(socket, BulkHeader.SIZE_BYTES));
                socket.getOutputStream().write(
                    server.bulk(BulkHeader.READ_DATA, 4096, BulkHeader.operation(request), 0));
                for (int end = pieceBytes; end <= local.lengthBytes(); end += pieceBytes)
                {
                    final byte[] piece = new byte[pieceBytes];
                    Arrays.fill(piece, (byte)1);
                    socket.getOutputStream().write(piece);
                    final int last = end - 1;
                    Waits.until("a piece", () ->
                    {
                        // A reactor looks at descriptors now and then, by its clock.
                        clock.advance(LITTLE_NS);
                        return 1 == local.buffer().getByteVolatile(last);
                    });
                    pass(clock, messaging, TimeUnit.SECONDS.toNanos(6));
                    assertTrue(client.disconnected.isEmpty(), client.disconnected::toString);
                }
                client.awaitSuccess(1);
                pass(clock, messaging, TimeUnit.SECONDS.toNanos(11));
                clock.release();
                assertEquals(EndpointStatus.KEEP_ALIVE_TIMEOUT, client.awaitDisconnected().status());
            }
        }
        reactor.close();
    }

    /** Timers that are due run. */
    private static void pass(final HeldClock clock, final Messaging messaging, final long ns)
    {
        clock.advance(ns);
        for (int i = 0; i < 3; i++)
        {
            messaging.call(() -> null);
        }
    }

    @Test
    void shouldDeliverALargeMessageThatFollowsTheProof()
    {
        checkMessagesOfOnConnected(1, LARGE_BYTES);
    }

    @Test
    void shouldDeliverSmallMessagesThatFollowTheProof()
    {
        checkMessagesOfOnConnected(40, 4_000);
    }

    private static void checkMessagesOfOnConnected(final int count, final int bytes)
    {
        try (MessagingFixture fixture = fixture())
        {
            final UnsafeBuffer message = new UnsafeBuffer(pattern(bytes));
            final ListeningAddress address = fixture.serving.listen(MessagingFixture.anyPort(), (_) ->
                new EndpointHandler()
                {
                    @Override
                    public void onConnected(final Endpoint endpoint)
                    {
                        for (int i = 0; i < count; i++)
                        {
                            assertEquals(SubmitResult.ACCEPTED, endpoint.send(i, message, 0, bytes));
                        }
                    }

                    @Override
                    public void onMessage(
                        final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
                    {
                        throw new AssertionError("the client sends nothing");
                    }
                });
            fixture.endpoint = fixture.connecting.connect(address.address(), fixture.client);
            for (int i = 0; i < count; i++)
            {
                assertArrayEquals(message.byteArray(), fixture.client.awaitMessage());
            }
            assertEquals(1, fixture.endpoint.sessions());
        }
    }

    @Test
    void shouldGoOnOverOneStreamWhenTheListenerIsClosedBeforeTheOthersConnect() throws Exception
    {
        try (MessagingFixture fixture = fixture())
        {
            final CompletableFuture<ListeningAddress> own = new CompletableFuture<>();
            final CompletableFuture<Integer> received = new CompletableFuture<>();
            own.complete(fixture.serving.listen(MessagingFixture.anyPort(), (_) -> new EndpointHandler()
            {
                @Override
                public void onConnected(final Endpoint endpoint)
                {
                    own.join().close();
                }

                @Override
                public void onMessage(
                    final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
                {
                    received.complete(length);
                }
            }));
            fixture.endpoint = fixture.connecting.connect(own.join().address(), fixture.client);
            fixture.client.awaitConnected();
            assertEquals(SubmitResult.ACCEPTED, fixture.send(1, pattern(LARGE_BYTES)));
            fixture.client.awaitSuccess(1);
            assertEquals(LARGE_BYTES, received.get(20, TimeUnit.SECONDS));
            assertEquals(1, fixture.endpoint.sessions());
            assertTrue(fixture.client.disconnected.isEmpty());
        }
    }

    @Test
    void shouldGoOnWhenAFurtherStreamEndsBeforeItsHelloIsAnswered() throws IOException
    {
        try (MessagingFixture fixture = fixture(); RawServer server = new RawServer())
        {
            connect(fixture, server);
            try (Socket socket = server.authenticate())
            {
                for (int i = 1; i <= 3; i++)
                {
                    server.accept().close();
                }
                fixture.client.awaitConnected();
                final MessageMemory memory = fixture.memory(4096);
                final RemoteRegion region = remote(server);
                assertEquals(SubmitResult.ACCEPTED, fixture.connecting.call(
                    () -> fixture.endpoint.read(1, region, 0, memory, 0, 4096)));
                long request;
                do
                {
                    request = server.copy(RawServer.read(socket, FrameHeader.SIZE_BYTES));
                }
                while (FrameHeader.KEEP_ALIVE == FrameHeader.kind(request));
                assertEquals(BulkHeader.READ_REQUEST, FrameHeader.kind(request));
                socket.getOutputStream().write(
                    server.bulk(BulkHeader.READ_DATA, 4096, BulkHeader.operation(request), 0));
                socket.getOutputStream().write(pattern(4096));
                fixture.client.awaitSuccess(1);
                final byte[] read = new byte[4096];
                memory.buffer().getBytes(0, read);
                assertArrayEquals(pattern(4096), read);
            }
        }
    }

    @Test
    void shouldCloseAFurtherStreamWhoseHelloIsAnsweredForAnother() throws IOException
    {
        try (MessagingFixture fixture = fixture(); RawServer server = new RawServer())
        {
            connect(fixture, server);
            try (Socket _ = server.authenticate(); Socket further = server.accept())
            {
                final int number = Hello.stream(server.copy(RawServer.read(further, Hello.SIZE_BYTES)));
                further.getOutputStream().write(server.hello(number + 1));
                assertEquals(-1, further.getInputStream().read());
                fixture.client.awaitConnected();
                assertTrue(fixture.client.disconnected.isEmpty());
            }
        }
    }

    @Test
    void shouldReadOverAStreamWhoseHelloIsAnswered() throws IOException
    {
        try (MessagingFixture fixture = fixture(); RawServer server = new RawServer())
        {
            final MessageMemory memory = fixture.memory(4096);
            final RemoteRegion region = remote(server);
            connect(fixture, server);
            try (Socket _ = server.authenticate(); Socket first = server.accept())
            {
                final int number = Hello.stream(server.copy(RawServer.read(first, Hello.SIZE_BYTES)));
                first.getOutputStream().write(server.hello(number));
                fixture.client.awaitConnected();
                // Reads go over the first stream until the hello of the other was taken.
                long id = 0;
                first.setSoTimeout(10);
                byte[] request = null;
                while (null == request)
                {
                    final long next = ++id;
                    assertEquals(SubmitResult.ACCEPTED, fixture.connecting.call(
                        () -> fixture.endpoint.read(next, region, 0, memory, 0, 4096)));
                    request = tryRead(first);
                }
                assertEquals(BulkHeader.READ_REQUEST, FrameHeader.kind(server.copy(request)));
            }
        }
    }

    private static byte[] tryRead(final Socket socket) throws IOException
    {
        try
        {
            return RawServer.read(socket, BulkHeader.SIZE_BYTES);
        }
        catch (final SocketTimeoutException e)
        {
            return null;
        }
    }

    @Test
    void shouldNotBeginAgainByAHelloWhileItCloses() throws IOException
    {
        try (MessagingFixture fixture = fixture(); RawServer server = new RawServer())
        {
            connect(fixture, server);
            try (Socket socket = server.authenticate(server.frame(FrameHeader.GOODBYE, 0));
                Socket further = server.accept())
            {
                further.getOutputStream().write(server.hello(1));
                assertEquals(-1, further.getInputStream().read());
                final long goodbye = server.copy(RawServer.read(socket, FrameHeader.SIZE_BYTES));
                assertEquals(FrameHeader.GOODBYE, FrameHeader.kind(goodbye));
                assertEquals(-1, socket.getInputStream().read());
            }
            assertEquals(EndpointStatus.PEER_CLOSED, fixture.client.awaitDisconnected().status());
        }
    }

    @Test
    void shouldNotTakeAWriteOfThePeerForTheAnswerToARead() throws IOException
    {
        try (MessagingFixture fixture = new MessagingFixture((context) -> settings(context).tcpStreams(1));
            RawServer server = new RawServer())
        {
            final MessageMemory memory = fixture.memory(4096);
            final RemoteRegion region = remote(server);
            connect(fixture, server);
            try (Socket socket = server.authenticate())
            {
                fixture.client.awaitConnected();
                final ExportedRegion exported = fixture.connecting.call(
                    () -> fixture.endpoint.export(memory, 0, 4096, ExportAccess.READ_WRITE));
                assertEquals(SubmitResult.ACCEPTED, fixture.connecting.call(
                    () -> fixture.endpoint.read(1, region, 0, memory, 0, 4096)));
                final long key = RegionDescriptor.key(server.copy(exported.descriptor()));
                socket.getOutputStream().write(server.bulk(BulkHeader.WRITE_DATA, 8, -1, key));
                socket.getOutputStream().write(new byte[8]);
                final Recorder.Completion completion = fixture.client.awaitCompletion();
                assertEquals(new Recorder.Completion(1, EndpointStatus.PROTOCOL_ERROR), completion);
            }
        }
    }

    /** Its owner would free, or use again, memory that is still to be sent: it ends with the connection. */
    @ParameterizedTest
    @ValueSource(ints = {BulkHeader.GRANTED, BulkHeader.DENIED})
    void shouldNotEndAWriteThatIsAnsweredBeforeItIsSent(final int status) throws IOException
    {
        final int pieces = BulkHeader.OUTSTANDING_MAX;
        final int bytes = pieces * BulkHeader.PIECE_BYTES_MAX;
        try (MessagingFixture fixture = new MessagingFixture((context) -> settings(context).tcpStreams(1));
            RawServer server = new RawServer(4096))
        {
            final MessageMemory memory = fixture.memory(bytes);
            final RemoteRegion region = remote(server, bytes);
            connect(fixture, server);
            try (Socket socket = server.authenticate())
            {
                fixture.client.awaitConnected();
                assertEquals(SubmitResult.ACCEPTED,
                    fixture.connecting.call(() -> fixture.endpoint.write(1, region, 0, memory, 0, bytes)));
                final long request = server.copy(RawServer.read(socket, BulkHeader.SIZE_BYTES));
                assertEquals(BulkHeader.WRITE_DATA, FrameHeader.kind(request));
                final byte[] answer = server.writeDone(status, BulkHeader.operation(request));
                for (int i = 0; i < pieces; i++)
                {
                    socket.getOutputStream().write(answer);
                }
                assertEquals(new Recorder.Completion(1, EndpointStatus.PROTOCOL_ERROR),
                    fixture.client.awaitCompletion());
            }
        }
    }

    /** A peer that refuses a write ends the connection: it answers only what it has taken. */
    @Test
    void shouldTakeTheDenialOfAWriteForAnError() throws IOException
    {
        try (MessagingFixture fixture = new MessagingFixture((context) -> settings(context).tcpStreams(1));
            RawServer server = new RawServer())
        {
            final MessageMemory memory = fixture.memory(4096);
            final RemoteRegion region = remote(server);
            connect(fixture, server);
            try (Socket socket = server.authenticate())
            {
                fixture.client.awaitConnected();
                assertEquals(SubmitResult.ACCEPTED,
                    fixture.connecting.call(() -> fixture.endpoint.write(1, region, 0, memory, 0, 4096)));
                final long request = server.copy(RawServer.read(socket, BulkHeader.SIZE_BYTES));
                RawServer.read(socket, 4096);
                socket.getOutputStream().write(
                    server.writeDone(BulkHeader.DENIED, BulkHeader.operation(request)));
                assertEquals(new Recorder.Completion(1, EndpointStatus.PROTOCOL_ERROR),
                    fixture.client.awaitCompletion());
            }
        }
    }
}

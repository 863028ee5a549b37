package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.LinkSizes;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.wire.BulkHeader;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import io.millrace.messaging.wire.RegionDescriptor;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Peers that send what they may not, before and after they have proved themselves: nobody else notices. */
class BadPeerTest
{
    private static final int RUNS = 150;

    /** {@return a valid hello; its address is put into the first element} */
    static byte[] hello(final Arena arena, final long[] at)
    {
        at[0] = arena.allocate(Hello.SIZE_BYTES, 8).address();
        Hello.write(at[0], 0, 4096, 1024, 1 << 20, 0);
        return bytes(at[0], Hello.SIZE_BYTES);
    }

    private static byte[] bytes(final long at, final int count)
    {
        final byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++)
        {
            bytes[i] = NativeMemory.getByte(at + i);
        }
        return bytes;
    }

    /** A socket that said hello and proved that it knows the secret. */
    static Socket proved(final Arena arena, final InetSocketAddress address) throws IOException
    {
        return prove(arena, new Socket(address.getAddress(), address.getPort()));
    }

    private static Socket prove(final Arena arena, final Socket socket) throws IOException
    {
        socket.setSoTimeout(20_000);
        final long[] own = new long[1];
        socket.getOutputStream().write(hello(arena, own));
        final byte[] peer = socket.getInputStream().readNBytes(Hello.SIZE_BYTES);
        final long peerAt = arena.allocate(Hello.SIZE_BYTES, 8).address();
        for (int i = 0; i < peer.length; i++)
        {
            NativeMemory.putByte(peerAt + i, peer[i]);
        }
        final int size = FrameHeader.SIZE_BYTES + Handshake.PROOF_BYTES;
        final long frame = arena.allocate(size, 8).address();
        FrameHeader.write(frame, FrameHeader.PROOF, Handshake.PROOF_BYTES, 0, 0, 0);
        new Handshake(new byte[0], own[0], peerAt).write(true, frame + FrameHeader.SIZE_BYTES);
        socket.getOutputStream().write(bytes(frame, size));
        assertEquals(size, socket.getInputStream().readNBytes(size).length);
        return socket;
    }

    /** Reads until the other side ends the stream. */
    static void awaitEnd(final Socket socket) throws IOException
    {
        try
        {
            socket.getInputStream().readAllBytes();
        }
        catch (final SocketTimeoutException e)
        {
            throw new AssertionError("the other side neither refused nor ended the stream", e);
        }
        catch (final IOException e)
        {
            // A reset is an end, too.
            return;
        }
    }

    private static MessagingFixture fixture()
    {
        return new MessagingFixture((context) -> context.rdma(context.rdma().withEnabled(false))).connect();
    }

    /** Sends a message over the connection that was there before. */
    static void checkOthersWork(final MessagingFixture fixture, final long id, final int messageBytes)
    {
        assertEquals(SubmitResult.ACCEPTED, fixture.send(id, new byte[messageBytes]));
        fixture.client.awaitSuccess(id);
        assertEquals(1, fixture.endpoint.sessions());
    }

    @Test
    void shouldEndAConnectionWithRandomFrames() throws IOException
    {
        final Random random = TestSeeds.random();
        try (MessagingFixture fixture = fixture(); Arena arena = Arena.ofConfined())
        {
            for (int run = 0; run < RUNS; run++)
            {
                try (Socket socket = proved(arena, fixture.listening.address()))
                {
                    final byte[] bytes = new byte[1 + random.nextInt(3_000)];
                    random.nextBytes(bytes);
                    if (random.nextBoolean() && bytes.length > 8)
                    {
                        // A valid kind and a short length, so that more than the length is looked at.
                        bytes[0] = (byte)random.nextInt(64);
                        bytes[1] = 0;
                        bytes[2] = 0;
                        bytes[3] = 0;
                        bytes[4] = (byte)(random.nextInt(2) * 16 + random.nextInt(7));
                        bytes[5] = 0;
                        bytes[6] = 0;
                        bytes[7] = 0;
                    }
                    socket.getOutputStream().write(bytes);
                    socket.shutdownOutput();
                    awaitEnd(socket);
                }
            }
            checkOthersWork(fixture, 1, 50_000);
            assertTrue(fixture.serving.count(MessagingCounter.PROTOCOL_ERRORS) > 0);
        }
    }

    /** From the revocation on nothing is written there, of a write that has begun either. */
    @Test
    void shouldWriteNothingIntoARegionThatIsRevokedMeanwhile() throws IOException
    {
        final int size = 8192;
        try (MessagingFixture fixture = fixture(); Arena arena = Arena.ofConfined())
        {
            fixture.serverEndpoint();
            try (Socket socket = proved(arena, fixture.listening.address()))
            {
                final Endpoint server = fixture.serverEndpoint();
                fixture.server.awaitConnected();
                final MessageMemory memory = fixture.memory(size);
                final ExportedRegion region = fixture.serving.call(() ->
                    server.export(memory, 0, size, ExportAccess.READ_WRITE));
                final long header = arena.allocate(BulkHeader.SIZE_BYTES, 8).address();
                BulkHeader.write(header, BulkHeader.WRITE_DATA, BulkHeader.GRANTED, size, 0, 0,
                    new RemoteRegion(new UnsafeBuffer(region.descriptor()), 0).key(), 0);
                final byte[] half = new byte[size / 2];
                Arrays.fill(half, (byte)1);
                socket.getOutputStream().write(bytes(header, BulkHeader.SIZE_BYTES));
                socket.getOutputStream().write(half);
                Waits.until("the first half", () -> 1 == memory.buffer().getByteVolatile(size / 2 - 1));
                fixture.serving.run(region::close);
                socket.getOutputStream().write(half);
                assertEquals(EndpointStatus.ACCESS_DENIED, fixture.server.awaitClosed().status());
                assertEquals(0, memory.buffer().getByteVolatile(size / 2));
            }
        }
    }

    /** From the revocation on its memory may have another use; what the kernel has taken before is sent. */
    @Test
    void shouldSendNothingOfARegionThatIsRevokedWhileItsBytesAreQueued() throws IOException
    {
        final int size = BulkHeader.PIECE_BYTES_MAX;
        final int requests = BulkHeader.OUTSTANDING_MAX;
        final byte later = 0x5A;
        try (MessagingFixture fixture = fixture(); Arena arena = Arena.ofConfined())
        {
            fixture.serverEndpoint();
            try (Socket socket = new Socket())
            {
                // Few bytes are in the kernel, the others in the queue.
                socket.setReceiveBufferSize(4096);
                socket.connect(fixture.listening.address());
                prove(arena, socket);
                final Endpoint server = fixture.serverEndpoint();
                fixture.server.awaitConnected();
                final MessageMemory memory = fixture.memory(size);
                final ExportedRegion region = fixture.serving.call(() ->
                    server.export(memory, 0, size, ExportAccess.READ));
                final long key = new RemoteRegion(new UnsafeBuffer(region.descriptor()), 0).key();
                final long headers = arena.allocate((long)requests * BulkHeader.SIZE_BYTES, 8).address();
                for (int i = 0; i < requests; i++)
                {
                    BulkHeader.write(headers + (long)i * BulkHeader.SIZE_BYTES, BulkHeader.READ_REQUEST,
                        BulkHeader.GRANTED, 0, i, 0, key, size);
                }
                socket.getOutputStream().write(bytes(headers, requests * BulkHeader.SIZE_BYTES));
                final InputStream in = socket.getInputStream();
                Waits.until("the first answer", () -> hasBytes(in));
                // Another turn of the reactor: all requests came together.
                fixture.serving.run(() ->
                {
                });
                fixture.serving.run(() ->
                {
                    region.close();
                    memory.buffer().setMemory(0, size, later);
                });
                long received = 0;
                int revoked = 0;
                final byte[] chunk = new byte[1 << 16];
                for (int count = in.read(chunk); count >= 0; count = in.read(chunk))
                {
                    received += count;
                    for (int i = 0; i < count; i++)
                    {
                        revoked += later == chunk[i] ? 1 : 0;
                    }
                    assertTrue(received < (long)requests * size, "all of it was sent");
                }
                // Headers may have some such bytes.
                assertTrue(revoked < 1000, "memory was sent after its region was revoked");
                assertEquals(EndpointStatus.ACCESS_DENIED, fixture.server.awaitClosed().status());
            }
        }
    }

    private static boolean hasBytes(final InputStream in)
    {
        try
        {
            return in.available() > 0;
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** Longer or shorter than what was asked for, or to a request that was not made. */
    @ParameterizedTest
    @CsvSource({"8192, 0", "2048, 0", "4096, 1"})
    void shouldEndAConnectionWithAnAnswerToAnotherRead(final int bytes, final int another) throws IOException
    {
        try (MessagingFixture fixture = new MessagingFixture((context) ->
            context.rdma(context.rdma().withEnabled(false)).tcpStreams(1).reconnects(false));
            RawServer server = new RawServer())
        {
            fixture.endpoint = fixture.connecting.connect(server.address(), fixture.client);
            try (Socket socket = server.authenticate())
            {
                fixture.client.awaitConnected();
                final MessageMemory memory = fixture.memory(16_384);
                final long at = server.copy(new byte[RegionDescriptor.SIZE_BYTES]);
                RegionDescriptor.write(at, 0, 4096, 99, ExportAccess.READ.bits());
                final RemoteRegion region = new RemoteRegion(new UnsafeBuffer(at, RegionDescriptor.SIZE_BYTES), 0);
                fixture.connecting.call(() -> fixture.endpoint.read(1, region, 0, memory, 0, 4096));
                long request;
                do
                {
                    request = server.copy(RawServer.read(socket, FrameHeader.SIZE_BYTES));
                }
                while (BulkHeader.READ_REQUEST != FrameHeader.kind(request));
                RawServer.read(socket, BulkHeader.SIZE_BYTES - FrameHeader.SIZE_BYTES);
                final byte[] data = new byte[bytes];
                Arrays.fill(data, (byte)1);
                socket.getOutputStream().write(
                    server.bulk(BulkHeader.READ_DATA, bytes, BulkHeader.operation(request) ^ another, 0));
                socket.getOutputStream().write(data);
                assertEquals(EndpointStatus.PROTOCOL_ERROR, fixture.client.awaitClosed().status());
                for (int offset = 0; offset < memory.lengthBytes(); offset++)
                {
                    assertEquals(0, memory.buffer().getByte(offset));
                }
            }
        }
    }

    private static byte[] frame(final Arena arena, final int kind, final long sequence, final int payloadBytes)
    {
        final int size = FrameHeader.SIZE_BYTES + payloadBytes;
        final long at = arena.allocate(size, 8).address();
        FrameHeader.write(at, kind, payloadBytes, sequence, 0, 0);
        if (FrameHeader.OFFER == kind)
        {
            RegionDescriptor.write(at + FrameHeader.SIZE_BYTES, 0, 4096, 99, ExportAccess.READ.bits());
        }
        return bytes(at, size);
    }

    /** What is behind a message that it does not let be read has places for so many. */
    @Test
    void shouldEndAConnectionWithMoreMessagesThanItsWindow() throws IOException
    {
        final int window = LinkSizes.window(1024);
        try (MessagingFixture fixture = fixture(); Arena arena = Arena.ofConfined();
            Socket socket = proved(arena, fixture.listening.address()))
        {
            fixture.server.awaitConnected();
            socket.getOutputStream().write(frame(arena, FrameHeader.OFFER, 0, RegionDescriptor.SIZE_BYTES));
            for (int i = 1; i <= window; i++)
            {
                assertEquals(0, fixture.server.closed.size());
                socket.getOutputStream().write(frame(arena, FrameHeader.EAGER, i, 8));
            }
            assertEquals(EndpointStatus.PROTOCOL_ERROR, fixture.server.awaitClosed().status());
            checkOthersWork(fixture, 1, 100);
        }
    }

    @Test
    void shouldRefuseRandomHellos() throws IOException
    {
        final Random random = TestSeeds.random();
        try (MessagingFixture fixture = fixture(); Arena arena = Arena.ofConfined())
        {
            for (int run = 0; run < RUNS; run++)
            {
                try (Socket socket = new Socket(
                    fixture.listening.address().getAddress(), fixture.listening.address().getPort()))
                {
                    socket.setSoTimeout(20_000);
                    final byte[] hello = hello(arena, new long[1]);
                    hello[random.nextInt(16)] = (byte)random.nextInt();
                    socket.getOutputStream().write(hello, 0, 1 + random.nextInt(hello.length));
                    socket.shutdownOutput();
                    awaitEnd(socket);
                }
            }
            checkOthersWork(fixture, 1, 50_000);
        }
    }
}

package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.wire.BulkHeader;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.RegionDescriptor;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** A large message is read from the sender's buffer until its completion, whoever still refers to the buffer. */
class OfferedBufferTest
{
    private static final int BYTES = 1 << 20;

    private static MessagingContext tcp(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false));
    }

    private static byte[] pattern()
    {
        final byte[] bytes = new byte[BYTES];
        Arrays.fill(bytes, (byte)0x5A);
        return bytes;
    }

    /** Sends from memory that the caller does not keep. */
    private static WeakReference<ByteBuffer> send(final MessagingFixture fixture)
    {
        final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES).put(0, pattern());
        final UnsafeBuffer view = new UnsafeBuffer(memory);
        assertEquals(SubmitResult.ACCEPTED, fixture.connecting.call(() ->
        {
            final SubmitResult result = fixture.endpoint.send(1, view, 0, BYTES);
            // A view may be used for other memory as soon as the message was accepted.
            view.wrap(new byte[8]);
            return result;
        }));
        return new WeakReference<>(memory);
    }

    private static void collect(final WeakReference<ByteBuffer> memory, final int attempts) throws InterruptedException
    {
        for (int i = 0; i < attempts && null != memory.get(); i++)
        {
            System.gc();
            Thread.sleep(10);
        }
    }

    @Test
    void shouldKeepTheMemoryOfAMessageUntilItsCompletion() throws InterruptedException
    {
        final CountDownLatch goesOn = new CountDownLatch(1);
        try (MessagingFixture fixture = new MessagingFixture(OfferedBufferTest::tcp).connect())
        {
            fixture.serving.execute(() -> await(goesOn));
            final WeakReference<ByteBuffer> memory = send(fixture);
            collect(memory, 20);
            final boolean isKept = null != memory.get();
            goesOn.countDown();
            assertTrue(isKept, "the memory was freed before the peer had read it");
            assertArrayEquals(pattern(), fixture.server.awaitMessage());
            fixture.client.awaitSuccess(1);
            collect(memory, 500);
            assertNull(memory.get(), "it is kept no longer than that");
        }
    }

    /** Frames of other kinds are left out. */
    private static byte[] next(final RawServer server, final Socket socket, final int kind) throws IOException
    {
        while (true)
        {
            final byte[] header = RawServer.read(socket, FrameHeader.SIZE_BYTES);
            final long at = server.copy(header);
            final byte[] payload = RawServer.read(socket, FrameHeader.payloadBytes(at));
            if (kind == FrameHeader.kind(at))
            {
                return payload;
            }
        }
    }

    /** From the completion on the memory may have another use, or none. */
    @Test
    void shouldNotLetThePeerReadAMessageThatItHasAcknowledged() throws IOException
    {
        try (MessagingFixture fixture = new MessagingFixture((context) -> tcp(context).tcpStreams(1));
            RawServer server = new RawServer())
        {
            fixture.endpoint = fixture.connecting.connect(server.address(), fixture.client);
            try (Socket socket = server.authenticate())
            {
                fixture.client.awaitConnected();
                final MessageMemory memory = fixture.memory(BYTES);
                fixture.connecting.call(() -> fixture.endpoint.send(1, memory.buffer(), 0, BYTES));
                final long key = RegionDescriptor.key(server.copy(next(server, socket, FrameHeader.OFFER)));
                final byte[] header = server.frame(FrameHeader.ACK, 0);
                final long ack = server.copy(header);
                FrameHeader.write(ack, FrameHeader.ACK, 0, 0, 1, 0);
                socket.getOutputStream().write(bytes(ack, header.length));
                fixture.client.awaitSuccess(1);
                final long read = server.copy(new byte[BulkHeader.SIZE_BYTES]);
                BulkHeader.write(read, BulkHeader.READ_REQUEST, BulkHeader.GRANTED, 0, 0, 0, key, 4096);
                socket.getOutputStream().write(bytes(read, BulkHeader.SIZE_BYTES));
                long answer;
                do
                {
                    answer = server.copy(RawServer.read(socket, FrameHeader.SIZE_BYTES));
                }
                while (BulkHeader.READ_DATA != FrameHeader.kind(answer));
                RawServer.read(socket, BulkHeader.SIZE_BYTES - FrameHeader.SIZE_BYTES);
                assertEquals(BulkHeader.DENIED, BulkHeader.status(answer));
                assertEquals(0, BulkHeader.payloadBytes(answer));
            }
        }
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

    private static void await(final CountDownLatch latch)
    {
        try
        {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }
}

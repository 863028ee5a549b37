package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
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

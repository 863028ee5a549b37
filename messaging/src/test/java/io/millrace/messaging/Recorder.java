package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.millrace.messaging.transport.EndpointStatus;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;

/** Notes what an endpoint is told; a test takes it in its order, from another thread. */
final class Recorder implements EndpointHandler
{
    /** How long a test waits for what must come: more where the machine is emulated. */
    static final long LIMIT_S = Long.getLong("millrace.messaging.limit-s", 60);

    final BlockingQueue<Endpoint> connected = new LinkedBlockingQueue<>();
    final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();
    final BlockingQueue<Ended> disconnected = new LinkedBlockingQueue<>();
    final BlockingQueue<Ended> closed = new LinkedBlockingQueue<>();
    final BlockingQueue<Endpoint> writable = new LinkedBlockingQueue<>();
    private final BiConsumer<Endpoint, byte[]> onMessage;

    record Completion(long id, EndpointStatus status)
    {
    }

    record Ended(EndpointStatus status, String reason)
    {
    }

    Recorder()
    {
        this((_, _) ->
        {
        });
    }

    Recorder(final BiConsumer<Endpoint, byte[]> onMessage)
    {
        this.onMessage = onMessage;
    }

    static <T> T next(final BlockingQueue<T> queue, final String what)
    {
        try
        {
            final T value = queue.poll(LIMIT_S, TimeUnit.SECONDS);
            assertNotNull(value, () -> "nothing came: " + what);
            return value;
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** {@return what comes within some seconds, or null} */
    static <T> T within(final BlockingQueue<T> queue, final long seconds)
    {
        try
        {
            return queue.poll(seconds, TimeUnit.SECONDS);
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /** Drops what nobody has asked for yet. */
    void forget()
    {
        List.of(connected, messages, completions, disconnected, closed, writable).forEach(BlockingQueue::clear);
    }

    Endpoint awaitConnected()
    {
        return next(connected, "onConnected");
    }

    byte[] awaitMessage()
    {
        return next(messages, "onMessage");
    }

    Completion awaitCompletion()
    {
        return next(completions, "onCompletion");
    }

    void awaitSuccess(final long id)
    {
        assertEquals(new Completion(id, EndpointStatus.SUCCESS), awaitCompletion());
    }

    Ended awaitDisconnected()
    {
        return next(disconnected, "onDisconnected");
    }

    Ended awaitClosed()
    {
        return next(closed, "onClosed");
    }

    @Override
    public void onConnected(final Endpoint endpoint)
    {
        connected.add(endpoint);
    }

    @Override
    public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] copy = new byte[length];
        buffer.getBytes(offset, copy);
        messages.add(copy);
        onMessage.accept(endpoint, copy);
    }

    @Override
    public void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
    {
        completions.add(new Completion(id, status));
    }

    @Override
    public void onWritable(final Endpoint endpoint)
    {
        writable.add(endpoint);
    }

    @Override
    public void onDisconnected(final Endpoint endpoint, final EndpointStatus status, final String reason)
    {
        disconnected.add(new Ended(status, reason));
    }

    @Override
    public void onClosed(final Endpoint endpoint, final EndpointStatus status, final String reason)
    {
        closed.add(new Ended(status, reason));
    }
}

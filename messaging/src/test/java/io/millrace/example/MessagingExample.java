package io.millrace.example;

import io.millrace.messaging.Endpoint;
import io.millrace.messaging.EndpointHandler;
import io.millrace.messaging.Messaging;
import io.millrace.messaging.MessagingContext;
import io.millrace.messaging.MessagingListener;
import io.millrace.messaging.RemoteRegion;
import io.millrace.messaging.TransportChoice;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The example of the documentation of messaging: one side greets, the other answers. */
final class MessagingExample
{
    private MessagingExample()
    {
    }

    static void main() throws InterruptedException
    {
        // example
        final CountDownLatch answered = new CountDownLatch(1);
        final MessagingListener log = new MessagingListener()
        {
            @Override
            public void onTransport(final Endpoint endpoint, final TransportChoice choice)
            {
                System.out.println("connected by " + choice.kind());
            }

            @Override
            public void onHandlerError(final Endpoint endpoint, final Throwable error)
            {
                System.err.println("a handler failed: " + error);
            }
        };
        final EndpointHandler server = (endpoint, buffer, offset, length) ->
        {
            final UnsafeBuffer answer = text("hello, " + string(buffer, offset, length));
            endpoint.send(1, answer, 0, answer.capacity());
        };
        final EndpointHandler client = new EndpointHandler()
        {
            @Override
            public void onConnected(final Endpoint endpoint)
            {
                final UnsafeBuffer name = text("Ada");
                endpoint.send(1, name, 0, name.capacity());
            }

            @Override
            public void onMessage(
                final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
            {
                System.out.println(string(buffer, offset, length));
                answered.countDown();
            }
        };
        final MessagingContext context = new MessagingContext()
            .secret("0123456789abcdef".getBytes(StandardCharsets.US_ASCII))
            .listener(log);
        try (Messaging messaging = Messaging.launch(context))
        {
            final InetSocketAddress address =
                messaging.listen(new InetSocketAddress("127.0.0.1", 0), (_) -> server).address();
            messaging.connect(address, client);
            answered.await();
        }
        // end
    }

    static void memory(final MessageMemory memory, final MessageMemory local, final CountDownLatch done)
        throws InterruptedException
    {
        // memory
        final EndpointHandler server = new EndpointHandler()
        {
            @Override
            public void onConnected(final Endpoint endpoint)
            {
                final byte[] descriptor =
                    endpoint.export(memory, 0, memory.lengthBytes(), ExportAccess.READ).descriptor();
                endpoint.send(1, new UnsafeBuffer(descriptor), 0, descriptor.length);
            }

            @Override
            public void onMessage(
                final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
            {
                // The peer only reads.
            }
        };
        final EndpointHandler client = new EndpointHandler()
        {
            @Override
            public void onMessage(
                final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
            {
                endpoint.read(1, new RemoteRegion(buffer, offset), 0, local, 0, local.lengthBytes());
            }

            @Override
            public void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
            {
                System.out.println("read: " + status + ", " + local.buffer().getStringUtf8(0));
                done.countDown();
            }
        };
        // memory end
        try (Messaging messaging = Messaging.launch(new MessagingContext()))
        {
            messaging.connect(
                messaging.listen(new InetSocketAddress("127.0.0.1", 0), (_) -> server).address(), client);
            done.await();
        }
    }

    // helpers
    static UnsafeBuffer text(final String text)
    {
        return new UnsafeBuffer(text.getBytes(StandardCharsets.UTF_8));
    }

    static String string(final DirectBuffer buffer, final int offset, final int length)
    {
        return buffer.getStringWithoutLengthUtf8(offset, length);
    }
    // helpers end
}

package io.millrace.example;

import io.millrace.messaging.Endpoint;
import io.millrace.messaging.EndpointHandler;
import io.millrace.messaging.Messaging;
import io.millrace.messaging.MessagingContext;
import io.millrace.messaging.MessagingListener;
import io.millrace.messaging.TransportChoice;
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

    private static UnsafeBuffer text(final String text)
    {
        return new UnsafeBuffer(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String string(final DirectBuffer buffer, final int offset, final int length)
    {
        return buffer.getStringWithoutLengthUtf8(offset, length);
    }
}

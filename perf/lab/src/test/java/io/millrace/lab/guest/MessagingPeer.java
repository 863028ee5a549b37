package io.millrace.lab.guest;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.millrace.messaging.Endpoint;
import io.millrace.messaging.EndpointHandler;
import io.millrace.messaging.ExportedRegion;
import io.millrace.messaging.Messaging;
import io.millrace.messaging.MessagingContext;
import io.millrace.messaging.MessagingListener;
import io.millrace.messaging.RdmaOptions;
import io.millrace.messaging.SubmitResult;
import io.millrace.messaging.TransportChoice;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A service that sends each message back. Messages that begin with an exclamation mark ask for something else:
 * {@code !export BYTES}, {@code !revoke}, {@code !offer BYTES}, {@code !leave}. Arguments: address, port, and
 * {@code rdma} or {@code tcp}. Prints what it listens at, and what is logged.
 */
public final class MessagingPeer implements EndpointHandler
{
    /** A machine that is emulated on a busy host stands still for seconds. */
    static final long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    static final long KEEP_ALIVE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);

    /** What is sent back and waits for room. */
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private MessageMemory memory;
    private ExportedRegion region;

    private MessagingPeer()
    {
    }

    /** Runs until it is killed. */
    public static void main(final String[] args) throws Exception
    {
        final MessagingContext context = new MessagingContext().name("peer")
            .rdma(RdmaOptions.DEFAULT.withEnabled("rdma".equals(args[2])).withEventChannel(true))
            .connectTimeoutNs(CONNECT_TIMEOUT_NS).keepAliveTimeoutNs(KEEP_ALIVE_TIMEOUT_NS)
            .listener(new Log());
        try (Messaging messaging = Messaging.launch(context))
        {
            messaging.listen(new InetSocketAddress(InetAddress.ofLiteral(args[0]), Integer.parseInt(args[1])),
                (_) -> new MessagingPeer());
            System.out.println("LISTENING");
            new CountDownLatch(1).await();
        }
    }

    /** Prints what an operator would have in a log. */
    static final class Log implements MessagingListener
    {
        @Override
        public void onTransport(final Endpoint endpoint, final TransportChoice choice)
        {
            System.out.println("LOG connected by " + choice.kind() + " " + choice.reason() + ": " + choice.text());
        }

        @Override
        public void onListeningByRdma(final TransportChoice choice)
        {
            System.out.println("LOG listening by RDMA: " + choice.text());
        }

        @Override
        public void onListeningWithoutRdma(final TransportChoice choice)
        {
            System.out.println("LOG listening without RDMA, " + choice.reason() + ": " + choice.text());
        }

        @Override
        public void onRejected(final InetSocketAddress peer, final String reason)
        {
            System.out.println("LOG rejected " + peer + ": " + reason);
        }

        @Override
        public void onHandlerError(final Endpoint endpoint, final Throwable error)
        {
            error.printStackTrace(System.out);
        }
    }

    @Override
    public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] message = new byte[length];
        buffer.getBytes(offset, message);
        if (0 == length || '!' != message[0])
        {
            send(endpoint, message);
            return;
        }
        final String[] words = new String(message, US_ASCII).split(" ");
        switch (words[0])
        {
            case "!export" ->
            {
                memory = new MessageMemory(Integer.parseInt(words[1]));
                fill(memory);
                region = endpoint.export(memory, 0, memory.lengthBytes(), ExportAccess.READ_WRITE);
                send(endpoint, region.descriptor());
            }
            case "!revoke" ->
            {
                region.close();
                send(endpoint, "revoked".getBytes(US_ASCII));
            }
            case "!offer" ->
            {
                final byte[] large = new byte[Integer.parseInt(words[1])];
                for (int i = 0; i < large.length; i++)
                {
                    large[i] = pattern(i);
                }
                send(endpoint, large);
            }
            case "!leave" -> endpoint.close();
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    /** Byte of exported and offered memory at an index. */
    static byte pattern(final int index)
    {
        return (byte)(index * 31 + (index >> 8));
    }

    private static void fill(final MessageMemory memory)
    {
        for (int i = 0; i < memory.lengthBytes(); i++)
        {
            memory.buffer().putByte(i, pattern(i));
        }
    }

    private void send(final Endpoint endpoint, final byte[] message)
    {
        waiting.add(message);
        drain(endpoint);
    }

    private void drain(final Endpoint endpoint)
    {
        while (!waiting.isEmpty() && SubmitResult.ACCEPTED ==
            endpoint.send(0, new UnsafeBuffer(waiting.peek()), 0, waiting.peek().length))
        {
            waiting.remove();
        }
    }

    @Override
    public void onWritable(final Endpoint endpoint)
    {
        drain(endpoint);
    }
}

package io.millrace.bench;

import io.millrace.messaging.Endpoint;
import io.millrace.messaging.EndpointHandler;
import io.millrace.messaging.Messaging;
import io.millrace.messaging.MessagingContext;
import io.millrace.messaging.RdmaOptions;
import io.millrace.messaging.SubmitResult;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.reactor.ReactorConfig.IdleMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;

/**
 * Messages over one stream of TCP between two processes:
 * <pre>
 *     serve ADDRESS PORT spin|block CPU
 *     latency ADDRESS PORT spin|block CPU BYTES TRIPS
 *     bandwidth ADDRESS PORT spin|block CPU BYTES SECONDS
 * </pre>
 * The server sends back what is up to {@value #ECHO_BYTES_MAX} bytes, and drops what is longer. Latency prints the
 * median and the 99th percentile of a round trip in nanoseconds, bandwidth the bits of messages that a second had, in
 * Mbit/s. With {@code block} a reactor sleeps as soon as it has nothing to do. {@code perf/compare/messaging} runs it
 * in turn with others.
 */
public final class MessagingLoad
{
    private static final int ECHO_BYTES_MAX = 4000;
    private static final int WARM_UP_TRIPS = 20_000;
    private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int DEPTH = 8;
    private static final int PERCENT = 100;
    private static final int P99 = 99;
    private static final double BITS_PER_MBIT = 1e6;

    private MessagingLoad()
    {
    }

    /**
     * Runs.
     *
     * @param words as above.
     * @throws Exception when it fails.
     */
    public static void main(final String[] words) throws Exception
    {
        if (words.length < 5)
        {
            throw new IllegalArgumentException(
                "usage: serve|latency|bandwidth ADDRESS PORT spin|block CPU [BYTES COUNT]");
        }
        final InetSocketAddress address =
            new InetSocketAddress(InetAddress.ofLiteral(words[1]), Integer.parseInt(words[2]));
        final boolean spins = "spin".equals(words[3]);
        final MessagingContext context = new MessagingContext().rdma(RdmaOptions.DEFAULT.withEnabled(false))
            .tcpStreams(1).reconnects(false).cpu(Integer.parseInt(words[4]))
            .idle(spins ? IdleMode.BUSY_SPIN : IdleMode.SLEEP).spinNs(0);
        try (Messaging messaging = Messaging.launch(context))
        {
            if ("serve".equals(words[0]))
            {
                messaging.listen(address, (_) -> new Echo());
                new CompletableFuture<Void>().join();
            }
            final int bytes = Integer.parseInt(words[5]);
            final long count = Long.parseLong(words[6]);
            final Load load = "latency".equals(words[0]) ? new Latency(bytes, count) : new Bandwidth(bytes, count);
            messaging.connect(address, load);
            System.out.println(load.result.join());
        }
    }

    private static final class Echo implements EndpointHandler
    {
        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
        {
            if (length <= ECHO_BYTES_MAX && SubmitResult.ACCEPTED != endpoint.send(0, buffer, offset, length))
            {
                throw new IllegalStateException("no room for an answer");
            }
        }
    }

    private abstract static class Load implements EndpointHandler
    {
        final CompletableFuture<String> result = new CompletableFuture<>();
        final MessageMemory memory;
        final int bytes;

        Load(final int bytes)
        {
            this.bytes = bytes;
            memory = new MessageMemory(bytes);
        }

        final void send(final Endpoint endpoint)
        {
            final SubmitResult answer = endpoint.send(0, memory.buffer(), 0, bytes);
            if (SubmitResult.ACCEPTED != answer)
            {
                result.completeExceptionally(new IllegalStateException("a message is " + answer));
            }
        }

        @Override
        public final void onClosed(final Endpoint endpoint, final EndpointStatus status, final String reason)
        {
            result.completeExceptionally(new IllegalStateException(status + ": " + reason));
        }
    }

    private static final class Latency extends Load
    {
        private final long[] tripsNs;
        private int trip = -WARM_UP_TRIPS;
        private long startNs;

        Latency(final int bytes, final long trips)
        {
            super(bytes);
            tripsNs = new long[(int)trips];
        }

        @Override
        public void onConnected(final Endpoint endpoint)
        {
            startNs = System.nanoTime();
            send(endpoint);
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
        {
            final long nowNs = System.nanoTime();
            if (trip >= 0)
            {
                tripsNs[trip] = nowNs - startNs;
            }
            if (++trip < tripsNs.length)
            {
                startNs = nowNs;
                send(endpoint);
                return;
            }
            Arrays.sort(tripsNs);
            result.complete(tripsNs[tripsNs.length / 2] + " " + tripsNs[tripsNs.length * P99 / PERCENT]);
        }
    }

    private static final class Bandwidth extends Load
    {
        private final long lengthNs;
        private long beginNs;
        private long messages;

        Bandwidth(final int bytes, final long seconds)
        {
            super(bytes);
            lengthNs = TimeUnit.SECONDS.toNanos(seconds);
        }

        @Override
        public void onConnected(final Endpoint endpoint)
        {
            beginNs = System.nanoTime() + WARM_UP_NS;
            for (int i = 0; i < DEPTH; i++)
            {
                send(endpoint);
            }
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
        {
            throw new IllegalStateException("the server answers nothing");
        }

        @Override
        public void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
        {
            final long nowNs = System.nanoTime();
            if (result.isDone() || EndpointStatus.SUCCESS != status)
            {
                return;
            }
            if (nowNs - beginNs < 0)
            {
                messages = 0;
            }
            else
            {
                messages++;
            }
            if (nowNs - beginNs >= lengthNs)
            {
                result.complete(Math.round(messages * (double)bytes * Byte.SIZE /
                    ((nowNs - beginNs) / (double)TimeUnit.SECONDS.toNanos(1)) / BITS_PER_MBIT) + "");
                return;
            }
            send(endpoint);
        }
    }
}

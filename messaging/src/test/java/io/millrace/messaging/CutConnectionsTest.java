package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * Messages of random sizes over a network that cuts connections anywhere: each accepted request completes once, nothing
 * is delivered twice or out of its order, what is acknowledged was delivered, and in a connection without a gap.
 */
class CutConnectionsTest
{
    private static final int MESSAGES = 4_000;
    private static final int CUTS = 25;

    /** Numbers that were delivered, by connection; the server's reactor. */
    private static final class Receiver implements EndpointHandler
    {
        private final List<List<Long>> sessions = new ArrayList<>();

        @Override
        public void onConnected(final Endpoint endpoint)
        {
            sessions.add(new ArrayList<>());
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
        {
            final long number = buffer.getLong(offset);
            for (int i = 8; i < length; i += 997)
            {
                assertEquals((byte)(number + i), buffer.getByte(offset + i), "content of " + number);
            }
            sessions.getLast().add(number);
        }
    }

    /** Sends as fast as it may, and cuts now and then; the client's reactor. */
    private static final class Sender implements EndpointHandler
    {
        private final Random random = TestSeeds.random();
        private final CuttingProxy proxy;
        private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[300_000]);
        private final List<EndpointStatus> statuses = new ArrayList<>();
        private final Set<Long> outstanding = new HashSet<>();
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        private long next;
        private int cuts;

        Sender(final CuttingProxy proxy)
        {
            this.proxy = proxy;
        }

        private void send(final Endpoint endpoint)
        {
            while (next < MESSAGES)
            {
                final int length = switch (random.nextInt(8))
                {
                    case 0 -> 4_060 + random.nextInt(8);
                    case 1 -> 4_064 + random.nextInt(290_000);
                    default -> 8 + random.nextInt(500);
                };
                for (int i = 8; i < length; i += 997)
                {
                    buffer.putByte(i, (byte)(next + i));
                }
                buffer.putLong(0, next);
                if (SubmitResult.ACCEPTED != endpoint.send(next, buffer, 0, length))
                {
                    return;
                }
                assertTrue(outstanding.add(next));
                statuses.add(null);
                next++;
            }
        }

        @Override
        public void onConnected(final Endpoint endpoint)
        {
            if (cuts++ < CUTS)
            {
                proxy.cutAfter(1_000 + random.nextInt(3_000_000));
            }
            send(endpoint);
        }

        @Override
        public void onWritable(final Endpoint endpoint)
        {
            send(endpoint);
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer from, final int offset, final int length)
        {
            throw new IllegalStateException("nothing is sent here");
        }

        @Override
        public void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
        {
            assertTrue(outstanding.remove(id), "completed twice or never sent: " + id);
            statuses.set((int)id, status);
            if (outstanding.isEmpty() && MESSAGES == next)
            {
                done.complete(null);
            }
        }
    }

    @Test
    void shouldKeepOrderAndCompleteEachRequestOnce() throws Exception
    {
        final Receiver receiver = new Receiver();
        try (Messaging server = Messaging.launch(context("server"));
            Messaging client = Messaging.launch(context("client")))
        {
            final ListeningAddress at = server.listen(MessagingFixture.anyPort(), (_) -> receiver);
            try (CuttingProxy proxy = new CuttingProxy(at.address()))
            {
                final Sender sender = new Sender(proxy);
                client.connect(proxy.address(), sender);
                sender.done.get(120, TimeUnit.SECONDS);
                assertTrue(sender.cuts > 1, "connections were cut");
                final List<List<Long>> sessions = server.call(() -> List.copyOf(receiver.sessions));
                check(sessions, client.call(() -> List.copyOf(sender.statuses)));
            }
        }
    }

    private static void check(final List<List<Long>> sessions, final List<EndpointStatus> statuses)
    {
        final Set<Long> delivered = new HashSet<>();
        long last = -1;
        for (final List<Long> session : sessions)
        {
            for (int i = 0; i < session.size(); i++)
            {
                final long number = session.get(i);
                assertTrue(delivered.add(number), "delivered twice: " + number);
                assertTrue(number > last, number + " after " + last);
                assertTrue(0 == i || number == last + 1, "a gap before " + number);
                last = number;
            }
        }
        for (int i = 0; i < statuses.size(); i++)
        {
            assertTrue(EndpointStatus.SUCCESS != statuses.get(i) || delivered.contains((long)i),
                i + " is acknowledged and not delivered");
        }
        assertEquals(MESSAGES, statuses.size());
    }

    private static MessagingContext context(final String name)
    {
        return MessagingFixture.context(name).rdma(RdmaOptions.DEFAULT.withEnabled(false));
    }
}

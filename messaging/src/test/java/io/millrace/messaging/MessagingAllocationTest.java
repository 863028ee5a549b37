package io.millrace.messaging;

import com.sun.management.ThreadMXBean;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.testing.AllocationWindows;
import io.millrace.testing.MeasuresTime;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Messages there and back, large ones, reads and writes: nothing is allocated on either reactor when it is warm. */
@MeasuresTime
class MessagingAllocationTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int EXCHANGES = 2_000;
    private static final int CLEAN_ROUNDS = 3;
    private static final int ROUNDS_MIN = 60;
    private static final int LARGE_BYTES = 100_000;

    /** Sends back what comes. */
    private static final class Echo implements EndpointHandler
    {
        private final MessageMemory exported;
        private final UnsafeBuffer answer = new UnsafeBuffer(new byte[64]);

        Echo(final MessageMemory exported)
        {
            this.exported = exported;
        }

        @Override
        public void onConnected(final Endpoint endpoint)
        {
            final UnsafeBuffer descriptor = new UnsafeBuffer(new byte[RemoteRegion.DESCRIPTOR_BYTES]);
            endpoint.export(exported, 0, LARGE_BYTES, ExportAccess.READ_WRITE).writeDescriptor(descriptor, 0);
            endpoint.send(0, descriptor, 0, RemoteRegion.DESCRIPTOR_BYTES);
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
        {
            endpoint.send(1, answer, 0, 64);
        }
    }

    /** Sends, reads and writes in turn, each after the one before. */
    private static final class Driver implements EndpointHandler
    {
        private final MessageMemory memory;
        private final UnsafeBuffer buffer;
        private RemoteRegion remote;
        private int left;
        private CompletableFuture<Void> done = new CompletableFuture<>();

        Driver(final MessageMemory memory)
        {
            this.memory = memory;
            buffer = memory.buffer();
        }

        void step(final Endpoint endpoint)
        {
            if (0 == left--)
            {
                done.complete(null);
                return;
            }
            switch (left % 4)
            {
                case 0 -> endpoint.send(1, buffer, 0, LARGE_BYTES);
                case 1 -> endpoint.read(2, remote, 0, memory, 0, LARGE_BYTES);
                case 2 -> endpoint.write(3, remote, 0, memory, 0, LARGE_BYTES);
                default -> endpoint.send(1, buffer, 0, 64);
            }
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer from, final int offset, final int length)
        {
            if (null == remote)
            {
                remote = new RemoteRegion(from, offset);
                done.complete(null);
                return;
            }
            step(endpoint);
        }

        @Override
        public void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
        {
            if (1 != id)
            {
                step(endpoint);
            }
        }
    }

    private static long allocated(final Messaging messaging)
    {
        return messaging.call(THREADS::getCurrentThreadAllocatedBytes);
    }

    @Test
    void shouldAllocateNothingForMessagesAndAccess() throws Exception
    {
        try (MessageMemory exported = new MessageMemory(LARGE_BYTES);
            MessageMemory memory = new MessageMemory(LARGE_BYTES);
            Messaging server = Messaging.launch(tcp("server"));
            Messaging client = Messaging.launch(tcp("client")))
        {
            final Driver driver = new Driver(memory);
            final Endpoint endpoint = client.connect(
                server.listen(MessagingFixture.anyPort(), (_) -> new Echo(exported)).address(), driver);
            driver.done.get(20, TimeUnit.SECONDS);
            // What a round of nothing costs: the calls of this test.
            final AllocationWindows rounds = new AllocationWindows(CLEAN_ROUNDS, ROUNDS_MIN);
            while (!rounds.isOver())
            {
                final long nothing = round(client, server, driver, endpoint, 0);
                rounds.end(Math.max(0, round(client, server, driver, endpoint, EXCHANGES) - nothing));
            }
            rounds.assertClean(EXCHANGES + " exchanges");
        }
    }

    private static long round(
        final Messaging client,
        final Messaging server,
        final Driver driver,
        final Endpoint endpoint,
        final int exchanges) throws Exception
    {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        final long before = allocated(server) + allocated(client);
        client.call(() ->
        {
            driver.done = done;
            driver.left = exchanges;
            driver.step(endpoint);
            return null;
        });
        done.get(20, TimeUnit.SECONDS);
        return allocated(client) + allocated(server) - before;
    }

    private static MessagingContext tcp(final String name)
    {
        return MessagingFixture.context(name).rdma(RdmaOptions.DEFAULT.withEnabled(false));
    }
}

package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** After a request was refused for now, the endpoint says when another attempt is worthwhile, and only then. */
class BackPressureTest
{
    private static MessagingContext tcp(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false));
    }

    /** Makes its reads as soon as a message has brought the region. */
    private static final class Reader implements EndpointHandler
    {
        private static final int READS = 48;
        private static final int BYTES = 8 << 20;

        private final BlockingQueue<EndpointStatus> completions = new LinkedBlockingQueue<>();
        private final MessageMemory local;
        private RemoteRegion remote;
        private int begun;
        private int inVain;

        Reader(final MessageMemory local)
        {
            this.local = local;
        }

        @Override
        public void onMessage(final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
        {
            remote = new RemoteRegion(buffer, offset);
            begin(endpoint);
        }

        private void begin(final Endpoint endpoint)
        {
            while (begun < READS && SubmitResult.ACCEPTED == endpoint.read(begun, remote, 0, local, 0, BYTES))
            {
                begun++;
            }
        }

        @Override
        public void onWritable(final Endpoint endpoint)
        {
            final int before = begun;
            begin(endpoint);
            inVain += before == begun ? 1 : 0;
        }

        @Override
        public void onCompletion(final Endpoint endpoint, final long id, final EndpointStatus status)
        {
            completions.add(status);
        }
    }

    @Test
    void shouldOfferRoomForAReadOnlyWhenAnotherHasEnded()
    {
        try (MessagingFixture fixture = new MessagingFixture(BackPressureTest::tcp))
        {
            final Reader reader = new Reader(fixture.memory(Reader.BYTES));
            final MessageMemory exported = fixture.memory(Reader.BYTES);
            fixture.connecting.connect(fixture.listening.address(), reader);
            final Endpoint server = fixture.serverEndpoint();
            fixture.server.awaitConnected();
            fixture.serving.call(() ->
            {
                final byte[] descriptor = server.export(exported, 0, Reader.BYTES, ExportAccess.READ).descriptor();
                return server.send(1, new UnsafeBuffer(descriptor), 0, descriptor.length);
            });
            for (int i = 0; i < Reader.READS; i++)
            {
                assertEquals(EndpointStatus.SUCCESS, Recorder.next(reader.completions, "a completion"));
            }
            assertEquals(0, fixture.connecting.call(() -> reader.inVain), "onWritable without room");
        }
    }

    @Test
    void shouldSendToAPeerWhoseSlotsAreLargerThanTheSendBuffer()
    {
        try (MessagingFixture fixture = new MessagingFixture(
            (context) -> tcp(context).rdma(tcp(context).rdma().withQueues(1024, 64, 4 << 20, 64 << 20)),
            (context) -> tcp(context).rdma(tcp(context).rdma().withQueues(1024, 64, 64 << 10, 4 << 20)),
            new Recorder()).connect())
        {
            final int[] sizes = {50_000, 300_000, 1_000_000, 5};
            for (int i = 0; i < sizes.length; i++)
            {
                assertEquals(SubmitResult.ACCEPTED, fixture.send(i, new byte[sizes[i]]));
                assertEquals(sizes[i], fixture.server.awaitMessage().length);
                fixture.client.awaitSuccess(i);
            }
        }
    }

    @Test
    void shouldAcknowledgeAQuarterOfTheWindowAlsoWhileThereIsWork()
    {
        final ReceiveOrder order = new ReceiveOrder(null, new Operations(), 64, 4096, (_, _) -> true);
        for (int i = 0; i < 15; i++)
        {
            order.onEager(0L, 0);
        }
        assertEquals(false, order.isAcknowledgementDue());
        order.onEager(0L, 0);
        assertEquals(true, order.isAcknowledgementDue());
        order.onAcknowledged();
        assertEquals(false, order.isAcknowledgementDue());
    }

    @Test
    void shouldSendNoMoreThanTheSmallerOfBothReceiveDepthsAllows()
    {
        try (MessagingFixture fixture = new MessagingFixture(BackPressureTest::tcp,
            (context) -> tcp(context).rdma(tcp(context).rdma().withQueues(1024, 64, 4 << 20, 4 << 20)),
            new Recorder()).connect())
        {
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
            assertEquals((64 - 16) / 2, fixture.connecting.call(() ->
            {
                int count = 0;
                while (SubmitResult.ACCEPTED == fixture.endpoint.send(count, buffer, 0, 8))
                {
                    count++;
                }
                return count;
            }));
        }
    }
}

package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.messaging.transport.EndpointStatus;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;

/** Handlers and listeners that throw, close and refuse: only their own connection notices. */
class HandlerErrorTest
{
    private static final int CONNECTIONS = 5;

    private static MessagingContext tcp(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEnabled(false));
    }

    private static MessagingFixture fixture(final UnaryOperator<MessagingContext> server, final Recorder recorder)
    {
        return new MessagingFixture((context) -> server.apply(tcp(context)), HandlerErrorTest::tcp, recorder);
    }

    @Test
    void shouldEndOnlyTheConnectionWhoseHandlerThrowsAnError()
    {
        final Recorder throwing = new Recorder((_, message) ->
        {
            if (13 == message[0])
            {
                throw new AssertionError("thirteen");
            }
        });
        final BlockingQueue<Throwable> errors = new LinkedBlockingQueue<>();
        final MessagingListener log = new MessagingListener()
        {
            @Override
            public void onHandlerError(final Endpoint endpoint, final Throwable error)
            {
                errors.add(error);
            }
        };
        try (MessagingFixture fixture = fixture((context) -> context.listener(log), throwing).connect())
        {
            fixture.send(1, new byte[] {13});
            assertEquals(EndpointStatus.HANDLER_FAILED, throwing.awaitClosed().status());
            assertEquals("thirteen", Recorder.next(errors, "onHandlerError").getMessage());
            fixture.client.awaitDisconnected();
            fixture.client.awaitConnected();
            fixture.client.awaitCompletion();
            fixture.send(2, new byte[] {14});
            fixture.client.awaitSuccess(2);
        }
    }

    @Test
    void shouldGoOnWhenTheListenerThrows()
    {
        final MessagingListener log = new MessagingListener()
        {
            @Override
            public void onTransport(final Endpoint endpoint, final TransportChoice choice)
            {
                throw new IllegalStateException("the disk of the log is full");
            }
        };
        try (MessagingFixture fixture = fixture((context) -> context.listener(log), new Recorder()).connect())
        {
            fixture.send(1, new byte[] {1});
            fixture.client.awaitSuccess(1);
            assertEquals(1, fixture.serving.count(MessagingCounter.HANDLER_ERRORS));
        }
    }

    @Test
    void shouldReportTheEndOfAnEndpointWithoutAConnectionAfterCloseHasReturned()
    {
        final BlockingQueue<Boolean> isWithinClose = new LinkedBlockingQueue<>();
        final boolean[] closes = new boolean[1];
        final EndpointHandler handler = new EndpointHandler()
        {
            @Override
            public void onMessage(
                final Endpoint endpoint, final DirectBuffer buffer, final int offset, final int length)
            {
                throw new AssertionError("nobody sends");
            }

            @Override
            public void onDisconnected(final Endpoint endpoint, final EndpointStatus status, final String reason)
            {
                closes[0] = true;
                endpoint.close();
                endpoint.close();
                closes[0] = false;
            }

            @Override
            public void onClosed(final Endpoint endpoint, final EndpointStatus status, final String reason)
            {
                isWithinClose.add(closes[0]);
            }
        };
        try (MessagingFixture fixture = fixture((context) -> context, new Recorder()))
        {
            final InetSocketAddress nobody = fixture.listening.address();
            fixture.listening.close();
            final Endpoint endpoint = fixture.connecting.connect(nobody, handler);
            assertEquals(false, Recorder.next(isWithinClose, "onClosed"));
            assertEquals(EndpointState.CLOSED, fixture.connecting.call(endpoint::state));
            assertNull(isWithinClose.poll(), "onClosed came twice");
        }
    }

    @Test
    void shouldRejectAPeerBeyondTheLimitOnce()
    {
        try (MessagingFixture fixture = fixture((context) -> context.connectionsMax(1), new Recorder()).connect())
        {
            final Recorder refused = new Recorder();
            try (Messaging other = Messaging.launch(tcp(MessagingFixture.context("other")).reconnects(false)))
            {
                other.connect(fixture.listening.address(), refused);
                refused.awaitClosed();
            }
            final String reason = Recorder.next(fixture.rejected, "onRejected");
            assertEquals("there are 1 connections (connectionsMax)", reason);
            fixture.serving.close();
            // A further stream of a peer may still be without its hello.
            final List<String> others = new ArrayList<>();
            fixture.rejected.drainTo(others);
            others.forEach((each) -> assertEquals("the listener was closed", each));
            assertEquals(1 + others.size(), fixture.serving.count(MessagingCounter.PEERS_REJECTED));
        }
    }

    @Test
    void shouldBackOffFromAPeerThatEndsEachConnectionAtOnce()
    {
        final long minNs = TimeUnit.MILLISECONDS.toNanos(50);
        try (MessagingFixture fixture = fixture((context) -> context, new Recorder());
            Messaging client = Messaging.launch(tcp(MessagingFixture.context("client"))
                .reconnectDelayMinNs(minNs).reconnectDelayMaxNs(TimeUnit.SECONDS.toNanos(10))))
        {
            final ListeningAddress closing = fixture.serving.listen(MessagingFixture.anyPort(),
                (_) -> new Recorder((from, _) -> from.close()));
            final Recorder recorder = new Recorder();
            final Endpoint endpoint = client.connect(closing.address(), recorder);
            final long beginNs = System.nanoTime();
            for (int i = 0; i < CONNECTIONS; i++)
            {
                recorder.awaitConnected();
                MessagingFixture.send(client, endpoint, recorder, i, new byte[1]);
                recorder.awaitDisconnected();
            }
            // 50 + 100 + 200 + 400 ms; a delay that begins anew each time is 200 ms.
            final long passedNs = System.nanoTime() - beginNs;
            assertEquals(0, Math.max(0, 15 * minNs - passedNs), "shorter by so many nanoseconds");
        }
    }

    @Test
    void shouldRefuseANameThatIsNotResolved()
    {
        try (Messaging client = Messaging.launch(tcp(MessagingFixture.context("client"))))
        {
            assertThrows(IllegalArgumentException.class,
                () -> client.connect(InetSocketAddress.createUnresolved("storage.invalid", 1), new Recorder()));
        }
    }

    @Test
    void shouldNotTakeASecretOfZeroBytesForNone()
    {
        try (MessagingFixture fixture = fixture((context) -> context.secret(new byte[16]), new Recorder()))
        {
            final Recorder refused = new Recorder();
            try (Messaging other = Messaging.launch(tcp(MessagingFixture.context("other")).reconnects(false)))
            {
                other.connect(fixture.listening.address(), refused);
                assertEquals(EndpointStatus.NOT_AUTHENTICATED, refused.awaitClosed().status());
            }
        }
    }
}

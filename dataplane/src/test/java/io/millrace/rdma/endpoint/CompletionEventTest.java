package io.millrace.rdma.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.InterceptedCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a reactor does that a completion wakes. */
class CompletionEventTest extends RdmaEndpointFixture
{
    private static final int MESSAGES = 5;
    /** A reactor without work sleeps long before. */
    private static final long SLEEPING_MS = 50;

    private final RdmaModel model = new RdmaModel();
    private final LinkedBlockingQueue<String> calls = new LinkedBlockingQueue<>();
    private volatile RdmaConnection serving;

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    /** {@return one that records answers, and events that are read} */
    @Override
    RdmaCore targetCore()
    {
        return InterceptedCore.of(model.targetCore(), (method, _, call) ->
        {
            final Object result = call.proceed();
            if ("postSend".equals(method))
            {
                calls.add("answered");
            }
            else if ("cqEvent".equals(method) && 0 == (int)result)
            {
                calls.add("event read");
            }
            return result;
        });
    }

    /** Connects to an end that does something for each message. */
    private void open(final Runnable onMessage) throws InterruptedException
    {
        final ConnectionHandler handler = new ConnectionHandler()
        {
            @Override
            public void onQueuePair(final RdmaConnection made)
            {
                serving = made;
                for (int i = 0; i < RECEIVES; i++)
                {
                    final long address = target.address() + i * RECEIVE_BYTES;
                    made.queuePair().segment(address, RECEIVE_BYTES, key(address)).postReceive(i);
                }
            }

            @Override
            public void onEstablished(final RdmaConnection established)
            {
                // Its messages say so.
            }

            @Override
            public void onClosed(final RdmaConnection closed, final String reason)
            {
                // The other end is told too.
            }

            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                // The other end has it.
            }

            @Override
            public void onReceived(
                final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                if (CompletionStatus.SUCCESS == status)
                {
                    onMessage.run();
                }
            }
        };
        final InetSocketAddress other = target.call(() -> target.manager().listen(
            new InetSocketAddress(targetAddress().getAddress(), 4421), 8,
            (request) -> request.accept(SIZES, handler, "welcome".getBytes(US_ASCII))));
        client = connect(other, "hello");
        client.expect("established");
    }

    private int key(final long address)
    {
        return (int)serving.keys().localKey(address, RECEIVE_BYTES);
    }

    private void send(final int id)
    {
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(id, false)));
    }

    @Test
    void shouldAnswerBeforeItReadsTheEventThatWokeIt() throws Exception
    {
        open(() -> serving.queuePair().segment(targetData(), 8, key(targetData())).postSend(1, false));
        for (int i = 0; i < MESSAGES; i++)
        {
            Thread.sleep(SLEEPING_MS);
            calls.clear();
            send(i);
            client.expect("received " + i + " SUCCESS 8 0");
            assertEquals(List.of("answered", "event read"),
                List.of(calls.poll(60, TimeUnit.SECONDS), calls.poll(60, TimeUnit.SECONDS)), "message " + i);
        }
    }

    @Test
    void shouldReadNoEventOfAQueueThatItsAnswerHasClosed() throws Exception
    {
        open(() -> target.manager().close());
        Thread.sleep(SLEEPING_MS);
        calls.clear();
        send(1);
        client.closed();
        assertEquals(1, (int)target.call(() -> 1), "the reactor goes on");
        assertEquals(List.of(), List.copyOf(calls));
        assertEquals(List.of(), model.network().violations());
    }
}

package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_recv_wr;
import io.millrace.bindings.generated.verbs.ibv_wc;
import io.millrace.bindings.verbs.AsyncEvent;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.InterceptedCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import io.millrace.reactor.HeldClock;
import io.millrace.reactor.ReactorConfig;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract on the model. */
class ModelSharedReceiveTest extends SharedReceiveContractTest
{
    private static final long LITTLE_NS = 10_000;
    /** Together less than a connection that closes waits for what was posted. */
    private static final long REPORT_NS = 900_000_000L;
    /** Less than it waits for a device that does not report that it takes no more from a shared receive queue. */
    private static final long END_NS = 40_000_000L;

    private final RdmaModel model = new RdmaModel();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final HeldClock clock = new HeldClock();
    private volatile boolean isRefusing;
    /** Whether completions have not come yet. */
    private volatile boolean isUnpolled;
    /** Whether a poll takes one completion, as when those of others come first. */
    private volatile boolean isSinglePolled;
    /** Whether events of the device have not come yet. */
    private volatile boolean isLate;
    private volatile int lastNumber;

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    @Override
    RdmaNode startTarget()
    {
        return new RdmaNode(targetCore(), clock.reactor(ReactorConfig.of("target", -1)));
    }

    /** {@return one that records calls, and the numbers of queue pairs} */
    @Override
    RdmaCore targetCore()
    {
        return InterceptedCore.of(model.targetCore(), (method, arguments, call) ->
        {
            if (isSinglePolled && "poll".equals(method))
            {
                arguments[1] = 1;
            }
            final Object result =
                isRefusing && "postSharedReceive".equals(method) ? (Object)(-Errno.ENOMEM) :
                isLate && "asyncEvent".equals(method) ? (Object)(-Errno.EAGAIN) :
                isUnpolled && "poll".equals(method) ? (Object)0 :
                call.proceed();
            if ("queuePairNumber".equals(method))
            {
                lastNumber = (int)result;
            }
            else if ("destroyQueuePair".equals(method))
            {
                calls.add("destroyed");
            }
            else if ("postSharedReceive".equals(method))
            {
                calls.add("list of " + requests((long)arguments[1]));
            }
            else if ("limitSharedReceiveQueue".equals(method))
            {
                calls.add("limited");
            }
            else if ("postSend".equals(method))
            {
                calls.add("sent");
            }
            else if ("asyncEvent".equals(method) && 0 == (int)result &&
                Verbs.IBV_EVENT_QP_LAST_WQE_REACHED == AsyncEvent.type((long)arguments[1]))
            {
                calls.add("last request taken");
            }
            return result;
        });
    }

    private static int requests(final long firstAddress)
    {
        int count = 0;
        for (long next = firstAddress; 0L != next; next = NativeMemory.getLong(next + ibv_recv_wr.next$offset()))
        {
            count++;
        }
        return count;
    }

    /** {@return the calls since the last time} */
    private List<String> called()
    {
        final List<String> copy = List.copyOf(calls);
        calls.clear();
        return copy;
    }

    /** Takes requests for messages, so that as many can be posted. */
    private void take(final int count) throws InterruptedException
    {
        for (int i = 0; i < count; i++)
        {
            send(client, i);
            received(server, i);
            client.expect("sent " + i + " SUCCESS");
        }
    }

    private void post(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            assertTrue(post(server.connection().domain(), i));
        }
    }

    /** The first cycle of the reactor after that has posted what was collected. */
    private List<String> calledInTheNextPoll()
    {
        // A cycle may run several commands, which it does after it has polled.
        final long cycleNs = target.call(() -> target.reactor().nowNs());
        while (cycleNs == target.call(() -> target.reactor().nowNs()))
        {
            Thread.onSpinWait();
        }
        return called();
    }

    @Test
    void shouldPostWhatItCollectsAtTheEndOfAPoll() throws Exception
    {
        open();
        assertEquals(List.of("list of 1"), List.copyOf(new HashSet<>(called())));
        take(8);
        target.run(() ->
        {
            queue().holdUntilPolled();
            post(3);
            assertEquals(List.of(), called());
        });
        assertEquals(List.of("list of 3"), calledInTheNextPoll());
        target.run(() ->
        {
            post(2);
            assertTrue(queue().ring());
            assertFalse(queue().ring());
        });
        assertEquals(List.of("list of 2"), calledInTheNextPoll());
        target.run(() -> post(1));
        assertEquals(List.of("list of 1"), calledInTheNextPoll(), "in each poll again");
        take(6);
        target.run(() ->
        {
            post(8);
            assertEquals(List.of("list of 8"), called(), "it is full");
        });
        assertEquals(List.of(), calledInTheNextPoll());
    }

    @Test
    void shouldPostNothingThatItCollectedBeforeItWasClosed() throws Exception
    {
        open();
        take(8);
        target.run(() -> server.connection().close("done"));
        assertEquals("done", server.closed());
        called();
        target.run(() ->
        {
            queue().holdUntilPolled();
            post(3);
            queue().close();
            assertFalse(queue().ring());
        });
        assertEquals(List.of(), calledInTheNextPoll());
    }

    /** What a peer is answered with may have it send at once, and the device counts what it has for the limit. */
    @Test
    void shouldPostWhatItCollectsBeforeAnswersAndLimits() throws Exception
    {
        open();
        take(8);
        called();
        target.run(() ->
        {
            queue().holdUntilPolled();
            server.queuePair().holdUntilPolled();
            assertTrue(server.at(targetData(), 8).postSend(1, true));
            post(1);
        });
        server.expect("sent 1 SUCCESS");
        assertEquals(List.of("list of 1", "sent"), called());
        target.run(() ->
        {
            post(7);
            queue().limit(8);
        });
        assertEquals(List.of("list of 7", "limited"), called());
        assertEquals(0, reports().size(), "as many as the limit");
    }

    @Test
    void shouldEndItsConnectionsWhenTheProviderRefusesAList() throws Exception
    {
        open();
        take(8);
        target.run(() ->
        {
            queue().holdUntilPolled();
            isRefusing = true;
            post(2);
        });
        assertEquals(CompletionStatus.DEVICE.text(), server.closed());
        client.closed();
        target.run(() -> queue().close());
        assertEquals(Set.of("returned 0", "returned 1"), Set.copyOf(reports()));
        assertEquals(2, reports().size(), "each once");
    }

    /**
     * When nothing of its own is outstanding the device may still have a request of the shared queue, whose buffer
     * nobody would return if the queue pair were destroyed then.
     */
    @Test
    void shouldWaitForTheLastRequestThatAConnectionTakes() throws Exception
    {
        open();
        model.network().holdAcknowledgements(true);
        isLate = true;
        target.run(() ->
        {
            // Its end is what a queue pair without a shared queue waits for.
            assertTrue(server.at(targetData(), 8).postSend(1, true));
            server.connection().close("done");
        });
        server.expect("sent 1 FLUSHED");
        target.run(() -> assertFalse(calls.contains("destroyed")));
        isLate = false;
        assertEquals("done", server.closed());
        assertEquals(List.of("last request taken", "destroyed"), called().reversed().subList(0, 2).reversed());
    }

    /** Nothing of its own is outstanding when it closes, and the device may have a request of the shared queue. */
    @Test
    void shouldWaitForTheDeviceThoughNothingIsOutstanding() throws Exception
    {
        open();
        clock.hold();
        isLate = true;
        target.run(() ->
        {
            assertEquals(0, server.queuePair().outstanding());
            server.connection().close("done");
        });
        for (long ns = 0; ns < END_NS / 2; ns += END_NS / 20)
        {
            clock.advance(END_NS / 20);
            target.run(() -> assertFalse(isDestroyed(), "the device has not let go"));
        }
        isLate = false;
        await("the end without a timer", END_NS / 2, this::isDestroyed);
        assertEquals("done", server.closed());
        clock.release();
    }

    /** By a clock that is held. */
    private void await(final String what, final long ns, final BooleanSupplier condition)
    {
        final long limitNs = clock.advance(0) + ns;
        while (!condition.getAsBoolean())
        {
            // It looks at descriptors by the clock.
            assertTrue(clock.advance(LITTLE_NS) < limitNs, () -> "waited in vain for " + what + ": " + calls);
            target.run(() -> { });
        }
    }

    private boolean isDestroyed()
    {
        return calls.contains("destroyed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndAConnectionAtOnceWhicheverComesFirst(final boolean isEventFirst) throws Exception
    {
        open();
        clock.hold();
        model.network().holdAcknowledgements(true);
        isUnpolled = isEventFirst;
        isLate = !isEventFirst;
        target.run(() ->
        {
            assertTrue(server.at(targetData(), 8).postSend(1, true));
            server.connection().close("done");
        });
        if (isEventFirst)
        {
            await("the event", REPORT_NS, () -> calls.contains("last request taken"));
            assertFalse(isDestroyed(), "its request has not come back");
            isUnpolled = false;
            await("the end without a timer", END_NS, this::isDestroyed);
            server.expect("sent 1 FLUSHED");
        }
        else
        {
            await("its request", REPORT_NS, () -> 0 == server.queuePair().outstanding());
            server.expect("sent 1 FLUSHED");
            assertFalse(isDestroyed(), "the device may take another one");
            isLate = false;
            await("the end without a timer", END_NS, this::isDestroyed);
        }
        assertEquals("done", server.closed());
        clock.release();
    }

    /**
     * The device has taken a request, and reports it behind the last one that the connection waits for; a provider
     * drops with the queue pair what was not polled, and nobody would return the buffer.
     */
    @Test
    void shouldReturnWhatIsReportedBehindItsLastRequest() throws Exception
    {
        open();
        clock.hold();
        model.network().endMessages();
        isUnpolled = true;
        isSinglePolled = true;
        target.run(() ->
        {
            assertTrue(server.at(targetData(), 8).postSend(1, true));
            server.connection().close("done");
        });
        await("the event", REPORT_NS, () -> calls.contains("last request taken"));
        isUnpolled = false;
        await("the end without a timer", END_NS, this::isDestroyed);
        // It has left before the end, or has not.
        final String last = server.next();
        assertTrue(last.startsWith("sent 1 "), last);
        assertEquals("done", server.closed());
        target.run(() -> assertEquals(1, queue().room(), "the request that the device took"));
        clock.release();
    }

    /** The owner has not heard of the failure when the device has let go. */
    @Test
    void shouldEndAConnectionAtOnceWhoseEventCameBeforeItsFailure() throws Exception
    {
        open();
        clock.hold();
        isUnpolled = true;
        target.run(() -> assertTrue(server.at(targetData(), 8).postWrite(1, true, hostData(), 0)));
        await("the event", REPORT_NS, () -> calls.contains("last request taken"));
        isUnpolled = false;
        await("the end without a timer", END_NS, this::isDestroyed);
        server.expect("sent 1 REMOTE_ACCESS");
        assertEquals(CompletionStatus.REMOTE_ACCESS.text(), server.closed());
        clock.release();
    }

    /** A provider may report what a queue pair took after that was destroyed: nobody else would return the buffer. */
    @Test
    void shouldReturnWhatAConnectionTookThatIsGone() throws Exception
    {
        open();
        final int number = lastNumber;
        close();
        target.run(() ->
        {
            try (Arena arena = Arena.ofConfined())
            {
                final long entry = arena.allocate(ibv_wc.sizeof(), Long.BYTES).address();
                NativeMemory.putInt(entry + ibv_wc.qp_num$offset(), number);
                queue().onReceived(0, Verbs.IBV_WC_SUCCESS, entry);
                assertEquals(1, queue().room());
                queue().onReceived(0, Verbs.IBV_WC_SUCCESS, entry);
                assertEquals(1, queue().room(), "once");
            }
        });
        final String report = reports().poll(60, TimeUnit.SECONDS);
        assertTrue(report.matches("returned \\d"), report);
        assertEquals(0, reports().size());
    }
}

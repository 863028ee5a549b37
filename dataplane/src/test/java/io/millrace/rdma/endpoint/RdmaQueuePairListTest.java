package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.rdma.endpoint.ModelProvider.Segment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a queue pair that collects requests posts its lists. */
class RdmaQueuePairListTest extends RdmaQueuePairFixture
{
    /** What two messages are answered with leaves when both have been taken: buffers first, then answers. */
    @Test
    void shouldPostWhatCompletionsCauseAtTheEndOfTheirPoll()
    {
        final RdmaQueuePair[] made = new RdmaQueuePair[1];
        final CompletionQueue completions = queue(64);
        made[0] = pair(completions, SIZES, new CompletionHandler()
        {
            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                reports.add("sent " + id + " " + status);
            }

            @Override
            public void onReceived(
                final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                made[0].segment(0x1000 + id, 100, 7).postWrite(10 + id, false, 0xABC0, 99);
                made[0].segment(0x2000 + id, 16, 8).postSend(20 + id, true);
                made[0].segment(0x3000 + id, 64, 9).segment(0x4000 + id, 32, 10).postReceive(30 + id);
                reports.add("posted " + provider.sentCount() + " " + provider.receivedCount());
            }
        });
        made[0].postReceive(1);
        made[0].postReceive(2);
        made[0].holdUntilPolled();
        provider.complete(provider.received(0), 0);
        provider.complete(provider.received(1), 0);
        completions.poll();
        assertEquals(List.of("posted 0 2", "posted 0 2"), reported());
        assertEquals(List.of(4, 1), List.of(provider.sentCount(), provider.doorbells()));
        assertEquals(List.of(4, 3), List.of(provider.receivedCount(), provider.receiveDoorbells()));
        assertEquals(0, provider.sentBeforeReceives(), "the peer may send as soon as it is answered");
        for (int i = 0; i < 2; i++)
        {
            assertEquals(List.of(new Segment(0x1001 + i, 100, 7)), provider.sent(2 * i).segments());
            assertEquals(List.of(new Segment(0x2001 + i, 16, 8)), provider.sent(2 * i + 1).segments());
            assertEquals(List.of(new Segment(0x3001 + i, 64, 9), new Segment(0x4001 + i, 32, 10)),
                provider.received(2 + i).segments());
        }
        provider.complete(provider.sent(1), 0);
        provider.complete(provider.sent(3), 0);
        assertEquals(2, completions.poll(), "nothing was posted");
        assertEquals(List.of("sent 21 SUCCESS", "sent 22 SUCCESS"), reported());
        assertEquals(1, provider.doorbells());
    }

    /** A poller behind the completion queue, a timer or a command may post: the reactor does not sleep on that. */
    @Test
    void shouldPostWhatIsPostedBetweenPollsAtTheEndOfTheNext()
    {
        pair.holdUntilPolled();
        assertFalse(queue.canSleep());
        assertTrue(queue.canSleep());
        assertTrue(pair.postReceive(1));
        assertTrue(pair.postSend(2, true));
        assertFalse(queue.canSleep());
        assertEquals(List.of(0, 0), List.of(provider.sentCount(), provider.receivedCount()));
        assertEquals(1, queue.poll(), "the queue pair");
        assertEquals(List.of(1, 1), List.of(provider.sentCount(), provider.receivedCount()));
        assertTrue(queue.canSleep());
        assertEquals(0, queue.poll());
        pair.postSend(3, true);
        assertTrue(pair.ring());
        assertEquals(2, provider.sentCount());
        assertFalse(pair.ring());
        queue.poll();
        assertEquals(2, provider.doorbells(), "once");
        assertTrue(queue.canSleep());
        pair.postSend(4, true);
        queue.poll();
        assertEquals(3, provider.sentCount(), "again");
        pair.postSend(5, true);
        pair.release();
        assertEquals(4, provider.sentCount());
        pair.postSend(6, true);
        assertEquals(5, provider.sentCount(), "at once");
    }

    @Test
    void shouldPostListsOfSeveralQueuePairsAfterOnePoll()
    {
        final CompletionQueue completions = queue(64);
        final List<RdmaQueuePair> pairs = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            pairs.add(pair(completions, SIZES, handler));
            pairs.getLast().holdUntilPolled();
        }
        for (int i = 0; i < 6; i++)
        {
            pairs.get(i % 3).postSend(i, true);
        }
        assertEquals(3, completions.poll());
        assertEquals(List.of(6, 3), List.of(provider.sentCount(), provider.doorbells()));
        for (int i = 0; i < 6; i++)
        {
            provider.complete(provider.sent(i), 0);
        }
        completions.poll();
        assertEquals(List.of("sent 0 SUCCESS", "sent 3 SUCCESS", "sent 1 SUCCESS", "sent 4 SUCCESS", "sent 2 SUCCESS",
            "sent 5 SUCCESS"), reported(), "in the order in which each began");
        assertEquals(0, completions.poll());
        pairs.get(0).postSend(6, true);
        assertEquals(1, completions.poll(), "none of those that followed it");
    }

    @Test
    void shouldPostListsThatAreFullAtOnce()
    {
        final RdmaQueuePair many = pair(queue(128), new QueuePairConfig(40, 40, 2, 32, 4), handler);
        many.holdUntilPolled();
        for (int i = 0; i < 31; i++)
        {
            many.postReceive(i);
            many.postSend(i, true);
        }
        assertEquals(List.of(0, 0, 0L),
            List.of(provider.sentCount(), provider.receivedCount(), many.sendLists()));
        many.postSend(31, true);
        assertEquals(List.of(32, 31, 1L),
            List.of(provider.sentCount(), provider.receivedCount(), many.sendLists()));
        assertEquals(0, provider.sentBeforeReceives());
        for (int i = 0; i < 8; i++)
        {
            assertTrue(many.postReceive(i));
        }
        assertEquals(31, provider.receivedCount());
        many.ring();
        assertEquals(List.of(32, 39, 1L),
            List.of(provider.sentCount(), provider.receivedCount(), many.sendLists()));
        assertEquals(8, many.sendRoom());
        final RdmaQueuePair receiving = pair(queue(128), new QueuePairConfig(40, 40, 2, 32, 4), handler);
        receiving.holdUntilPolled();
        for (int i = 0; i < 40; i++)
        {
            receiving.segment(0x1000 + i, 64, 7).postReceive(i);
            assertEquals(39 + (i < 31 ? 0 : 32), provider.receivedCount());
        }
        receiving.ring();
        for (int i = 0; i < 40; i++)
        {
            assertEquals(List.of(new Segment(0x1000 + i, 64, 7)), provider.received(39 + i).segments());
        }
    }

    /** What fails while lists are posted may close a queue pair that is still to have its own posted. */
    @Test
    void shouldPostNothingOfAQueuePairThatClosesWhileAnotherFails()
    {
        final CompletionQueue completions = queue(64);
        final RdmaQueuePair second = pair(completions, SIZES, handler);
        final RdmaQueuePair first = new RdmaQueuePair(completions, handler, SIZES, () ->
        {
            progress++;
            if (1 == progress)
            {
                second.close();
            }
        });
        first.open(provider.queuePair, INLINE);
        first.holdUntilPolled();
        second.holdUntilPolled();
        first.postReceive(1);
        first.postSend(2, true);
        second.postReceive(3);
        second.postSend(4, true);
        provider.postStatus(Errno.ENOMEM);
        completions.poll();
        assertEquals(List.of("sent 4 FLUSHED", "received 3 FLUSHED 0 0"), reported());
        assertEquals(CompletionStatus.DEVICE, first.failure());
        assertEquals(2, progress, "of either list");
        assertEquals(List.of(1, 1), List.of(provider.sentCount(), provider.receivedCount()), "those of the first");
        first.close();
        assertEquals(List.of("sent 2 FLUSHED", "received 1 FLUSHED 0 0"), reported());
        completions.poll();
        assertEquals(List.of(), reported());
    }
}

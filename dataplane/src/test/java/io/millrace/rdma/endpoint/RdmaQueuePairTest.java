package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.endpoint.DeviceCounters.Timed;
import io.millrace.rdma.endpoint.DeviceCounters.Value;
import io.millrace.rdma.endpoint.ModelProvider.Posted;
import io.millrace.rdma.endpoint.ModelProvider.Segment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a queue pair posts to a provider, and what it makes of completions.
 */
class RdmaQueuePairTest extends RdmaQueuePairFixture
{
    @Test
    void shouldPostWhatWasAskedFor()
    {
        pair.segment(0x1000, 100, 7).segment(0x2000, 28, 8);
        assertTrue(pair.fence().postWrite(1, true, 0xABC0, 99));
        final Posted write = provider.lastSent();
        assertEquals(List.of(new Segment(0x1000, 100, 7), new Segment(0x2000, 28, 8)), write.segments());
        assertEquals(Verbs.IBV_WR_RDMA_WRITE, write.opcode());
        assertEquals(Verbs.IBV_SEND_FENCE | Verbs.IBV_SEND_SIGNALED, write.flags());
        assertEquals(List.of(0xABC0L, 99L), List.of(write.remoteAddress(), (long)write.remoteKey()));

        assertTrue(pair.segment(0x3000, 64, 7).postRead(2, true, 0xDEF0, 98));
        final Posted read = provider.lastSent();
        assertEquals(List.of(new Segment(0x3000, 64, 7)), read.segments(), "those before are taken");
        assertEquals(Verbs.IBV_WR_RDMA_READ, read.opcode());
        assertEquals(Verbs.IBV_SEND_SIGNALED, read.flags(), "the fence was for the one before");
        assertEquals(List.of(0xDEF0L, 98L), List.of(read.remoteAddress(), (long)read.remoteKey()));

        assertTrue(pair.segment(0x3000, 33, 7).postSendWithImmediate(3, true, 0x01020304));
        assertEquals(0x04030201, provider.lastSent().immediate(), "network byte order");
        assertEquals(Verbs.IBV_WR_SEND_WITH_IMM, provider.lastSent().opcode());
        assertTrue(pair.postSendWithInvalidate(4, true, 0x01020304));
        assertEquals(0x01020304, provider.lastSent().immediate(), "a key is a number of the host");
        assertEquals(Verbs.IBV_WR_SEND_WITH_INV, provider.lastSent().opcode());
        assertTrue(pair.segment(0x4000, 16, 9).postReceive(5));
        assertEquals(List.of(new Segment(0x4000, 16, 9)), provider.received(provider.receivedCount() - 1).segments());
    }

    @Test
    void shouldSendInlineWhatFits()
    {
        pair.segment(0x1000, INLINE, 7).postSend(1, true);
        assertEquals(Verbs.IBV_SEND_SIGNALED | Verbs.IBV_SEND_INLINE, provider.lastSent().flags());
        pair.segment(0x1000, INLINE - 1, 7).segment(0x2000, 2, 7).postSend(2, true);
        assertEquals(Verbs.IBV_SEND_SIGNALED, provider.lastSent().flags(), "together they are too long");
        pair.segment(0x1000, -1, 7).postSend(3, true);
        assertEquals(Verbs.IBV_SEND_SIGNALED, provider.lastSent().flags(), "lengths are unsigned");
        pair.segment(0x1000, 8, 7).postRead(4, true, 0, 0);
        assertEquals(Verbs.IBV_SEND_SIGNALED, provider.lastSent().flags(), "a read brings data");
        pair.postSend(5, true);
        assertEquals(Verbs.IBV_SEND_SIGNALED, provider.lastSent().flags(), "there is nothing in it");
        pair.segment(0x1000, INLINE, 7).postSend(6, true);
        assertEquals(Verbs.IBV_SEND_SIGNALED | Verbs.IBV_SEND_INLINE, provider.lastSent().flags(), "by itself");
    }

    @Test
    void shouldTakeNoMoreThanTheQueuesHold()
    {
        for (int i = 0; i < 4; i++)
        {
            assertTrue(pair.postReceive(i));
        }
        assertFalse(pair.segment(0x1000, 8, 7).postReceive(4));
        for (int i = 0; i < 8; i++)
        {
            assertTrue(pair.postSend(i, true));
            assertEquals(List.of(), provider.lastSent().segments(), "what was not posted takes its segments along");
        }
        assertFalse(pair.fence().postSend(8, true));
        assertEquals(4, provider.receivedCount());
        assertEquals(8, provider.sentCount());
        provider.complete(provider.sent(0), 0);
        provider.complete(provider.received(0), 0);
        assertEquals(2, queue.poll());
        assertEquals(List.of("sent 0 SUCCESS", "received 0 SUCCESS 0 0"), reported());
        assertEquals(List.of(1, 1), List.of(pair.sendRoom(), pair.receiveRoom()));
        assertTrue(pair.postSend(9, true));
        assertEquals(Verbs.IBV_SEND_SIGNALED, provider.lastSent().flags());
        pair.segment(0, 1, 1).segment(0, 1, 1);
        assertThrows(IllegalStateException.class, () -> pair.segment(0, 1, 1));
    }

    /** One notice of the device for many requests. */
    @Test
    void shouldPostWhatWasCollectedAsOneList()
    {
        pair.hold();
        assertTrue(pair.segment(0x1000, 100, 7).segment(0x2000, 28, 8).postWrite(1, false, 0xABC0, 99));
        assertTrue(pair.segment(0x3000, 33, 9).postSend(2, true));
        assertEquals(List.of(0, 6), List.of(provider.sentCount(), pair.sendRoom()));
        pair.segment(0x4000, 40, 7);
        pair.release();
        assertEquals(List.of(2, 1), List.of(provider.sentCount(), provider.doorbells()));
        assertEquals(List.of(new Segment(0x1000, 100, 7), new Segment(0x2000, 28, 8)), provider.sent(0).segments());
        assertEquals(List.of(0xABC0L, 99L),
            List.of(provider.sent(0).remoteAddress(), (long)provider.sent(0).remoteKey()));
        assertEquals(List.of(new Segment(0x3000, 33, 9)), provider.sent(1).segments());
        pair.release();
        assertEquals(1, provider.doorbells(), "nothing was collected");
        assertTrue(pair.postSend(3, true));
        assertEquals(List.of(3, 2), List.of(provider.sentCount(), provider.doorbells()), "at once again");
        assertEquals(List.of(new Segment(0x4000, 40, 7)), provider.sent(2).segments(), "begun before the list went");
        provider.complete(provider.sent(1), 0);
        provider.complete(provider.sent(2), 0);
        queue.poll();
        assertEquals(List.of("sent 2 SUCCESS", "sent 3 SUCCESS"), reported());
    }

    @Test
    void shouldPostAListThatIsFull()
    {
        final RdmaQueuePair many = pair(queue(64), new QueuePairConfig(40, 1, 2, 32, 4), handler);
        many.hold();
        for (int i = 0; i < 36; i++)
        {
            assertTrue(many.segment(0x1000 + i, 100, 7).postSend(i, false));
        }
        assertEquals(List.of(32, 1), List.of(provider.sentCount(), provider.doorbells()));
        many.release();
        assertEquals(List.of(36, 2), List.of(provider.sentCount(), provider.doorbells()));
        for (int i = 0; i < 36; i++)
        {
            assertEquals(List.of(new Segment(0x1000 + i, 100, 7)), provider.sent(i).segments());
        }
        provider.postStatus(Errno.ENOMEM);
        many.hold();
        assertTrue(many.postSend(36, false));
        many.close();
        many.release();
        assertEquals(36, provider.sentCount(), "the queue pair is gone");
        assertEquals("sent 36 FLUSHED", reports.getLast());
    }

    /** Places come back although few requests are signalled, and only those are reported. */
    @Test
    void shouldReportOnlyWhatIsAskedForAndAllThatFails()
    {
        long id = 0;
        int completed = 0;
        for (int round = 0; round < 100; round++)
        {
            while (0 != pair.sendRoom())
            {
                pair.postSend(id, 0 == id % 10);
                id++;
            }
            for (; completed < provider.sentCount(); completed++)
            {
                final Posted each = provider.sent(completed);
                if (0 != (each.flags() & Verbs.IBV_SEND_SIGNALED))
                {
                    provider.complete(each, 0);
                }
            }
            queue.poll();
            assertTrue(pair.sendRoom() >= 4, "at least half of the queue");
        }
        for (int i = 0; i < (id - 1) / 10; i++)
        {
            assertEquals("sent " + 10 * i + " SUCCESS", reports.get(i));
        }
        reports.clear();
        final int from = provider.sentCount();
        pair.postSend(1001, false);
        pair.postSend(1002, false);
        provider.complete(provider.sent(from), Verbs.IBV_WC_REM_ACCESS_ERR);
        provider.complete(provider.sent(from + 1), Verbs.IBV_WC_WR_FLUSH_ERR);
        queue.poll();
        assertEquals(List.of("sent 1001 REMOTE_ACCESS", "sent 1002 FLUSHED"), reported());
        assertEquals(CompletionStatus.REMOTE_ACCESS, pair.failure());
    }

    @Test
    void shouldHandOverWhatWasReceived()
    {
        for (int i = 0; i < 4; i++)
        {
            pair.postReceive(i);
        }
        provider.complete(provider.received(0).id(), 0, 10, 0, 0x55555555);
        provider.complete(provider.received(1).id(), 0, 11, Verbs.IBV_WC_WITH_IMM, 0x01000000);
        provider.complete(provider.received(2).id(), 0, 12, Verbs.IBV_WC_WITH_INV, 0x01000000);
        provider.complete(provider.received(3).id(), Verbs.IBV_WC_LOC_LEN_ERR, 13, Verbs.IBV_WC_WITH_IMM, 7);
        queue.poll();
        assertEquals(List.of("received 0 SUCCESS 10 0", "received 1 SUCCESS 11 1", "received 2 SUCCESS 12 16777216",
            "received 3 LENGTH 0 0"), reported());
        assertEquals(CompletionStatus.LENGTH, pair.failure());
    }

    /** What is flushed follows from another failure, or from the end of the connection. */
    @Test
    void shouldKeepTheFirstFailure()
    {
        for (int i = 0; i < 3; i++)
        {
            pair.postSend(i, true);
        }
        provider.complete(provider.sent(0), Verbs.IBV_WC_WR_FLUSH_ERR);
        queue.poll();
        assertEquals(CompletionStatus.SUCCESS, pair.failure());
        provider.complete(provider.sent(1), Verbs.IBV_WC_RETRY_EXC_ERR);
        provider.complete(provider.sent(2), Verbs.IBV_WC_GENERAL_ERR);
        queue.poll();
        assertEquals(CompletionStatus.RETRIES, pair.failure());
    }

    @Test
    void shouldSayWhenARequestFailedOrNothingIsOutstanding()
    {
        pair.postSend(1, true);
        pair.postSend(2, true);
        provider.complete(provider.sent(0), 0);
        queue.poll();
        assertEquals(0, progress);
        provider.complete(provider.sent(1), 0);
        queue.poll();
        assertEquals(1, progress);
        provider.postStatus(Errno.EINVAL);
        assertTrue(pair.postSend(3, true));
        assertEquals(2, progress);
        assertEquals(CompletionStatus.REQUEST, pair.failure());
    }

    /** Otherwise its requests would be waited for without end. */
    @Test
    void shouldFailWithItsCompletionQueue()
    {
        pair.postReceive(1);
        provider.pollStatus(-1);
        assertEquals(0, queue.poll());
        assertEquals(CompletionStatus.DEVICE, pair.failure());
        assertEquals(1, progress);
        assertEquals(List.of(), reported(), "the device may still use its memory");
    }

    @Test
    void shouldReportWhatIsOutstandingWhenItCloses()
    {
        pair.postSend(1, true);
        pair.postSend(2, false);
        pair.postReceive(3);
        pair.close();
        assertEquals(List.of("sent 1 FLUSHED", "sent 2 FLUSHED", "received 3 FLUSHED 0 0"), reported());
    }

    /** An unsignalled request that had succeeded before the queue pair failed is never reported by the device. */
    @Test
    void shouldEndWhatSucceededWithoutAReport()
    {
        pair.postReceive(1);
        pair.postSend(2, true);
        pair.postSend(3, false);
        pair.flush();
        pair.flush();
        assertEquals(3, provider.sentCount(), "one more");
        assertEquals(List.of(), provider.lastSent().segments());
        assertEquals(Verbs.IBV_SEND_SIGNALED, provider.lastSent().flags());
        provider.complete(provider.sent(0), 0);
        provider.complete(provider.received(0), Verbs.IBV_WC_WR_FLUSH_ERR);
        queue.poll();
        assertEquals(1, progress, "of the receive request");
        assertEquals(2, pair.outstanding());
        provider.complete(provider.lastSent(), Verbs.IBV_WC_WR_FLUSH_ERR);
        queue.poll();
        assertEquals(0, pair.outstanding());
        assertEquals(2, progress);
        assertEquals(List.of("sent 2 SUCCESS", "received 1 FLUSHED 0 0"), reported(), "nobody asked for it");
        assertEquals(CompletionStatus.SUCCESS, pair.failure());
    }

    @Test
    void shouldFlushOnlyWhatNothingLaterReports()
    {
        pair.postSend(1, false);
        pair.postSend(2, true);
        pair.flush();
        assertEquals(2, provider.sentCount());
        pair.postSend(3, false);
        provider.postStatus(Errno.EINVAL);
        pair.flush();
        assertEquals(CompletionStatus.SUCCESS, pair.failure(), "the reason of the end is another");
        pair.close();
        assertEquals(List.of("sent 1 FLUSHED", "sent 2 FLUSHED", "sent 3 FLUSHED"), reported());
        pair.flush();
    }

    /** The device never gets what its provider refused, nor what follows it in a list: it reports only later ones. */
    @Test
    void shouldEndWhatWasRefusedWithALaterRequest()
    {
        pair.hold();
        pair.postSend(1, true);
        pair.postSend(2, true);
        pair.postSend(3, false);
        provider.postStatus(Errno.ENOMEM);
        pair.release();
        pair.postSend(4, true);
        provider.postStatus(0);
        pair.flush();
        pair.postSend(5, true);
        provider.complete(provider.sent(0), 0);
        provider.complete(provider.lastSent(), Verbs.IBV_WC_WR_FLUSH_ERR);
        queue.poll();
        assertEquals(List.of("sent 1 SUCCESS", "sent 2 FLUSHED", "sent 4 FLUSHED", "sent 5 FLUSHED"), reported());
        assertEquals(0, pair.outstanding());
        assertEquals(CompletionStatus.DEVICE, pair.failure());
    }

    @Test
    void shouldEndWhatWasRefusedWithTheRequestThatEndsTheConnection()
    {
        pair.hold();
        pair.postSend(1, true);
        pair.postSend(2, true);
        pair.postSend(3, false);
        provider.postStatus(Errno.ENOMEM);
        pair.release();
        provider.postStatus(0);
        pair.flush();
        provider.complete(provider.sent(0), 0);
        provider.complete(provider.lastSent(), Verbs.IBV_WC_WR_FLUSH_ERR);
        queue.poll();
        assertEquals(List.of("sent 1 SUCCESS", "sent 2 FLUSHED"), reported());
        assertEquals(0, pair.outstanding());
    }

    /** The last one of the list would have had a completion: nothing else is posted for that. */
    @Test
    void shouldEndWhatWasRefusedThoughTheLastOneIsSignalled()
    {
        pair.hold();
        pair.postSend(1, true);
        pair.postSend(2, true);
        provider.postStatus(Errno.ENOMEM);
        pair.release();
        provider.postStatus(0);
        pair.flush();
        assertEquals(3, provider.sentCount(), "one more");
        provider.complete(provider.lastSent(), Verbs.IBV_WC_WR_FLUSH_ERR);
        queue.poll();
        assertEquals(List.of("sent 1 FLUSHED", "sent 2 FLUSHED"), reported());
        assertEquals(0, pair.outstanding());
    }

    /** What a handler posts meanwhile takes no place of a request that is not reported yet. */
    @Test
    void shouldEndWhatWasRefusedThoughItsHandlerPosts()
    {
        final RdmaQueuePair[] made = new RdmaQueuePair[1];
        final CompletionHandler posting = new CompletionHandler()
        {
            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                reports.add("sent " + id + " " + status);
                made[0].postSend(100 + id, true);
                made[0].postSend(200 + id, true);
            }

            @Override
            public void onReceived(
                final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                reports.add("received " + id);
            }
        };
        made[0] = new RdmaQueuePair(queue, posting, SIZES, () -> progress++);
        made[0].open(provider.queuePair, INLINE);
        provider.postStatus(Errno.ENOMEM);
        for (int i = 1; i < 8; i++)
        {
            made[0].postSend(i, true);
        }
        provider.postStatus(0);
        made[0].postSend(8, true);
        provider.complete(provider.lastSent(), Verbs.IBV_WC_WR_FLUSH_ERR);
        queue.poll();
        assertEquals(List.of("sent 1 FLUSHED", "sent 2 FLUSHED", "sent 3 FLUSHED", "sent 4 FLUSHED",
            "sent 5 FLUSHED", "sent 6 FLUSHED", "sent 7 FLUSHED", "sent 8 FLUSHED"), reported());
    }

    /** What a handler posts when it is notified of the end comes too late: the queue pair is destroyed. */
    @Test
    void shouldPostNothingOnceItIsClosed()
    {
        final List<Boolean> posted = new ArrayList<>();
        final RdmaQueuePair[] made = new RdmaQueuePair[1];
        final CompletionHandler posting = new CompletionHandler()
        {
            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                if (posted.size() < 8)
                {
                    posted.add(made[0].segment(0x1000, 8, 7).postWrite(9, true, 0x2000, 8));
                }
            }

            @Override
            public void onReceived(
                final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                if (posted.size() < 8)
                {
                    posted.add(made[0].segment(0x1000, 8, 7).postReceive(9));
                }
            }
        };
        made[0] = new RdmaQueuePair(queue, posting, SIZES, () -> progress++);
        made[0].open(provider.queuePair, INLINE);
        made[0].postSend(1, true);
        made[0].postReceive(2);
        made[0].close();
        assertEquals(List.of(false, false), posted);
        assertFalse(made[0].segment(0x1000, 8, 7).postCompareAndSwap(3, 0x2000, 8, 1, 2), "after it was closed");
        assertEquals(List.of(1, 1), List.of(provider.sentCount(), provider.receivedCount()));
    }

    /** From the cycle that posts to the one that finds the completion. */
    @Test
    void shouldCountLatenciesByOperation() throws InterruptedException
    {
        pair.postRead(1, true, 0, 0);
        pair.postSend(2, false);
        long readNs = cycle();
        pair.postWrite(3, false, 0, 0);
        pair.postSendWithImmediate(4, true, 5);
        pair.postFetchAndAdd(5, 0, 0, 1);
        final long sendNs = cycle();
        readNs += sendNs;
        provider.complete(provider.sent(0), 0);
        provider.complete(provider.sent(3), 0);
        provider.complete(provider.sent(4), Verbs.IBV_WC_REM_ACCESS_ERR);
        queue.poll();
        assertEquals(List.of(1L, readNs), timed(Timed.READ));
        assertEquals(List.of(1L, sendNs), timed(Timed.WRITE), "reported by the next one");
        assertEquals(List.of(1L, sendNs), timed(Timed.SEND), "the first was posted earlier");
        assertEquals(List.of(0L, 0L), timed(Timed.ATOMIC), "it failed");
    }

    @Test
    void shouldCountNoLatencyOfOtherRequests() throws InterruptedException
    {
        pair.postInvalidate(1, true, 7);
        cycle();
        provider.complete(provider.sent(0), 0);
        queue.poll();
        assertEquals(1, provider.counters.get(Value.OTHERS));
        assertEquals(0, provider.counters.get(Value.SENDS));
    }

    /** {@return how many, and their sum} */
    private List<Long> timed(final Timed timed)
    {
        final long count =
            IntStream.range(0, DeviceCounters.BUCKETS).mapToLong((i) -> provider.counters.get(timed, i)).sum();
        return List.of(count, provider.counters.get(timed.sum()));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "1_000, 0", "1_001, 1", "2_000, 1", "2_001, 2", "4_000, 2", "67_108_864_000, 26",
        "67_108_864_001, 27", "9_223_372_036_854_775_807, 27"})
    void shouldCountALatencyInTheBucketWhoseBoundItIsNotAbove(final String latencyNs, final int bucket)
    {
        final long ns = Long.parseLong(latencyNs.replace("_", ""));
        for (final int opcode : new int[]{Verbs.IBV_WR_SEND, Verbs.IBV_WR_RDMA_READ, Verbs.IBV_WR_RDMA_WRITE,
            Verbs.IBV_WR_ATOMIC_FETCH_AND_ADD})
        {
            provider.counters.onTimed(opcode, ns);
        }
        for (final Timed timed : Timed.values())
        {
            assertEquals(List.of(1L, ns), timed(timed), timed::toString);
            assertEquals(1, provider.counters.get(timed, bucket), timed::toString);
        }
    }

    /** Owners of a connection do not post the request that ends it. */
    @Test
    void shouldCountNoLatencyOfTheRequestThatEndsAConnection() throws InterruptedException
    {
        pair.postCompareAndSwap(1, 0, 0, 1, 2);
        pair.postSend(2, false);
        final long atomicNs = cycle();
        provider.complete(provider.sent(0), 0);
        queue.poll();
        assertEquals(List.of(1L, atomicNs), timed(Timed.ATOMIC));
        pair.flush();
        provider.complete(provider.lastSent(), 0);
        queue.poll();
        assertEquals(List.of(0L, 0L), timed(Timed.SEND));
        assertEquals(List.of(0L, 0L), timed(Timed.WRITE), "opcode 0");
    }

    /** The number of a queue pair is free when nothing of it can come any more. */
    @Test
    void shouldNotTakeCompletionsOfAClosedQueuePairForThoseOfAnother()
    {
        pair.postReceive(1);
        final long stale = provider.received(0).id();
        pair.close();
        reports.clear();
        provider.complete(stale, 0, 5, 0, 0);
        final RdmaQueuePair second = pair();
        second.postReceive(2);
        assertEquals(1, queue.poll());
        assertEquals(List.of(), reported());
        assertEquals(0, queue.poll());
        final RdmaQueuePair third = pair();
        third.postReceive(3);
        assertEquals(stale, provider.received(provider.receivedCount() - 1).id(), "the number is used again");
        provider.complete(stale, 0, 6, 0, 0);
        provider.complete(stale, 0, 7, 0, 0);
        queue.poll();
        assertEquals(List.of("received 3 SUCCESS 6 0"), reported(), "once");
    }

    @Test
    void shouldRefuseQueuePairsThatCouldOverrunTheCompletionQueue()
    {
        final RdmaQueuePair second = pair();
        pair();
        final RdmaException refused = assertThrows(RdmaException.class, this::pair);
        assertTrue(refused.getMessage().contains("0 of 36 entries are left"), refused.getMessage());
        second.close();
        assertThrows(RdmaException.class, this::pair, "its completions may be in the queue");
        queue.poll();
        pair();
    }

    /** Others' completions keep coming: the queue is seldom empty when it is polled. */
    @Test
    void shouldFreeTheEntriesOfAClosedQueuePairUnderLoad()
    {
        final RdmaQueuePair second = pair();
        pair();
        pair.postReceive(1);
        second.close();
        provider.complete(provider.received(0), 0);
        assertEquals(1, queue.poll());
        pair();
        assertThrows(RdmaException.class, this::pair, "its entries once");
    }

    /** Each poll brings as many as it takes: what was in the queue then has been polled when its capacity has. */
    @Test
    void shouldFreeTheEntriesOfAClosedQueuePairThoughNoPollEmptiesTheQueue()
    {
        pair();
        pair();
        pair.postReceive(1);
        final long stale = provider.received(0).id();
        pair.close();
        for (int i = 0; i < 36 + 64; i++)
        {
            provider.complete(stale, 0, 5, 0, 0);
        }
        assertThrows(RdmaException.class, this::pair);
        assertEquals(64, queue.poll());
        pair();
    }

    /** As many as the queue holds have been polled, exactly. */
    @Test
    void shouldFreeTheEntriesOfAClosedQueuePairAfterAsManyCompletionsAsTheQueueHolds()
    {
        final CompletionQueue completions = queue(64);
        final RdmaQueuePair first = pair(completions, SIZES, handler);
        pair(completions, new QueuePairConfig(40, 12, 2, 32, 4), handler);
        first.postReceive(1);
        final long stale = provider.received(0).id();
        first.close();
        for (int i = 0; i < 128; i++)
        {
            provider.complete(stale, 0, 5, 0, 0);
        }
        assertThrows(RdmaException.class, () -> pair(completions, SIZES, handler));
        assertEquals(64, completions.poll());
        pair(completions, SIZES, handler);
    }

    /** What ends a connection reports what has completed before: not in the place of what is being reported. */
    @Test
    void shouldReportEachCompletionOnceThoughAHandlerHasTheQueueDrained()
    {
        final CompletionQueue completions = queue(64);
        final RdmaQueuePair draining = pair(completions, SIZES, new CompletionHandler()
        {
            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                reports.add("sent " + id + " " + status);
                if (1 == id)
                {
                    provider.complete(provider.sent(2), 0);
                    provider.complete(provider.sent(3), 0);
                    completions.drain();
                }
            }

            @Override
            public void onReceived(
                final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                reports.add("received " + id);
            }
        });
        for (int i = 1; i < 5; i++)
        {
            draining.postSend(i, true);
        }
        provider.complete(provider.sent(0), 0);
        provider.complete(provider.sent(1), 0);
        assertEquals(2, completions.poll());
        assertEquals(List.of("sent 1 SUCCESS", "sent 2 SUCCESS"), reported());
        completions.drain();
        assertEquals(List.of("sent 3 SUCCESS", "sent 4 SUCCESS"), reported());
    }

    /** What a handler closes may have completions that the poll has left. */
    @Test
    void shouldNotFreeTheEntriesOfAQueuePairThatIsClosedByAHandler()
    {
        final RdmaQueuePair second = pair();
        final RdmaQueuePair closing = new RdmaQueuePair(queue, new CompletionHandler()
        {
            @Override
            public void onSent(final long id, final CompletionStatus status)
            {
                second.close();
            }

            @Override
            public void onReceived(
                final long id, final CompletionStatus status, final int bytes, final int immediate)
            {
                reports.add("received " + id);
            }
        }, SIZES, () -> progress++);
        closing.open(provider.queuePair, INLINE);
        closing.postSend(1, true);
        provider.complete(provider.lastSent(), 0);
        pair.close();
        assertEquals(1, queue.poll());
        pair();
        assertThrows(RdmaException.class, this::pair);
        assertEquals(0, queue.poll());
        pair();
    }

    @Test
    void shouldPollOnceMoreAfterItWasArmed()
    {
        assertFalse(queue.canSleep());
        assertEquals(1, provider.notifications());
        assertTrue(queue.canSleep());
        assertEquals(1, provider.notifications());
    }
}

package io.millrace.reactor;

import static io.millrace.reactor.ReactorTesting.await;
import static io.millrace.reactor.ReactorTesting.awaitSleep;
import static io.millrace.reactor.ReactorTesting.awaitWoken;
import static io.millrace.reactor.ReactorTesting.started;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReactorLinkTest
{
    private static final int TYPE = 7;
    private static final int MESSAGES = 200_000;

    @Test
    void shouldHandOverEveryField()
    {
        try (Reactor consumer = started("consumer"))
        {
            final List<List<Long>> seen = new ArrayList<>();
            final ReactorLink link = new ReactorLink(consumer, 16, (type, slot, address, length, word0, word1) ->
                seen.add(List.of((long)type, (long)slot, address, (long)length, word0, word1)));
            assertTrue(link.offer(TYPE, -2, 0x7fff_1234_5678L, Integer.MAX_VALUE, Long.MIN_VALUE, -1));
            assertTrue(link.offer(1, 0, 0, 0, 0, 0));
            await("both arrive", () -> 2 == consumer.call(seen::size).join());
            assertEquals(List.of(
                List.of((long)TYPE, -2L, 0x7fff_1234_5678L, (long)Integer.MAX_VALUE, Long.MIN_VALUE, -1L),
                List.of(1L, 0L, 0L, 0L, 0L, 0L)), seen);
        }
    }

    @Test
    void shouldKeepOrderAndLoseNothingBetweenTwoReactors()
    {
        try (Reactor producer = started("producer"); Reactor consumer = started("consumer"))
        {
            final AtomicLong received = new AtomicLong();
            final AtomicLong disorder = new AtomicLong();
            final ReactorLink link = new ReactorLink(consumer, 128, (type, slot, address, length, word0, word1) ->
            {
                final long expected = received.getPlain();
                if (word0 != expected || slot != (int)expected)
                {
                    disorder.incrementAndGet();
                }
                received.setRelease(expected + 1);
            });
            final Poller sender = new Poller()
            {
                private int next;

                @Override
                public int poll()
                {
                    int sent = 0;
                    while (sent < 32 && next < MESSAGES && link.offer(TYPE, next, 0, 0, next, 0))
                    {
                        next++;
                        sent++;
                    }
                    return sent;
                }

                @Override
                public boolean canSleep()
                {
                    return MESSAGES == next;
                }
            };
            producer.execute(() -> producer.addPoller(sender));
            await("all arrive", () -> MESSAGES == received.getAcquire());
            assertEquals(0, disorder.get());
        }
    }

    @Test
    void shouldKeepEachProducersOrderWhenThereAreSeveral() throws InterruptedException
    {
        try (Reactor consumer = started("consumer"))
        {
            final long[] nexts = new long[3];
            final AtomicInteger disorder = new AtomicInteger();
            final AtomicInteger received = new AtomicInteger();
            final ReactorLink link = new ReactorLink(consumer, 64, (type, slot, address, length, word0, word1) ->
            {
                if (nexts[slot]++ != word0)
                {
                    disorder.incrementAndGet();
                }
                received.incrementAndGet();
            });
            final Thread[] producers = new Thread[nexts.length];
            for (int i = 0; i < producers.length; i++)
            {
                final int slot = i;
                producers[i] = Thread.ofPlatform().start(() ->
                {
                    for (int n = 0; n < 20_000;)
                    {
                        if (link.offer(TYPE, slot, 0, 0, n, 0))
                        {
                            n++;
                        }
                        else
                        {
                            Thread.onSpinWait();
                        }
                    }
                });
            }
            for (final Thread producer : producers)
            {
                producer.join();
            }
            await("all arrive", () -> 3 * 20_000 == received.get());
            assertEquals(0, disorder.get());
        }
    }

    @Test
    void shouldWakeTheConsumerWhenAsleep()
    {
        try (Reactor consumer = started("sleeper"))
        {
            final AtomicInteger arrived = new AtomicInteger();
            final ReactorLink link = new ReactorLink(consumer, 16,
                (type, slot, address, length, word0, word1) -> arrived.incrementAndGet());
            for (int i = 0; i < 50; i++)
            {
                awaitSleep(consumer);
                assertTrue(link.offer(TYPE, i, 0, 0, 0, 0));
                final int sent = i + 1;
                awaitWoken(consumer, () -> sent == arrived.get());
            }
        }
    }

    @Test
    void shouldAnswerFalseWhenFullAndTakeAgainWhenDrained()
    {
        try (Reactor consumer = started("blocked"))
        {
            final AtomicInteger received = new AtomicInteger();
            final ReactorLink link = new ReactorLink(consumer, 8,
                (type, slot, address, length, word0, word1) -> received.incrementAndGet());
            final AtomicBoolean blocked = new AtomicBoolean(true);
            final AtomicBoolean entered = new AtomicBoolean();
            consumer.execute(() ->
            {
                entered.set(true);
                await("released", () -> !blocked.get());
            });
            await("blocked", entered::get);
            int taken = 0;
            while (taken <= link.capacity() && link.offer(TYPE, taken, 0, 0, 0, 0))
            {
                taken++;
            }
            assertEquals(link.capacity(), taken);
            assertFalse(link.offer(TYPE, 0, 0, 0, 0, 0));
            blocked.set(false);
            await("drained", () -> link.capacity() == received.get());
            // The ring frees the places of a batch after the last of it has been delivered.
            await("a free place", () -> link.offer(TYPE, 0, 0, 0, 0, 0));
            await("the last", () -> link.capacity() + 1 == received.get());
        }
    }

    @Test
    void shouldDeliverWhatIsOnTheRingWhenClosed()
    {
        final Reactor consumer = started("closing");
        final AtomicInteger received = new AtomicInteger();
        final LinkListener counting = (type, slot, address, length, word0, word1) -> received.incrementAndGet();
        final ReactorLink link = new ReactorLink(consumer, 16, counting);
        consumer.call(() ->
        {
            link.offer(TYPE, 0, 0, 0, 0, 0);
            link.offer(TYPE, 1, 0, 0, 0, 0);
            link.close();
            return null;
        }).join();
        assertEquals(2, received.get());
        assertFalse(link.offer(TYPE, 2, 0, 0, 0, 0));

        final ReactorLink left = new ReactorLink(consumer, 16, counting);
        consumer.close();
        assertTrue(left.offer(TYPE, 3, 0, 0, 0, 0));
        left.close();
        left.close();
        assertEquals(3, received.get());
    }

    @Test
    void shouldRefuseCapacitiesOutOfBounds()
    {
        try (Reactor consumer = new Reactor(ReactorConfig.of("idle", -1)))
        {
            final LinkListener none = (type, slot, address, length, word0, word1) -> {};
            assertThrows(IllegalArgumentException.class, () -> new ReactorLink(consumer, 0, none));
            assertThrows(IllegalArgumentException.class, () -> new ReactorLink(consumer, 12, none));
            // The ring takes no message longer than an eighth of it.
            assertThrows(IllegalArgumentException.class, () -> new ReactorLink(consumer, 4, none));
            assertTrue(new ReactorLink(consumer, 8, none).offer(TYPE, 0, 0, 0, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> new ReactorLink(consumer, 1 << 21, none));
        }
    }
}

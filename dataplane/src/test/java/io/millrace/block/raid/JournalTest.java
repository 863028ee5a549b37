package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.format.JournalPlaces;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalTest
{
    private final AtomicInteger pins = new AtomicInteger();
    private final AtomicInteger frees = new AtomicInteger();

    private Journal journal(final int placeCount)
    {
        return new Journal(new JournalPlaces(4096, 16_384, placeCount), pins::incrementAndGet, frees::incrementAndGet);
    }

    private static long take(final Journal journal)
    {
        return journal.take(journal.tail());
    }

    @Test
    void shouldHaveHalfOfThePlacesLiveAtMost()
    {
        final Journal journal = journal(9);
        for (int i = 0; i < 4; i++)
        {
            assertEquals(i, take(journal));
        }
        assertEquals(Journal.NONE, take(journal));
        journal.complete(1);
        journal.complete(3);
        assertEquals(0, journal.tail());
        assertEquals(Journal.NONE, take(journal));
        final int before = frees.get();
        journal.complete(0);
        assertEquals(2, journal.tail());
        assertEquals(before + 1, frees.get(), "notified");
        assertEquals(4, take(journal));
        assertEquals(5, take(journal));
        assertEquals(Journal.NONE, take(journal));
        journal.complete(2);
        assertEquals(4, journal.tail());
    }

    @Test
    void shouldHoldAPinnedEntryUntilAnotherEpochBegins()
    {
        final Journal journal = journal(8);
        final long pinned = take(journal);
        final long other = take(journal);
        journal.pin(pinned);
        assertTrue(journal.isPinned());
        assertEquals(1, pins.get());
        journal.complete(other);
        assertEquals(pinned, journal.tail());
        final long late = take(journal);
        journal.restart(journal.places());
        assertFalse(journal.isPinned());
        assertEquals(late + 1, journal.tail());
        final long first = take(journal);
        // Of the epoch that has ended: nothing is known of its place any more.
        journal.complete(late);
        journal.pin(late);
        assertFalse(journal.isPinned());
        assertEquals(first, journal.tail());
        journal.complete(first);
        assertEquals(first + 1, journal.tail());
    }

    /** What replay relies on: an entry is only overwritten when a complete one has a tail behind it. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 7, 8, 35})
    void shouldUseAPlaceAgainOnlyBehindTheTailOfACompleteEntry(final int placeCount)
    {
        final Random random = TestSeeds.random();
        final Journal journal = journal(placeCount);
        final List<Long> live = new ArrayList<>();
        final long[] tails = new long[10_000];
        long highestStableTail = 0;
        for (int i = 0; i < 5_000; i++)
        {
            if (random.nextBoolean())
            {
                final long tail = journal.tail();
                final long sequence = journal.take(tail);
                if (Journal.NONE != sequence)
                {
                    tails[(int)sequence] = tail;
                    live.add(sequence);
                    assertTrue(live.stream().allMatch((each) -> each >= tail));
                    final long replaced = sequence - placeCount;
                    final long stable = highestStableTail;
                    assertTrue(replaced < stable || replaced < 0, () -> replaced + " is replayed from " + stable);
                }
            }
            else if (!live.isEmpty())
            {
                final long sequence = live.remove(random.nextInt(live.size()));
                highestStableTail = Math.max(highestStableTail, tails[(int)sequence]);
                journal.complete(sequence);
            }
        }
        live.forEach(journal::complete);
        assertTrue(journal.tail() > 1000, () -> "entries: " + journal.tail());
    }

    @Test
    void shouldGiveEachSequenceOnceWhenThreadsTakeAndComplete() throws InterruptedException
    {
        final int entries = 20_000;
        final Journal journal = journal(8);
        final AtomicLongArray taken = new AtomicLongArray(entries);
        final AtomicLong live = new AtomicLong();
        final AtomicLong liveMax = new AtomicLong();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++)
        {
            threads.add(Thread.ofPlatform().start(() ->
            {
                for (int done = 0; done < entries / 2; done++)
                {
                    long sequence = take(journal);
                    while (Journal.NONE == sequence)
                    {
                        Thread.onSpinWait();
                        sequence = take(journal);
                    }
                    liveMax.accumulateAndGet(live.incrementAndGet(), Math::max);
                    taken.incrementAndGet((int)sequence);
                    live.decrementAndGet();
                    journal.complete(sequence);
                }
            }));
        }
        for (final Thread thread : threads)
        {
            thread.join();
        }
        assertEquals(entries, journal.tail());
        assertTrue(liveMax.get() <= 4, liveMax::toString);
        for (int i = 0; i < entries; i++)
        {
            assertEquals(1, taken.get(i));
        }
    }
}

package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StripeLocksTest
{
    private static final int REGION = 4096;

    private long nowNs = 1L << 62;
    private final StripeLocks locks = new StripeLocks(64 * REGION, () -> nowNs);

    @Test
    void shouldLetReadersShare()
    {
        assertTrue(locks.tryShared(0, 3 * REGION));
        assertTrue(locks.tryShared(REGION, 1));
        locks.releaseShared(0, 3 * REGION);
        locks.releaseShared(REGION, 1);
        assertEquals(0, locks.heldCount());
    }

    @Test
    void shouldKeepOthersOutWhileOneWrites()
    {
        assertTrue(locks.tryExclusive(REGION, 2 * REGION));
        assertFalse(locks.tryExclusive(2 * REGION, 1));
        assertFalse(locks.tryShared(2 * REGION + 512, 512));
        assertTrue(locks.tryShared(3 * REGION, REGION));
        assertTrue(locks.isExclusive(0, 2 * REGION));
        assertTrue(locks.isExclusive(2 * REGION + 512, 512));
        assertFalse(locks.isExclusive(0, REGION));
        assertFalse(locks.isExclusive(3 * REGION, 2 * REGION));
        locks.releaseExclusive(REGION, 2 * REGION);
        assertFalse(locks.isExclusive(0, 4 * REGION));
        assertTrue(locks.tryExclusive(2 * REGION, 1));
    }

    @Test
    void shouldHoldNothingWhenPartOfTheRangeIsTaken()
    {
        assertTrue(locks.tryExclusive(5 * REGION, 1));
        assertFalse(locks.tryExclusive(0, 10 * REGION));
        assertFalse(locks.tryShared(0, 10 * REGION));
        assertEquals(1, locks.heldCount());
        assertTrue(locks.tryExclusive(0, 5 * REGION));
    }

    @Test
    void shouldLetCopiesInOppositeDirectionsPass()
    {
        assertTrue(locks.tryShared(REGION, 1));
        assertFalse(locks.tryCopy(0, REGION, 1));
        assertFalse(locks.tryCopy(REGION, 0, 1));
        locks.releaseShared(REGION, 1);
        assertTrue(locks.tryCopy(0, REGION, 1) || locks.tryCopy(REGION, 0, 1));
    }

    @Test
    void shouldCopyFromNextToItselfAndFromAnyDistance()
    {
        // Half a region apart, a region, and as far as it takes to come to the same stripes again.
        for (final long distance : new long[]{REGION / 2, REGION, 1024L * REGION, 1025L * REGION, 3000L * REGION})
        {
            final int length = (int)Math.min(distance, 4 * REGION);
            assertTrue(locks.tryCopy(512, 512 + distance, length));
            assertFalse(locks.tryShared(512 + distance, 1));
            assertFalse(locks.tryExclusive(512 + distance + length - 1, 1));
            assertFalse(locks.tryExclusive(512, 1));
            locks.releaseCopy(512, 512 + distance, length);
            assertEquals(0, locks.heldCount());
            assertTrue(locks.tryCopy(512 + distance, 512, length));
            locks.releaseCopy(512 + distance, 512, length);
            assertEquals(0, locks.heldCount());
        }
    }

    /** A writer that asks first keeps readers out as one does that tries at once. */
    @Test
    void shouldMarkTheRangeOfAWriterThatWouldBeRefused()
    {
        assertFalse(locks.isRefused(0, 4 * REGION));
        assertTrue(locks.tryShared(3 * REGION, REGION));
        assertTrue(locks.isRefused(0, 4 * REGION), "the last region has a reader");
        assertTrue(locks.isWanted(0, REGION));
        assertFalse(locks.tryShared(0, REGION));
        assertFalse(locks.tryShared(3 * REGION, REGION));
        assertFalse(locks.isWanted(4 * REGION, REGION));
        locks.releaseShared(3 * REGION, REGION);
        assertFalse(locks.isRefused(0, 4 * REGION));
        assertTrue(locks.tryExclusive(0, REGION));
        assertTrue(locks.isRefused(0, 4 * REGION), "the first region has a writer");
        locks.releaseExclusive(0, REGION);
        assertEquals(0, locks.heldCount());
    }

    @Test
    void shouldHoldNothingWhenACopyMeetsOthers()
    {
        assertTrue(locks.tryShared(0, 4 * REGION));
        assertTrue(locks.tryExclusive(12 * REGION, 1));
        assertTrue(locks.tryCopy(2 * REGION, 20 * REGION, 2 * REGION));
        locks.releaseCopy(2 * REGION, 20 * REGION, 2 * REGION);
        final int held = locks.heldCount();
        assertFalse(locks.tryCopy(20 * REGION, 3 * REGION, 2 * REGION));
        assertFalse(locks.tryCopy(9 * REGION, 20 * REGION, 4 * REGION));
        assertEquals(held, locks.heldCount());
        assertTrue(locks.tryExclusive(20 * REGION, 4 * REGION));
        assertTrue(locks.tryExclusive(9 * REGION, 3 * REGION));
    }

    /** Else readers of its destination come in again before it tries again, time after time. */
    @Test
    void shouldTellReadersWhenAWriterMetThem()
    {
        assertTrue(locks.tryShared(0, 4 * REGION));
        assertFalse(locks.isWanted(0, 4 * REGION));
        assertFalse(locks.tryExclusive(2 * REGION, REGION));
        assertTrue(locks.isWanted(0, 4 * REGION));
        assertTrue(locks.isWanted(2 * REGION + 512, 512));
        assertFalse(locks.isWanted(0, 2 * REGION));
        assertFalse(locks.isWanted(3 * REGION, REGION));
        locks.releaseShared(0, 4 * REGION);
        assertTrue(locks.tryExclusive(2 * REGION, REGION));
        assertFalse(locks.isWanted(0, 4 * REGION));
    }

    @Test
    void shouldLetNoFurtherReaderInWhenAWriterWaits()
    {
        assertTrue(locks.tryShared(0, REGION));
        assertFalse(locks.tryExclusive(0, REGION));
        assertFalse(locks.tryShared(0, REGION));
        locks.releaseShared(0, REGION);
        assertTrue(locks.tryExclusive(0, REGION));
        locks.releaseExclusive(0, REGION);
        assertTrue(locks.tryShared(0, REGION));
    }

    @Test
    void shouldHoldReadersOffUntilTheWriterThatWaitsHasComeHoweverOftenTheyTry()
    {
        assertTrue(locks.tryShared(0, REGION));
        assertFalse(locks.tryExclusive(0, REGION));
        locks.releaseShared(0, REGION);
        assertEquals(0, locks.heldCount());
        for (int i = 0; i < 100; i++)
        {
            assertFalse(locks.tryShared(0, REGION), "reader " + i + " overtakes");
        }
        assertTrue(locks.tryExclusive(0, REGION));
    }

    @Test
    void shouldKeepAMarkThatIsRenewedAndForgetOneThatIsNot()
    {
        assertTrue(locks.tryShared(0, REGION));
        for (int i = 0; i < 100; i++)
        {
            assertFalse(locks.tryExclusive(0, REGION));
            nowNs += StripeLocks.MARK_NS_MAX / 2;
            assertTrue(locks.isWanted(0, REGION));
            assertFalse(locks.tryShared(0, REGION));
        }
        nowNs += StripeLocks.MARK_NS_MAX + (2 << 20);
        assertFalse(locks.isWanted(0, REGION), "its writer never came back");
        assertTrue(locks.tryShared(0, REGION));
        locks.releaseShared(0, REGION);
        locks.releaseShared(0, REGION);
        assertEquals(0, locks.heldCount());
    }

    /** A tenth of a second: less would let readers in before a busy writer tries again, more would stop them for it. */
    @Test
    void shouldForgetAMarkAfterATenthOfASecondWhateverTheClockShows()
    {
        for (final long startNs : new long[]{0, -1, 1L << 62, (1L << 30) - 1, (1L << 30) - 50_000_000, Long.MAX_VALUE})
        {
            nowNs = startNs;
            assertTrue(locks.tryShared(0, REGION));
            assertFalse(locks.tryExclusive(0, REGION));
            nowNs = startNs + 95_000_000;
            assertTrue(locks.isWanted(0, REGION), "forgotten within 95 ms from " + startNs);
            assertFalse(locks.tryShared(0, REGION), "let in within 95 ms from " + startNs);
            nowNs = startNs + 105_000_000;
            assertFalse(locks.isWanted(0, REGION), "known after 105 ms from " + startNs);
            assertTrue(locks.tryShared(0, REGION), "kept out after 105 ms from " + startNs);
            locks.releaseShared(0, REGION);
            locks.releaseShared(0, REGION);
            assertEquals(0, locks.heldCount());
        }
    }

    /** The stripes that a writer had before it met a reader carry a mark, too, which ends in the same way. */
    @Test
    void shouldForgetMarksOfWhatAWriterLeftAgain()
    {
        assertTrue(locks.tryShared(2 * REGION, REGION));
        assertFalse(locks.tryExclusive(0, 4 * REGION));
        for (int region = 0; region < 4; region++)
        {
            assertFalse(locks.tryShared((long)region * REGION, REGION), "region " + region);
        }
        nowNs += 105_000_000;
        for (int region = 0; region < 4; region++)
        {
            assertTrue(locks.tryShared((long)region * REGION, REGION), "region " + region);
            locks.releaseShared((long)region * REGION, REGION);
        }
        locks.releaseShared(2 * REGION, REGION);
        assertEquals(0, locks.heldCount());
    }

    @Test
    void shouldRecallAllThatAWriterWaitsForAtOnce()
    {
        assertTrue(locks.tryShared(3 * REGION, REGION));
        assertTrue(locks.tryShared(5 * REGION, 2 * REGION));
        assertFalse(locks.tryExclusive(2 * REGION, 6 * REGION));
        assertTrue(locks.isWanted(3 * REGION, REGION));
        assertTrue(locks.isWanted(5 * REGION, REGION));
        for (int region = 2; region < 8; region++)
        {
            assertFalse(locks.tryShared((long)region * REGION, REGION), "one more to wait for in region " + region);
        }
        assertTrue(locks.tryShared(REGION, REGION));
        assertTrue(locks.tryShared(8 * REGION, REGION));
        locks.releaseShared(3 * REGION, REGION);
        assertFalse(locks.tryExclusive(2 * REGION, 6 * REGION));
        locks.releaseShared(5 * REGION, 2 * REGION);
        assertTrue(locks.tryExclusive(2 * REGION, 6 * REGION));
    }

    @Test
    void shouldShareStripesWhenTheDeviceHasMoreRegions()
    {
        final StripeLocks large = new StripeLocks(1L << 40, () -> nowNs);
        assertTrue(large.tryExclusive(0, REGION));
        assertFalse(large.tryShared(1L << 28, REGION));
        assertTrue(large.tryShared((1L << 39) + REGION, 100 * REGION));
        large.releaseShared((1L << 39) + REGION, 100 * REGION);
        large.releaseExclusive(0, REGION);
        assertEquals(0, large.heldCount());
    }

    @Test
    void shouldNeverLetTwoWritersMeetWhenThreadsContend()
    {
        final int[] owners = new int[64];
        final CompletableFuture<?>[] threads = new CompletableFuture<?>[3];
        for (int i = 0; i < threads.length; i++)
        {
            final int me = i + 1;
            threads[i] = CompletableFuture.runAsync(() -> contend(owners, me, TestSeeds.random(me)));
        }
        CompletableFuture.allOf(threads).join();
        assertEquals(0, locks.heldCount());
    }

    private void contend(final int[] owners, final int me, final Random random)
    {
        int entered = 0;
        for (int i = 0; i < 100_000; i++)
        {
            final int first = random.nextInt(8);
            final int count = 1 + random.nextInt(4);
            if (locks.tryExclusive((long)first * REGION, (long)count * REGION))
            {
                entered++;
                for (int region = first; region < first + count; region++)
                {
                    assertEquals(0, owners[region]);
                    owners[region] = me;
                }
                for (int region = first; region < first + count; region++)
                {
                    assertEquals(me, owners[region]);
                    owners[region] = 0;
                }
                locks.releaseExclusive((long)first * REGION, (long)count * REGION);
            }
            else if (locks.tryShared((long)first * REGION, REGION))
            {
                assertEquals(0, owners[first]);
                locks.releaseShared((long)first * REGION, REGION);
            }
        }
        assertTrue(entered > 0);
    }
}

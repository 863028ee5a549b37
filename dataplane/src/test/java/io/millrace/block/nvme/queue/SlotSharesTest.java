package io.millrace.block.nvme.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * Slots of a queue pair are shared so that nobody is left without.
 */
public class SlotSharesTest
{
    private long cycle;

    private SlotShares shares(final int depth)
    {
        return new SlotShares(depth, () -> cycle);
    }

    private static List<SlotShare> join(final SlotShares shares, final int count, final int limit)
    {
        final List<SlotShare> joined = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            joined.add(new SlotShare(limit));
            shares.join(joined.getLast());
        }
        return joined;
    }

    private static int takeAll(final SlotShares shares, final SlotShare share)
    {
        int taken = 0;
        while (shares.available(share) > 0)
        {
            shares.take(share);
            taken++;
        }
        return taken;
    }

    @Test
    void shouldGiveOneChannelAll()
    {
        final SlotShares shares = shares(256);
        final SlotShare share = join(shares, 1, 256).getFirst();
        assertEquals(256, shares.available(share));
        assertEquals(256, takeAll(shares, share));
        shares.release(share);
        assertEquals(1, shares.available(share));
    }

    @Test
    void shouldGiveEachWhatItMayHaveWhereThereIsEnough()
    {
        final SlotShares shares = shares(768);
        final List<SlotShare> three = join(shares, 3, 256);
        three.forEach((share) -> assertEquals(256, takeAll(shares, share)));
    }

    @Test
    void shouldKeepSlotsForThoseWhoHaveNone()
    {
        final SlotShares shares = shares(256);
        final List<SlotShare> all = join(shares, 20, 256);
        // 80 are kept: of 176 others a channel that is busy alone has half, beside its own.
        assertEquals(4 + 88, takeAll(shares, all.getFirst()));
        // However many hang, each that comes later still has those that are kept for it.
        for (int i = 1; i < 20; i++)
        {
            assertTrue(takeAll(shares, all.get(i)) >= SlotShares.RESERVE_MAX, "channel " + i);
        }
    }

    /** Whatever a channel used and gave back, others leave it as many as before. */
    @Test
    void shouldKeepSlotsThatCameBackForWhoHasThemOfItsOwn()
    {
        final SlotShares shares = shares(8);
        final List<SlotShare> both = join(shares, 2, 8);
        final int most = takeAll(shares, both.get(0));
        for (int i = 0; i < most; i++)
        {
            shares.release(both.get(0));
        }
        for (int round = 0; round < 4; round++)
        {
            shares.take(both.get(1));
            shares.release(both.get(1));
        }
        assertEquals(most, takeAll(shares, both.get(0)));
        assertTrue(shares.available(both.get(1)) >= 2);
    }

    @Test
    void shouldGiveBusyChannelsEquallyManyInTheEnd()
    {
        final SlotShares shares = shares(64);
        final List<SlotShare> all = join(shares, 4, 64);
        final SlotShare first = all.getFirst();
        takeAll(shares, first);
        takeAll(shares, all.get(1));
        assertTrue(first.used() > all.get(1).used() + 8);
        final Random random = TestSeeds.random();
        for (int i = 0; i < 20_000; i++)
        {
            // A completion of a command chosen at random; then both want more, the first one first.
            shares.release(random.nextInt(first.used() + all.get(1).used()) < first.used() ? first : all.get(1));
            takeAll(shares, first);
            takeAll(shares, all.get(1));
        }
        assertTrue(Math.abs(first.used() - all.get(1).used()) <= 2, first.used() + " and " + all.get(1).used());
    }

    @Test
    void shouldLeaveRoomForAChannelThatComesWhileAllIsTaken()
    {
        final SlotShares shares = shares(8);
        final SlotShare first = join(shares, 1, 8).getFirst();
        takeAll(shares, first);
        final SlotShare second = join(shares, 1, 8).getFirst();
        assertEquals(0, shares.available(second));
        shares.release(first);
        assertEquals(0, shares.available(first), "what comes back first is the second's");
        assertEquals(1, shares.available(second));
    }

    @Test
    void shouldServeThoseWhoWaitInTurnWhereThereAreMoreChannelsThanSlots()
    {
        final SlotShares shares = shares(1);
        final List<SlotShare> all = join(shares, 4, 1);
        shares.take(all.getFirst());
        for (int i = 1; i < 4; i++)
        {
            assertEquals(0, shares.available(all.get(i)));
        }
        for (int i = 0; i < 40; i++)
        {
            final SlotShare done = all.get(i % 4);
            shares.release(done);
            // Everybody asks in each cycle, he who is done first.
            assertEquals(0, shares.available(done));
            assertEquals(0, shares.available(all.get((i + 3) % 4)));
            final SlotShare next = all.get((i + 1) % 4);
            assertEquals(1, shares.available(next));
            shares.take(next);
            cycle++;
        }
    }

    @Test
    void shouldPassOverOneThatDoesNotComeBack()
    {
        final SlotShares shares = shares(1);
        final List<SlotShare> all = join(shares, 3, 1);
        shares.take(all.getFirst());
        assertEquals(0, shares.available(all.get(1)));
        assertEquals(0, shares.available(all.get(2)));
        shares.release(all.getFirst());
        for (int i = 0; i < 2; i++)
        {
            assertEquals(0, shares.available(all.get(2)));
            assertEquals(0, shares.available(all.get(2)));
            cycle++;
        }
        assertEquals(1, shares.available(all.get(2)));
        // One that goes waits no longer.
        shares.take(all.get(2));
        assertEquals(0, shares.available(all.get(1)));
        shares.leave(all.get(1));
        shares.release(all.get(2));
        assertEquals(1, shares.available(all.getFirst()));
    }

    @Property(tries = 300)
    void shouldNeverLoseSlotsNorStarveAnybody(
        @ForAll final long seed, @ForAll @IntRange(min = 1, max = 40) final int depth)
    {
        final Random random = TestSeeds.fixed(seed);
        final SlotShares shares = shares(depth);
        final List<SlotShare> all = new ArrayList<>();
        for (int step = 0; step < 2000; step++)
        {
            cycle += random.nextInt(2);
            final int choice = random.nextInt(20);
            if (all.isEmpty() || 0 == choice && all.size() < 60)
            {
                all.addAll(join(shares, 1, 1 + random.nextInt(depth)));
                continue;
            }
            final SlotShare share = all.get(random.nextInt(all.size()));
            if (1 == choice)
            {
                while (share.used() > 0)
                {
                    shares.release(share);
                }
                shares.leave(share);
                all.remove(share);
            }
            else if (choice < 10 && share.used() > 0)
            {
                shares.release(share);
            }
            else
            {
                final int available = shares.available(share);
                for (int i = random.nextInt(available + 1); i > 0; i--)
                {
                    assertTrue(shares.available(share) > 0, "what was available is");
                    shares.take(share);
                }
            }
            assertTrue(all.stream().mapToInt(SlotShare::used).sum() <= depth);
            all.forEach((each) -> assertTrue(each.used() <= each.limit));
        }
        if (all.isEmpty())
        {
            // The last step may have been the last channel's leave.
            all.addAll(join(shares, 1, 1));
        }
        // Everybody wants one, and whoever has one gives it back in the next cycle: all are served.
        all.forEach((share) ->
        {
            while (share.used() > 0)
            {
                shares.release(share);
            }
        });
        final List<SlotShare> unserved = new ArrayList<>(all);
        for (int i = 0; i < 3 * all.size() + 3 && !unserved.isEmpty(); i++)
        {
            cycle++;
            for (final SlotShare share : all)
            {
                if (share.used() > 0)
                {
                    shares.release(share);
                }
                if (shares.available(share) > 0)
                {
                    shares.take(share);
                    unserved.remove(share);
                }
            }
        }
        assertEquals(List.of(), unserved, () -> "seed " + seed);
        all.forEach((share) ->
        {
            while (share.used() > 0)
            {
                shares.release(share);
            }
        });
        final List<SlotShare> leaving = new ArrayList<>(all);
        leaving.subList(1, leaving.size()).forEach(shares::leave);
        assertEquals(leaving.getFirst().limit, takeAll(shares, leaving.getFirst()));
    }
}

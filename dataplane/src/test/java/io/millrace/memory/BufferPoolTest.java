package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.seed.TestSeeds;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BufferPoolTest
{
    private static final long BASE = 1L << 32;
    private static final int LARGEST = 32 * 1024;
    private static final int PAGE = BufferPool.BUFFER_BYTES_MIN;

    private final BufferPool pool = new BufferPool(BASE, 8L * LARGEST, LARGEST);
    private final BufferShare share = share();
    private final List<Waiter> served = new ArrayList<>();
    private final Random random = TestSeeds.random();

    private BufferShare share()
    {
        return pool.newShare(new BufferGroup());
    }

    @Test
    void shouldAlignBuffersToTheirSize()
    {
        pool.acquire(share, 1);
        assertEquals(0, pool.acquire(share, 5000) % (2 * PAGE));
        assertEquals(0, pool.acquire(share, LARGEST) % LARGEST);
        assertEquals(PAGE + 2 * PAGE + LARGEST, pool.usedBytes());
        assertEquals(pool.usedBytes(), share.heldBytes());
        assertEquals(pool.usedBytes(), share.group().heldBytes());
    }

    @Test
    void shouldLeaveAPartToOthersWhoeverTakesWhatItCan()
    {
        final List<Taken> first = takeAll(share, PAGE);
        assertEquals(pool.lengthBytes() / 2, share.heldBytes(), "half for one share");
        final BufferShare sibling = pool.newShare(share.group());
        takeAll(sibling, PAGE);
        final long held = share.group().heldBytes();
        assertTrue(held >= pool.lengthBytes() * 2 / 3 && held <= pool.lengthBytes() * 2 / 3 + PAGE,
            "two thirds for one group: " + held);
        assertEquals(0, pool.acquire(pool.newShare(share.group()), PAGE));
        for (int i = 0; i < 3; i++)
        {
            final BufferShare next = share();
            final long free = pool.freeBytes();
            takeAll(next, PAGE);
            assertTrue(next.heldBytes() >= free / 2 - PAGE, "share " + i + " of what is left: " + next.heldBytes());
        }
        assertFalse(first.isEmpty());
    }

    @Test
    void shouldServeWhoWaitsInTurnAndNobodyBefore()
    {
        final List<Taken> taken = exhaust();
        final long waitsBefore = pool.waitCount();
        final BufferShare large = share();
        final BufferShare small = share();
        final Waiter[] waiters = {new Waiter(), new Waiter(), new Waiter()};
        pool.await(waiters[0], large, LARGEST);
        pool.await(waiters[1], large, LARGEST);
        pool.await(waiters[2], small, PAGE);
        assertEquals(0, pool.acquire(small, PAGE), "overtook one of its own share");
        while (served.size() < waiters.length)
        {
            taken.removeFirst().release();
            pool.poll();
        }
        assertTrue(served.indexOf(waiters[0]) < served.indexOf(waiters[1]), "order within a share");
        assertTrue(served.indexOf(waiters[2]) < served.indexOf(waiters[1]), "shares in turn");
        assertEquals(3, pool.waitCount() - waitsBefore);
        assertEquals(0, pool.waiting());
        assertEquals(2L * LARGEST, large.heldBytes());
        assertNotEquals(0, pool.acquire(share(), PAGE));
    }

    @Test
    void shouldServeSharesInTheOrderInWhichTheyBeganToWait()
    {
        final List<Taken> taken = exhaust();
        final List<Waiter> waiters = List.of(new Waiter(), new Waiter(), new Waiter(), new Waiter());
        waiters.forEach((each) -> pool.await(each, share(), LARGEST));
        while (served.size() < waiters.size())
        {
            taken.removeFirst().release();
            pool.poll();
        }
        assertEquals(waiters, served);
    }

    /** The buffer that came back last is part of a larger one for whoever waits for that. */
    @Test
    void shouldMergeTheBufferThatCameBackLastForAWaiter()
    {
        final BufferPool narrow = new BufferPool(BASE, 16L * PAGE, 2 * PAGE);
        final BufferShare waiting = narrow.newShare(new BufferGroup());
        final long[] held = new long[6];
        for (int i = 0; i < held.length; i++)
        {
            held[i] = narrow.acquire(waiting, PAGE);
            assertEquals(BASE + (long)i * PAGE, held[i]);
        }
        final BufferShare pages = narrow.newShare(new BufferGroup());
        for (int i = 0; i < 4; i++)
        {
            assertNotEquals(0, narrow.acquire(pages, PAGE));
        }
        assertNotEquals(0, narrow.acquire(narrow.newShare(new BufferGroup()), 2 * PAGE));
        assertNotEquals(0, narrow.acquire(narrow.newShare(new BufferGroup()), 2 * PAGE));
        assertNotEquals(0, narrow.acquire(narrow.newShare(new BufferGroup()), PAGE));
        narrow.release(waiting, held[0], PAGE);
        assertEquals(0, narrow.acquire(waiting, 2 * PAGE), "holds more than is free");
        final Waiter waiter = new Waiter();
        narrow.await(waiter, waiting, 2 * PAGE);
        narrow.release(waiting, held[1], PAGE);
        narrow.release(waiting, held[2], PAGE);
        narrow.poll();
        assertEquals(held[0], waiter.address, "there is one of two pages, and no other");
    }

    @Test
    void shouldHandOutTheBufferThatCameBackLast()
    {
        final long first = pool.acquire(share, PAGE);
        final long second = pool.acquire(share, PAGE);
        pool.release(share, first, PAGE);
        assertThrows(IllegalStateException.class, () -> pool.release(share, first, PAGE), "twice");
        pool.release(share, second, PAGE);
        assertEquals(second, pool.acquire(share, PAGE));
        pool.release(share, second, PAGE);
        assertEquals(0, pool.acquire(share, LARGEST) % LARGEST);
        assertEquals(LARGEST, pool.usedBytes());
    }

    @Test
    void shouldPassOverAShareAtItsBound()
    {
        takeAll(share, PAGE);
        final Waiter capped = new Waiter();
        pool.await(capped, share, LARGEST);
        pool.poll();
        assertTrue(pool.canSleep());
        final BufferShare other = share();
        for (int i = 0; i < 100; i++)
        {
            final long address = pool.acquire(other, PAGE);
            assertNotEquals(0, address, "held up by a share that keeps all it has");
            pool.release(other, address, PAGE);
            assertEquals(0, pool.poll());
        }
        assertEquals(0, capped.address);
    }

    @Test
    void shouldNotLetSmallOnesStarveALargeOne()
    {
        final List<Taken> small = new ArrayList<>();
        for (int i = 0; i < 64; i++)
        {
            small.addAll(takeAll(share(), PAGE));
        }
        final Waiter large = new Waiter();
        pool.await(large, share(), LARGEST);
        int rounds = 0;
        while (0 == large.address)
        {
            // Whoever gets a page back wants another one at once.
            final Taken back = small.removeFirst();
            back.release();
            pool.poll();
            final long address = pool.acquire(back.share, PAGE);
            if (0 == address)
            {
                final Waiter again = new Waiter();
                again.list = small;
                again.share = back.share;
                pool.await(again, back.share, PAGE);
            }
            else
            {
                small.add(new Taken(back.share, address, PAGE));
            }
            assertTrue(rounds++ < 1_000, "starved");
        }
        assertEquals(LARGEST, large.lengthBytes);
    }

    @Test
    void shouldGatherElsewhereWhenABufferInTheWayIsKept()
    {
        // A page in each of the largest buffers; that of one of them comes back late.
        final List<Taken> taken = exhaust();
        final List<Taken> kept = new ArrayList<>();
        for (int i = 0; i < 8; i++)
        {
            final int block = i;
            final Taken each = taken.stream().filter((t) -> (t.address - BASE) / LARGEST == block).findFirst()
                .orElseThrow();
            kept.add(each);
            taken.remove(each);
        }
        taken.forEach(Taken::release);
        final Waiter large = new Waiter();
        pool.await(large, share(), LARGEST);
        pool.poll();
        assertEquals(0, large.address);
        final BufferShare other = share();
        final long address = pool.acquire(other, PAGE);
        assertNotEquals(0, address, "held up by who waits for more");
        kept.get(5).release();
        for (int i = 0; i < 100_000 && 0 == large.address; i++)
        {
            pool.poll();
        }
        assertEquals(BASE + 5L * LARGEST, large.address);
        pool.release(other, address, PAGE);
    }

    /** What others release is taken again at once, so that no largest buffer becomes whole unless it is gathered. */
    @Test
    void shouldGatherElsewhereWhileOthersUseTheRestWhenABufferInTheWayIsKept()
    {
        final List<Taken> taken = exhaust();
        final List<Taken> claimed = taken.stream().filter((each) -> (each.address - BASE) / LARGEST == 3).toList();
        taken.removeAll(claimed);
        // All of it but for one page, which is kept: there it is gathered first.
        claimed.subList(1, claimed.size()).forEach(Taken::release);
        final Waiter large = new Waiter();
        pool.await(large, share(), LARGEST);
        pool.poll();
        // Fewer pages than one of the largest buffers has.
        for (int i = 0; i < 5; i++)
        {
            taken.remove(random.nextInt(taken.size())).release();
        }
        int rounds = 0;
        while (0 == large.address)
        {
            taken.remove(random.nextInt(taken.size())).release();
            pool.poll();
            final BufferShare next = share();
            final long address = pool.acquire(next, PAGE);
            if (0 != address)
            {
                taken.add(new Taken(next, address, PAGE));
            }
            assertTrue(rounds++ < 50_000, "waits for a buffer that is kept");
        }
        assertNotEquals(BASE + 3L * LARGEST, large.address);
        assertEquals(0, large.address % LARGEST);
    }

    @Test
    void shouldNotCountForTheShareWhatIsLent()
    {
        final List<Taken> taken = takeAll(share, PAGE);
        final Waiter waiter = new Waiter();
        pool.await(waiter, share, PAGE);
        assertEquals(0, pool.poll());
        taken.subList(0, 8).forEach((each) -> pool.lend(share, PAGE));
        assertEquals(1, pool.poll());
        assertNotEquals(0, waiter.address);
        taken.subList(0, 8).forEach((each) -> pool.takeBack(share, PAGE));
        assertEquals((taken.size() + 1L) * PAGE, share.heldBytes());
        taken.forEach(Taken::release);
        pool.release(share, waiter.address, PAGE);
        assertEquals(0, pool.usedBytes());
        assertEquals(0, share.group().heldBytes());
    }

    @Test
    void shouldSkipTheWaiterThatLeft()
    {
        final List<Taken> taken = exhaust();
        final Waiter[] waiters = {new Waiter(), new Waiter(), new Waiter()};
        final BufferShare waiting = share();
        for (final Waiter waiter : waiters)
        {
            pool.await(waiter, waiting, LARGEST);
        }
        assertTrue(pool.cancel(waiters[0]));
        assertFalse(pool.cancel(waiters[0]));
        assertTrue(pool.cancel(waiters[2]));
        taken.forEach(Taken::release);
        assertEquals(1, pool.poll());
        assertEquals(List.of(waiters[1]), served);
        assertNotEquals(0, pool.acquire(share, 1));
    }

    @Test
    void shouldServeTheNextOfAShareWhenTheFirstThatWantsMoreLeaves()
    {
        // It holds something, so that nothing is gathered for it.
        final BufferShare waiting = share();
        pool.acquire(waiting, PAGE);
        final List<Taken> taken = exhaust();
        for (int i = 0; i < 8; i++)
        {
            taken.remove(7 * i).release();
        }
        final Waiter large = new Waiter();
        final Waiter small = new Waiter();
        pool.await(large, waiting, LARGEST);
        pool.await(small, waiting, PAGE);
        pool.poll();
        assertTrue(pool.canSleep());
        assertTrue(pool.cancel(large));
        assertFalse(pool.canSleep());
        assertEquals(1, pool.poll());
        assertEquals(List.of(small), served);
    }

    @Test
    void shouldRefuseToWaitTwice()
    {
        final Waiter waiter = new Waiter();
        pool.await(waiter, share, 1);
        assertThrows(IllegalStateException.class, () -> pool.await(waiter, share, 1));
    }

    @Test
    void shouldStopWhenReleasedTwice()
    {
        final long address = pool.acquire(share, PAGE);
        pool.release(share, address, PAGE);
        final IllegalStateException broken =
            assertThrows(IllegalStateException.class, () -> pool.release(share, address, PAGE));
        assertTrue(broken.getMessage().contains(Long.toHexString(address)), broken.getMessage());
        assertEquals(0, pool.usedBytes());
    }

    @Test
    void shouldStopWhenReleasedIsForeignOrOfAnotherSize()
    {
        final long address = pool.acquire(share, 2 * PAGE);
        assertThrows(IllegalStateException.class, () -> pool.release(share, address, PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(share, address + PAGE, PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(share, address + 1, 2 * PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(share, BASE - PAGE, PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(share, BASE + pool.lengthBytes(), PAGE));
        pool.release(share, address, 2 * PAGE);
        assertEquals(0, pool.usedBytes());
    }

    @Test
    void shouldRefuseLengthsOutOfRange()
    {
        assertThrows(IllegalArgumentException.class, () -> pool.acquire(share, 0));
        assertThrows(IllegalArgumentException.class, () -> pool.acquire(share, LARGEST + 1));
        assertThrows(IllegalArgumentException.class, () -> pool.await(new Waiter(), share, -1));
    }

    @Test
    void shouldRefuseRegionsThatDoNotFit()
    {
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE, LARGEST, LARGEST - 1));
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE, LARGEST, 2048));
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE + PAGE, LARGEST, LARGEST));
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE, LARGEST + PAGE, LARGEST));
        assertThrows(IllegalArgumentException.class, () -> new BufferPool(BASE, 0, LARGEST));
    }

    @Test
    void shouldAllocateNothingWhenWarm()
    {
        final Waiter[] waiters = new Waiter[8];
        for (int i = 0; i < waiters.length; i++)
        {
            waiters[i] = new Waiter();
        }
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long[] addresses = new long[4];
        final AllocationWindows windows = new AllocationWindows(1, 100);
        while (!windows.isOver())
        {
            final long before = threads.getCurrentThreadAllocatedBytes();
            useAll(addresses, waiters, 1_000);
            windows.end(threads.getCurrentThreadAllocatedBytes() - before);
        }
        windows.assertClean("1000 rounds");
    }

    private void useAll(final long[] addresses, final Waiter[] waiters, final int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < addresses.length; i++)
            {
                addresses[i] = pool.acquire(share, LARGEST);
            }
            for (int i = 0; i < waiters.length; i++)
            {
                waiters[i].isQuiet = true;
                pool.await(waiters[i], share, PAGE << (i & 3));
            }
            pool.cancel(waiters[3]);
            for (int i = 0; i < addresses.length; i++)
            {
                pool.release(share, addresses[i], LARGEST);
            }
            while (0 != pool.waiting())
            {
                pool.poll();
            }
            for (int i = 0; i < waiters.length; i++)
            {
                if (3 != i)
                {
                    pool.release(share, waiters[i].address, waiters[i].lengthBytes);
                }
            }
        }
    }

    /** Everything that one share gets. */
    private List<Taken> takeAll(final BufferShare holder, final int lengthBytes)
    {
        final List<Taken> taken = new ArrayList<>();
        for (long address = pool.acquire(holder, lengthBytes); 0 != address;
            address = pool.acquire(holder, lengthBytes))
        {
            taken.add(new Taken(holder, address, lengthBytes));
        }
        return taken;
    }

    /** Pages of so many groups that nothing is left for another one but by waiting. */
    private List<Taken> exhaust()
    {
        final List<Taken> taken = new ArrayList<>();
        int before;
        do
        {
            before = taken.size();
            taken.addAll(takeAll(share(), PAGE));
        }
        while (taken.size() > before);
        final Waiter last = new Waiter();
        last.list = taken;
        last.share = share();
        last.isQuiet = true;
        pool.await(last, last.share, PAGE);
        pool.poll();
        pool.poll();
        assertEquals(pool.lengthBytes(), pool.usedBytes());
        return taken;
    }

    private final class Taken
    {
        private final BufferShare share;
        private final long address;
        private final int lengthBytes;

        private Taken(final BufferShare share, final long address, final int lengthBytes)
        {
            this.share = share;
            this.address = address;
            this.lengthBytes = lengthBytes;
        }

        private void release()
        {
            pool.release(share, address, lengthBytes);
        }
    }

    private final class Waiter extends BufferWaiter
    {
        private long address;
        private int lengthBytes;
        private boolean isQuiet;
        private BufferShare share;
        private List<Taken> list;

        @Override
        public void onBuffer(final long bufferAddress, final int bufferBytes)
        {
            address = bufferAddress;
            lengthBytes = bufferBytes;
            if (null != list)
            {
                list.add(new Taken(share, address, lengthBytes));
            }
            else if (!isQuiet)
            {
                served.add(this);
            }
        }
    }
}

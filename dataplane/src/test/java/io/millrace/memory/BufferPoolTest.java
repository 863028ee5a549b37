package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BufferPoolTest
{
    private static final long BASE = 1L << 32;
    private static final int LARGEST = 32 * 1024;
    private static final int PAGE = BufferPool.BUFFER_BYTES_MIN;

    private final BufferPool pool = new BufferPool(BASE, 4L * LARGEST, LARGEST);
    private final List<Waiter> told = new ArrayList<>();

    @Test
    void shouldAlignBuffersToTheirSize()
    {
        pool.acquire(1);
        assertEquals(0, pool.acquire(5000) % (2 * PAGE));
        assertEquals(0, pool.acquire(LARGEST) % LARGEST);
        assertEquals(PAGE + 2 * PAGE + LARGEST, pool.usedBytes());
    }

    @Test
    void shouldAnswerZeroWhenEmptyAndServeAgainWhenReleased()
    {
        final long[] addresses = exhaust();
        assertEquals(0, pool.acquire(1));
        assertEquals(pool.lengthBytes(), pool.usedBytes());
        pool.release(addresses[2], LARGEST);
        assertEquals(addresses[2], pool.acquire(PAGE));
    }

    @Test
    void shouldServeWaitersInOrderAndNobodyBefore()
    {
        final long[] addresses = exhaust();
        final Waiter large = new Waiter();
        final Waiter small = new Waiter();
        pool.await(large, LARGEST);
        pool.await(small, PAGE);
        assertEquals(0, pool.poll());
        assertTrue(pool.canSleep());

        pool.release(addresses[0], LARGEST);
        assertFalse(pool.canSleep());
        assertEquals(0, pool.acquire(PAGE), "overtook two who wait");
        assertEquals(1, pool.poll());
        assertEquals(List.of(large), told);
        assertEquals(addresses[0], large.address);
        assertEquals(LARGEST, large.lengthBytes);

        pool.release(addresses[1], LARGEST);
        assertEquals(1, pool.poll());
        assertEquals(List.of(large, small), told);
        assertEquals(2, pool.waitCount());
        assertEquals(0, pool.waiting());
        assertNotEquals(0, pool.acquire(PAGE));
    }

    @Test
    void shouldNotLetSmallOnesStarveALargeOne()
    {
        final List<Long> small = new ArrayList<>();
        for (long address = pool.acquire(PAGE); 0 != address; address = pool.acquire(PAGE))
        {
            small.add(address);
        }
        final Waiter large = new Waiter();
        pool.await(large, LARGEST);
        final List<Waiter> laterOnes = new ArrayList<>();
        while (0 == large.address)
        {
            pool.release(small.removeFirst(), PAGE);
            assertEquals(0, pool.acquire(PAGE), "a small one overtook");
            final Waiter later = new Waiter();
            laterOnes.add(later);
            pool.await(later, PAGE);
            pool.poll();
        }
        assertEquals(large, told.getFirst());
        assertTrue(laterOnes.size() <= 4 * LARGEST / PAGE);
    }

    @Test
    void shouldSkipTheWaiterThatLeft()
    {
        final long[] addresses = exhaust();
        final Waiter[] waiters = {new Waiter(), new Waiter(), new Waiter()};
        for (final Waiter waiter : waiters)
        {
            pool.await(waiter, LARGEST);
        }
        assertTrue(pool.cancel(waiters[0]));
        assertFalse(pool.cancel(waiters[0]));
        assertTrue(pool.cancel(waiters[2]));
        pool.release(addresses[0], LARGEST);
        pool.release(addresses[1], LARGEST);
        assertEquals(1, pool.poll());
        assertEquals(List.of(waiters[1]), told);
        assertNotEquals(0, pool.acquire(1));
    }

    @Test
    void shouldRefuseToWaitTwice()
    {
        final Waiter waiter = new Waiter();
        pool.await(waiter, 1);
        assertThrows(IllegalStateException.class, () -> pool.await(waiter, 1));
    }

    @Test
    void shouldStopWhenReleasedTwice()
    {
        final long address = pool.acquire(PAGE);
        pool.release(address, PAGE);
        final IllegalStateException broken =
            assertThrows(IllegalStateException.class, () -> pool.release(address, PAGE));
        assertTrue(broken.getMessage().contains(Long.toHexString(address)), broken.getMessage());
        assertEquals(0, pool.usedBytes());
    }

    @Test
    void shouldStopWhenReleasedIsForeignOrOfAnotherSize()
    {
        final long address = pool.acquire(2 * PAGE);
        assertThrows(IllegalStateException.class, () -> pool.release(address, PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(address + PAGE, PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(address + 1, 2 * PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(BASE - PAGE, PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(BASE + pool.lengthBytes(), PAGE));
        pool.release(address, 2 * PAGE);
        assertEquals(0, pool.usedBytes());
    }

    @Test
    void shouldRefuseLengthsOutOfRange()
    {
        assertThrows(IllegalArgumentException.class, () -> pool.acquire(0));
        assertThrows(IllegalArgumentException.class, () -> pool.acquire(LARGEST + 1));
        assertThrows(IllegalArgumentException.class, () -> pool.await(new Waiter(), -1));
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
        useAll(addresses, waiters, 2_000);
        told.clear();
        final long before = threads.getCurrentThreadAllocatedBytes();
        useAll(addresses, waiters, 1_000);
        final long allocatedBytes = threads.getCurrentThreadAllocatedBytes() - before;
        // Half a kilobyte is below one byte a round; what remains is the measuring call's own.
        assertTrue(allocatedBytes < 512, "allocated " + allocatedBytes);
    }

    private void useAll(final long[] addresses, final Waiter[] waiters, final int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            for (int i = 0; i < addresses.length; i++)
            {
                addresses[i] = pool.acquire(LARGEST);
            }
            for (int i = 0; i < waiters.length; i++)
            {
                waiters[i].quiet = true;
                pool.await(waiters[i], PAGE << (i & 3));
            }
            pool.cancel(waiters[3]);
            for (int i = 0; i < addresses.length; i++)
            {
                pool.release(addresses[i], LARGEST);
            }
            pool.poll();
            for (int i = 0; i < waiters.length; i++)
            {
                if (3 != i)
                {
                    pool.release(waiters[i].address, waiters[i].lengthBytes);
                }
            }
        }
    }

    private long[] exhaust()
    {
        final long[] addresses = new long[4];
        for (int i = 0; i < addresses.length; i++)
        {
            addresses[i] = pool.acquire(LARGEST);
            assertNotEquals(0, addresses[i]);
        }
        return addresses;
    }

    private final class Waiter implements BufferWaiter
    {
        private long address;
        private int lengthBytes;
        private boolean quiet;

        @Override
        public void onBuffer(final long bufferAddress, final int bufferBytes)
        {
            address = bufferAddress;
            lengthBytes = bufferBytes;
            if (!quiet)
            {
                told.add(this);
            }
        }
    }
}

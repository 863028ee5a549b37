package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * Random histories of a pool against a model that knows only who holds what and who waits.
 */
class BufferPoolPropertyTest
{
    private static final long BASE = 1L << 40;
    private static final int LARGEST = 64 * 1024;
    private static final long REGION_BYTES = 3L * LARGEST;

    private final BufferPool pool = new BufferPool(BASE, REGION_BYTES, LARGEST);
    private final TreeMap<Long, Integer> held = new TreeMap<>();
    private final ArrayDeque<Waiter> line = new ArrayDeque<>();
    private final List<Long> order = new ArrayList<>();
    private long mostBytes;

    @Property(tries = 500)
    void shouldNeverOverlapAndMergeBack(
        @ForAll @Size(max = 300) final List<@IntRange(min = 0, max = 1 << 20) Integer> history)
    {
        final BufferPoolPropertyTest fresh = new BufferPoolPropertyTest();
        for (final int step : history)
        {
            fresh.step(step & 7, step >>> 3);
        }
        fresh.finish();
    }

    private void step(final int action, final int argument)
    {
        final int lengthBytes = 1 + (argument % LARGEST >>> 2 * (argument & 3));
        switch (action)
        {
            case 0, 1, 2 -> take(lengthBytes);
            case 3, 4 -> giveBack(argument);
            case 5 -> poll();
            case 6 -> cancel(argument);
            default ->
            {
                final Waiter waiter = new Waiter(lengthBytes);
                pool.await(waiter, lengthBytes);
                line.add(waiter);
            }
        }
        assertEquals(held.values().stream().mapToLong(BufferPoolPropertyTest::rounded).sum(), pool.usedBytes());
        assertEquals(line.size(), pool.waiting());
    }

    private void take(final int lengthBytes)
    {
        final long address = pool.acquire(lengthBytes);
        if (!line.isEmpty())
        {
            assertEquals(0, address, "overtook one who waits");
        }
        else if (0 != address)
        {
            hold(address, lengthBytes);
        }
        else
        {
            assertTrue(!hasHole(lengthBytes), "refused though there is room for " + lengthBytes);
        }
    }

    private void giveBack(final int choice)
    {
        if (!order.isEmpty())
        {
            final long address = order.remove(choice % order.size());
            pool.release(address, held.remove(address));
        }
    }

    private void poll()
    {
        final boolean grantable = !line.isEmpty() && hasHole(line.getFirst().lengthBytes);
        assertEquals(grantable, !pool.canSleep());
        assertEquals(grantable, pool.poll() > 0);
    }

    private void cancel(final int choice)
    {
        if (!line.isEmpty())
        {
            final Waiter leaving = List.copyOf(line).get(choice % line.size());
            line.remove(leaving);
            assertTrue(pool.cancel(leaving));
        }
    }

    /** Everyone who waits is served once what is held comes back; in the end the largest buffers are whole again. */
    private void finish()
    {
        int rounds = 0;
        while (!line.isEmpty() || !order.isEmpty())
        {
            giveBack(rounds);
            poll();
            assertTrue(rounds++ < 10_000, "somebody waits for ever");
        }
        assertEquals(0, pool.usedBytes());
        for (long i = 0; i < REGION_BYTES / LARGEST; i++)
        {
            assertNotEquals(0, pool.acquire(LARGEST), "free buffers did not merge");
        }
    }

    private void hold(final long address, final int lengthBytes)
    {
        final long end = address + rounded(lengthBytes);
        assertTrue(address >= BASE && end <= BASE + REGION_BYTES, "outside of the region");
        assertEquals(0, address % rounded(lengthBytes), "not aligned");
        final Map.Entry<Long, Integer> below = held.lowerEntry(end);
        if (null != below)
        {
            assertTrue(below.getKey() + rounded(below.getValue()) <= address, "overlaps");
        }
        held.put(address, lengthBytes);
        order.add(address);
        mostBytes = Math.max(mostBytes, held.values().stream().mapToLong(BufferPoolPropertyTest::rounded).sum());
        assertEquals(mostBytes, pool.highWaterBytes());
    }

    private boolean hasHole(final int lengthBytes)
    {
        final long size = rounded(lengthBytes);
        for (long start = BASE; start < BASE + REGION_BYTES; start += size)
        {
            final Map.Entry<Long, Integer> below = held.lowerEntry(start + size);
            if (null == below || below.getKey() + rounded(below.getValue()) <= start)
            {
                return true;
            }
        }
        return false;
    }

    private static long rounded(final int lengthBytes)
    {
        return Math.max(BufferPool.BUFFER_BYTES_MIN, Long.highestOneBit(2L * lengthBytes - 1));
    }

    private final class Waiter implements BufferWaiter
    {
        private final int lengthBytes;

        private Waiter(final int lengthBytes)
        {
            this.lengthBytes = lengthBytes;
        }

        @Override
        public void onBuffer(final long address, final int granted)
        {
            assertEquals(this, line.removeFirst(), "not in order");
            assertEquals(lengthBytes, granted);
            hold(address, granted);
        }
    }
}

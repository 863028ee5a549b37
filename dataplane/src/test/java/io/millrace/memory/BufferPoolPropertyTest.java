package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
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
    private static final long REGION_BYTES = 8L * LARGEST;
    private static final int GROUPS = 4;
    private static final int SHARES = 12;

    private BufferPool pool;
    /** Without the part for floors. */
    private long sharedBytes;
    private final BufferShare[] shares = new BufferShare[SHARES];
    private final TreeMap<Long, Held> held = new TreeMap<>();
    private final Map<BufferShare, ArrayDeque<Waiter>> lines = new HashMap<>();
    private final List<Long> order = new ArrayList<>();
    private int waiting;
    private long mostBytes;

    private record Held(BufferShare share, int lengthBytes)
    {
    }

    private static BufferPoolPropertyTest of(final boolean hasFloors)
    {
        final BufferPoolPropertyTest fresh = new BufferPoolPropertyTest();
        fresh.begin(hasFloors);
        return fresh;
    }

    private void begin(final boolean hasFloors)
    {
        pool = hasFloors ? BufferPool.withFloors(BASE, REGION_BYTES, LARGEST) :
            new BufferPool(BASE, REGION_BYTES, LARGEST);
        sharedBytes = REGION_BYTES - pool.floorBytes();
        final BufferGroup[] groups = new BufferGroup[GROUPS];
        for (int i = 0; i < SHARES; i++)
        {
            if (i < GROUPS)
            {
                groups[i] = new BufferGroup();
            }
            shares[i] = pool.newShare(groups[i % GROUPS]);
            lines.put(shares[i], new ArrayDeque<>());
        }
    }

    @Property(tries = 500)
    void shouldNeverOverlapAndMergeBack(
        @ForAll final boolean hasFloors,
        @ForAll @Size(max = 400) final List<@IntRange(min = 0, max = 1 << 22) Integer> history)
    {
        final BufferPoolPropertyTest fresh = of(hasFloors);
        for (final int step : history)
        {
            fresh.step(step & 7, step >>> 3);
        }
        fresh.finish();
    }

    /** Two hosts of the four keep whatever they have, forever; the others get all they ask for, page after page. */
    @Property(tries = 300)
    void shouldServeOthersWhoeverKeepsWhatItHas(
        @ForAll final boolean hasFloors,
        @ForAll @Size(max = 400) final List<@IntRange(min = 0, max = 1 << 22) Integer> history)
    {
        final BufferPoolPropertyTest fresh = of(hasFloors);
        for (final int step : history)
        {
            fresh.step(step & 7, step >>> 3);
        }
        fresh.keepSome();
    }

    private void keepSome()
    {
        // The live ones give back what they have as they are served.
        for (int rounds = 0; rounds < 2_000; rounds++)
        {
            for (final Long address : List.copyOf(order))
            {
                if (isLive(held.get(address).share()))
                {
                    order.remove(address);
                    giveBackAt(address);
                }
            }
            pool.poll();
        }
        for (final BufferShare share : shares)
        {
            if (isLive(share))
            {
                for (final Waiter waiter : lines.get(share))
                {
                    assertTrue(waiter.lengthBytes > pool.freeBytes() / 2 ||
                        !hasHole(waiter.lengthBytes), "still waits though it could be served");
                }
                for (int i = 0; lines.get(share).isEmpty() && i < 10; i++)
                {
                    final Waiter waiter = new Waiter(share, 1);
                    waiter.await();
                    pool.poll();
                    pool.poll();
                    assertTrue(lines.get(share).isEmpty(), "a live one is held up by those who keep what they have");
                    final long address = order.removeLast();
                    giveBackAt(address);
                }
            }
        }
    }

    private boolean isLive(final BufferShare share)
    {
        return share.group() == shares[0].group() || share.group() == shares[1].group();
    }

    private void step(final int action, final int argument)
    {
        final int lengthBytes = 1 + (argument % LARGEST >>> 2 * (argument & 3));
        final BufferShare share = shares[(argument >>> 8) % SHARES];
        switch (action)
        {
            case 0, 1, 2 -> take(share, lengthBytes);
            case 3, 4 -> giveBack(argument);
            case 5 -> poll();
            case 6 -> cancel(share, argument);
            default -> new Waiter(share, lengthBytes).await();
        }
        assertEquals(held.values().stream().mapToLong((each) -> rounded(each.lengthBytes())).sum(), pool.usedBytes());
        for (final BufferShare each : shares)
        {
            assertEquals(heldBy(each), each.heldBytes());
            assertEquals(lines.get(each).size(), each.waiting());
        }
        assertEquals(waiting, pool.waiting());
    }

    private long heldBy(final BufferShare share)
    {
        return held.values().stream().filter((each) -> each.share() == share)
            .mapToLong((each) -> rounded(each.lengthBytes())).sum();
    }

    private void take(final BufferShare share, final int lengthBytes)
    {
        final long free = pool.freeBytes();
        final boolean isWithin = share.heldBytes() < free && share.group().heldBytes() < 2 * free &&
            2 * rounded(lengthBytes) <= free;
        final long address = pool.acquire(share, lengthBytes);
        if (0 != address)
        {
            assertTrue(lines.get(share).isEmpty(), "overtook one of its own who waits");
            assertTrue(isWithin, "more than its share");
            hold(share, address, lengthBytes);
        }
        else
        {
            assertTrue(!isWithin || 0 != waiting || !hasHole(lengthBytes), "refused though there is room");
        }
    }

    private void giveBack(final int choice)
    {
        if (!order.isEmpty())
        {
            giveBackAt(order.remove(choice % order.size()));
        }
    }

    private void giveBackAt(final long address)
    {
        final Held each = held.remove(address);
        pool.release(each.share(), address, each.lengthBytes());
    }

    private void poll()
    {
        final boolean mayWork = !pool.canSleep();
        assertTrue(pool.poll() <= 0 || mayWork, "slept though somebody could be served");
        while (!pool.canSleep())
        {
            pool.poll();
        }
        // Nobody is left waiting who could be served.
        for (final BufferShare share : shares)
        {
            final Waiter first = lines.get(share).peekFirst();
            final long free = pool.freeBytes();
            if (null != first && free == sharedBytes - sharedUsedBytes())
            {
                assertTrue(share.heldBytes() >= free || share.group().heldBytes() >= 2 * free ||
                    2 * rounded(first.lengthBytes) > free || !hasHole(first.lengthBytes), "was not served");
            }
        }
    }

    private void cancel(final BufferShare share, final int choice)
    {
        final ArrayDeque<Waiter> line = lines.get(share);
        if (!line.isEmpty())
        {
            final Waiter leaving = List.copyOf(line).get(choice % line.size());
            line.remove(leaving);
            waiting--;
            assertTrue(pool.cancel(leaving));
        }
    }

    /** Everyone who waits is served once what is held comes back; in the end the largest buffers are whole again. */
    private void finish()
    {
        int rounds = 0;
        while (0 != waiting || !order.isEmpty())
        {
            giveBack(rounds);
            pool.poll();
            assertTrue(rounds++ < 30_000, "somebody waits for ever");
        }
        assertEquals(0, pool.usedBytes());
        assertEquals(sharedBytes, pool.freeBytes());
        int whole = 0;
        for (int i = 0; i < 3; i++)
        {
            final BufferShare share = pool.newShare(new BufferGroup());
            while (0 != pool.acquire(share, LARGEST))
            {
                whole++;
            }
        }
        assertEquals(sharedBytes / LARGEST - 1, whole, "free buffers did not merge");
    }

    private void hold(final BufferShare share, final long address, final int lengthBytes)
    {
        final long end = address + rounded(lengthBytes);
        assertTrue(address >= BASE && end <= BASE + REGION_BYTES, "outside of the region");
        assertEquals(0, address % rounded(lengthBytes), "not aligned");
        final Map.Entry<Long, Held> below = held.lowerEntry(end);
        if (null != below)
        {
            assertTrue(below.getKey() + rounded(below.getValue().lengthBytes()) <= address, "overlaps");
        }
        held.put(address, new Held(share, lengthBytes));
        order.add(address);
        mostBytes = Math.max(mostBytes,
            held.values().stream().mapToLong((each) -> rounded(each.lengthBytes())).sum());
        assertEquals(mostBytes, pool.highWaterBytes());
        assertNotEquals(0, pool.usedBytes());
    }

    private long sharedUsedBytes()
    {
        return held.headMap(BASE + sharedBytes).values().stream()
            .mapToLong((each) -> rounded(each.lengthBytes())).sum();
    }

    private boolean hasHole(final int lengthBytes)
    {
        final long size = rounded(lengthBytes);
        for (long start = BASE; start < BASE + sharedBytes; start += size)
        {
            final Map.Entry<Long, Held> below = held.lowerEntry(start + size);
            if (null == below || below.getKey() + rounded(below.getValue().lengthBytes()) <= start)
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

    private final class Waiter extends BufferWaiter
    {
        private final BufferShare share;
        private final int lengthBytes;

        private Waiter(final BufferShare share, final int lengthBytes)
        {
            this.share = share;
            this.lengthBytes = lengthBytes;
        }

        private void await()
        {
            lines.get(share).add(this);
            waiting++;
            pool.await(this, share, lengthBytes);
        }

        @Override
        public void onBuffer(final long address, final int granted)
        {
            assertEquals(this, lines.get(share).removeFirst(), "not in order within its share");
            assertEquals(lengthBytes, granted);
            waiting--;
            hold(share, address, granted);
        }
    }
}

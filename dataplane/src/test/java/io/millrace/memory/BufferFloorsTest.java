package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Whoever holds the rest of a pool: a group that holds next to nothing gets one buffer, and only one.
 */
class BufferFloorsTest
{
    private static final long BASE = 1L << 32;
    private static final int LARGEST = 128 << 10;
    private static final int FLOOR = 32 << 10;
    private static final int PAGE = BufferPool.BUFFER_BYTES_MIN;
    private static final long REGION_BYTES = 64L * LARGEST;

    private final BufferPool pool = BufferPool.withFloors(BASE, REGION_BYTES, LARGEST);

    private record Taken(BufferShare share, long address, int lengthBytes)
    {
    }

    private static final class Waiter extends BufferWaiter
    {
        private long address;
        private int lengthBytes;

        @Override
        public void onBuffer(final long bufferAddress, final int bufferBytes)
        {
            address = bufferAddress;
            lengthBytes = bufferBytes;
        }
    }

    private BufferShare share()
    {
        return pool.newShare(new BufferGroup());
    }

    /** So many groups take all that they get, that none of the shared part is left; all of them wait for more. */
    private List<Taken> drain()
    {
        final List<Taken> taken = new ArrayList<>();
        int before;
        do
        {
            before = taken.size();
            final BufferShare share = share();
            for (int length = LARGEST; length >= PAGE; length /= 2)
            {
                for (long address = pool.acquire(share, length); 0 != address; address = pool.acquire(share, length))
                {
                    taken.add(new Taken(share, address, length));
                }
            }
            if (share.heldBytes() >= FLOOR)
            {
                pool.await(new Waiter(), share, PAGE);
            }
        }
        while (taken.size() > before);
        settle();
        assertTrue(pool.freeBytes() < 2 * PAGE, "free: " + pool.freeBytes());
        return taken;
    }

    private void settle()
    {
        do
        {
            pool.poll();
        }
        while (!pool.canSleep());
    }

    private Waiter await(final BufferShare share, final int lengthBytes, final boolean inParts)
    {
        final Waiter waiter = new Waiter();
        if (inParts)
        {
            pool.awaitPart(waiter, share, lengthBytes);
        }
        else
        {
            pool.await(waiter, share, lengthBytes);
        }
        settle();
        return waiter;
    }

    @Test
    void shouldSetAnEighthAsideInPiecesOfOneSize()
    {
        assertEquals(REGION_BYTES / 8, pool.floorBytes());
        assertEquals(REGION_BYTES - REGION_BYTES / 8, pool.freeBytes());
        assertEquals(0, BufferPool.withFloors(BASE, 2L * LARGEST, LARGEST).floorBytes());
        assertEquals(LARGEST, BufferPool.withFloors(BASE, 4L * LARGEST, LARGEST).floorBytes());
        assertEquals(0, new BufferPool(BASE, REGION_BYTES, LARGEST).floorBytes());
    }

    @Test
    void shouldServeWhoHoldsNothingAgainAndAgain()
    {
        drain();
        final BufferShare bystander = share();
        for (int i = 0; i < 1_000; i++)
        {
            final Waiter small = await(bystander, PAGE, false);
            assertNotEquals(0, small.address, "turn " + i);
            pool.release(bystander, small.address, PAGE);
            final Waiter large = await(bystander, LARGEST, true);
            assertNotEquals(0, large.address, "turn " + i);
            assertEquals(FLOOR, large.lengthBytes);
            pool.release(bystander, large.address, FLOOR);
        }
        assertEquals(0, bystander.heldBytes());
    }

    @Test
    void shouldGiveAGroupOneAndItsConnectionsInTurn()
    {
        drain();
        final BufferGroup group = new BufferGroup();
        final BufferShare first = pool.newShare(group);
        final BufferShare second = pool.newShare(group);
        Waiter present = await(first, PAGE, false);
        assertNotEquals(0, present.address);
        BufferShare holder = first;
        for (int i = 0; i < 20; i++)
        {
            final BufferShare next = holder == first ? second : first;
            final Waiter waiter = await(next, PAGE, false);
            assertEquals(0, waiter.address, "two for one group");
            pool.release(holder, present.address, PAGE);
            settle();
            assertNotEquals(0, waiter.address);
            present = waiter;
            holder = next;
        }
    }

    @Test
    void shouldServeAsManyGroupsAsThereAreFloorsWhateverTheyHoldOfThem()
    {
        drain();
        final Random random = TestSeeds.random();
        final Set<Long> addresses = new HashSet<>();
        final int floors = (int)(pool.floorBytes() / FLOOR);
        for (int i = 0; i < floors; i++)
        {
            final Waiter waiter = await(share(), 1 + random.nextInt(FLOOR), false);
            assertNotEquals(0, waiter.address, "group " + i);
            assertEquals(0, waiter.address % FLOOR);
            assertTrue(addresses.add(waiter.address));
        }
        final Waiter beyond = await(share(), PAGE, false);
        assertEquals(0, beyond.address);
    }

    @Test
    void shouldNotDivideForWhoCannotDoWithAPart()
    {
        final List<Taken> taken = drain();
        final Waiter whole = await(share(), FLOOR + 1, false);
        assertEquals(0, whole.address);
        for (final Taken each : taken)
        {
            pool.release(each.share(), each.address(), each.lengthBytes());
            settle();
        }
        assertNotEquals(0, whole.address);
        assertEquals(FLOOR + 1, whole.lengthBytes);
    }

    /** Each of many that want the largest, one after the other, must not have the last gathered for it. */
    @Test
    void shouldNotGatherForOneAfterTheOtherUntilNothingIsLeft()
    {
        for (int i = 0; i < 100; i++)
        {
            await(share(), LARGEST, false);
        }
        assertTrue(pool.freeBytes() >= LARGEST, "free: " + pool.freeBytes());
    }

    @Test
    void shouldStopWhenAFloorIsReleasedTwiceOrByAnother()
    {
        drain();
        final BufferShare bystander = share();
        final Waiter waiter = await(bystander, PAGE, false);
        assertThrows(IllegalStateException.class, () -> pool.release(share(), waiter.address, PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(bystander, waiter.address, 2 * PAGE));
        assertThrows(IllegalStateException.class, () -> pool.release(bystander, waiter.address + PAGE, PAGE));
        pool.release(bystander, waiter.address, PAGE);
        assertThrows(IllegalStateException.class, () -> pool.release(bystander, waiter.address, PAGE));
    }

    /** Else two would get it. */
    @Test
    void shouldStopWhenAFloorThatIsFreeIsReleasedByWhoHoldsAnother()
    {
        drain();
        final BufferShare first = share();
        final BufferShare second = share();
        final Waiter released = await(first, PAGE, false);
        final Waiter held = await(second, PAGE, false);
        pool.release(first, released.address, PAGE);
        assertThrows(IllegalStateException.class, () -> pool.release(second, released.address, PAGE));
        pool.release(second, held.address, PAGE);
    }

    @Test
    void shouldNotCountWhatADeviceHasOfAFloor()
    {
        drain();
        final BufferShare bystander = share();
        final Waiter waiter = await(bystander, PAGE, false);
        pool.lend(bystander, PAGE);
        assertEquals(0, bystander.heldBytes());
        final Waiter second = await(bystander, PAGE, false);
        assertEquals(0, second.address, "while the device has it, it is no other's");
        pool.takeBack(bystander, PAGE);
        pool.release(bystander, waiter.address, PAGE);
        settle();
        assertEquals(waiter.address, second.address);
    }
}

package io.millrace.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** For whom memory is gathered: each bound from both sides. */
class BufferClaimTest
{
    private static final int PAGE = BufferPool.BUFFER_BYTES_MIN;
    private static final int LARGEST = 16 * PAGE;
    /** One part in 32 of it is as much as two of the largest buffers. */
    private static final int SHARED_BYTES = 64 * LARGEST;
    private static final long GROUP_BYTES_MAX = 2L * LARGEST;

    private final BufferPool pool = new BufferPool(1L << 32, SHARED_BYTES, LARGEST);
    private final BufferGroup group = new BufferGroup();
    private final BufferShare waiting = pool.newShare(group);

    private static BufferClaim claim(final boolean leavesLastPart)
    {
        return new BufferClaim(new BuddyAllocator(SHARED_BYTES / PAGE, 4), LARGEST, SHARED_BYTES, leavesLastPart);
    }

    /** What it holds comes back to it, and it would gather while it keeps others from that. */
    @Test
    void shouldGatherForAShareThatHoldsNothing()
    {
        assertTrue(claim(false).admits(waiting, LARGEST, SHARED_BYTES));
        waiting.hold(PAGE);
        assertFalse(claim(false).admits(waiting, LARGEST, SHARED_BYTES));
        waiting.hold(-PAGE);
        assertTrue(claim(false).admits(waiting, LARGEST, SHARED_BYTES));
    }

    /** A host with many connections would have one after the other gather for it. */
    @Test
    void shouldGatherForAGroupUntilItHasItsPartOfThePool()
    {
        final BufferShare sibling = pool.newShare(group);
        sibling.hold(GROUP_BYTES_MAX - LARGEST);
        assertTrue(claim(false).admits(waiting, LARGEST, SHARED_BYTES));
        sibling.hold(PAGE);
        assertFalse(claim(false).admits(waiting, LARGEST, SHARED_BYTES));
        assertTrue(claim(false).admits(waiting, LARGEST - PAGE, SHARED_BYTES));
        assertTrue(claim(false).admits(pool.newShare(new BufferGroup()), LARGEST, SHARED_BYTES));
    }

    /** Where there are floors, who is left without the last part has one of them. */
    @Test
    void shouldLeaveTheLastPartWhereThereAreFloors()
    {
        assertTrue(claim(true).admits(waiting, LARGEST, 2L * LARGEST));
        assertFalse(claim(true).admits(waiting, LARGEST, 2L * LARGEST - 1));
        assertTrue(claim(false).admits(waiting, LARGEST, LARGEST));
    }

    /** A reactor that sleeps is woken by what is given back, and the memory may be there already. */
    @Test
    void shouldNotLetItsReactorSleepWhileItCanGather()
    {
        final BufferPool two = new BufferPool(1L << 32, 2 * LARGEST, LARGEST);
        final BufferShare holder = two.newShare(new BufferGroup());
        assertNotEquals(0, two.acquire(holder, PAGE));
        final int[] granted = {0};
        two.await(new BufferWaiter()
        {
            @Override
            public void onBuffer(final long address, final int lengthBytes)
            {
                granted[0] = lengthBytes;
            }
        }, two.newShare(new BufferGroup()), LARGEST);
        for (int i = 0; i < 10 && !two.canSleep(); i++)
        {
            two.poll();
        }
        assertTrue(two.canSleep(), "it would poll for ever");
        assertEquals(LARGEST, granted[0]);
    }
}

package io.millrace.memory;

import java.util.Arrays;

/**
 * Buddy scheme over the units of a region, by index: it knows no addresses and touches no memory of the region, so a
 * released buffer cannot damage it. Blocks are powers of two of units, aligned to their own size. Taking and giving
 * back walk at most one list head an order. Single-threaded; nothing is allocated after construction.
 * <p>
 * One of the largest blocks may be claimed: its free parts, and those released to it, are taken with
 * {@link #takeClaimed} alone, so that it becomes whole although smaller blocks are requested continuously.
 */
final class BuddyAllocator
{
    static final int NONE = -1;

    private static final byte INSIDE = 0;
    private static final byte FREE = 0x20;
    private static final byte TAKEN = 0x40;
    /** Largest blocks that a claim chooses among, which bounds the time it takes. */
    private static final int CLAIM_CANDIDATES_MAX = 256;

    private final int orderMax;
    private final byte[] states;
    private final int[] nexts;
    private final int[] previouses;
    private final int[] heads;
    private int freeOrders;
    /** Index of the largest block that is claimed, or {@link #NONE}; its free blocks are in lists of their own. */
    private int claimed = NONE;
    private final int[] claimedHeads;
    private int claimedOrders;
    private int claimedUnits;
    private int nextCandidate;

    /**
     * All units free.
     *
     * @param unitCount of the region; a multiple of the largest block.
     * @param orderMax  log2 of the largest block in units; 30 at most.
     */
    BuddyAllocator(final int unitCount, final int orderMax)
    {
        this.orderMax = orderMax;
        states = new byte[unitCount];
        nexts = new int[unitCount];
        previouses = new int[unitCount];
        heads = new int[orderMax + 1];
        claimedHeads = new int[orderMax + 1];
        Arrays.fill(heads, NONE);
        Arrays.fill(claimedHeads, NONE);
        // Backwards, so that a fresh pool hands out low addresses first.
        for (int unit = unitCount - (1 << orderMax); unit >= 0; unit -= 1 << orderMax)
        {
            link(unit, orderMax);
        }
    }

    /**
     * Takes the smallest block that is large enough, and splits it down.
     *
     * @param order log2 of the units wanted.
     * @return first unit, or {@link #NONE}.
     */
    int take(final int order)
    {
        final int candidates = freeOrders >>> order;
        if (0 == candidates)
        {
            return NONE;
        }
        final int found = order + Integer.numberOfTrailingZeros(candidates);
        final int unit = heads[found];
        unlink(unit, found);
        split(unit, found, order);
        return unit;
    }

    private void split(final int unit, final int found, final int order)
    {
        for (int half = found - 1; half >= order; half--)
        {
            link(unit + (1 << half), half);
        }
        states[unit] = (byte)(TAKEN | order);
    }

    /**
     * Gives a block back and merges it with its buddies as far as they are free.
     *
     * @param unit  first of the block.
     * @param order it was taken with.
     * @return order of the free block that it is part of now.
     */
    int giveBack(final int unit, final int order)
    {
        int merged = unit;
        int mergedOrder = order;
        states[unit] = INSIDE;
        while (mergedOrder < orderMax)
        {
            final int buddy = merged ^ (1 << mergedOrder);
            if ((FREE | mergedOrder) != states[buddy])
            {
                break;
            }
            unlink(buddy, mergedOrder);
            merged &= ~(1 << mergedOrder);
            mergedOrder++;
        }
        link(merged, mergedOrder);
        return mergedOrder;
    }

    /**
     * Claims the largest block that has the fewest units taken, of those that were not looked at for longest.
     *
     * @param failures claims before this one whose block did not become whole. The more there are, the fewer blocks it
     *                 chooses among, down to one: so each has its turn, however few units are taken of the others.
     */
    void claim(final int failures)
    {
        final int blocks = states.length >>> orderMax;
        final int candidates =
            Math.max(1, Math.min(blocks, CLAIM_CANDIDATES_MAX) >>> Math.min(failures, Integer.SIZE - 1));
        int best = nextCandidate;
        int mostFree = -1;
        for (int i = 0; i < candidates; i++)
        {
            final int block = (nextCandidate + i) % blocks;
            final int free = freeUnits(block);
            if (free > mostFree)
            {
                mostFree = free;
                best = block;
            }
        }
        nextCandidate = (best + 1) % blocks;
        relink(best, best);
    }

    /**
     * Ends the claim: its free parts can be taken by all again.
     */
    void endClaim()
    {
        relink(claimed, NONE);
    }

    /**
     * {@return free units of the block that is claimed}
     */
    int claimedUnits()
    {
        return claimedUnits;
    }

    /**
     * {@return whether {@link #takeClaimed} would find a block}
     *
     * @param order log2 of the units wanted.
     */
    boolean isClaimReady(final int order)
    {
        return 0 != claimedOrders >>> order;
    }

    /**
     * Takes a block of the claimed one, and ends the claim.
     *
     * @param order log2 of the units wanted, for which the claim is ready.
     * @return first unit.
     */
    int takeClaimed(final int order)
    {
        final int unit = claimedHeads[order + Integer.numberOfTrailingZeros(claimedOrders >>> order)];
        final int found = states[unit] & 0x1f;
        unlink(unit, found);
        split(unit, found, order);
        endClaim();
        return unit;
    }

    private int freeUnits(final int block)
    {
        final int limit = block + 1 << orderMax;
        int free = 0;
        int unit = block << orderMax;
        while (unit < limit)
        {
            final byte state = states[unit];
            final int units = 1 << (state & 0x1f);
            free += 0 != (state & FREE) ? units : 0;
            unit += units;
        }
        return free;
    }

    /** Moves the free blocks of a largest block to the lists that it belongs to from now on. */
    private void relink(final int block, final int nowClaimed)
    {
        final int limit = block + 1 << orderMax;
        int unit = block << orderMax;
        while (unit < limit)
        {
            final byte state = states[unit];
            final int order = state & 0x1f;
            if (0 != (state & FREE))
            {
                final int before = claimed;
                unlink(unit, order);
                claimed = nowClaimed;
                link(unit, order);
                claimed = before;
            }
            unit += 1 << order;
        }
        claimed = nowClaimed;
    }

    /**
     * {@return whether a block of this order is taken and begins here}
     *
     * @param unit  to look at; within the region.
     * @param order of the block.
     */
    boolean isTaken(final int unit, final int order)
    {
        return (TAKEN | order) == states[unit];
    }

    /**
     * {@return whether {@link #take} would find a block}
     *
     * @param order log2 of the units wanted.
     */
    boolean isAvailable(final int order)
    {
        return 0 != freeOrders >>> order;
    }

    /**
     * Describes the block at a unit, for messages.
     *
     * @param unit to look at; within the region.
     * @return "free", "inside another buffer", or "taken" with its size in units.
     */
    String describe(final int unit)
    {
        final byte state = states[unit];
        if (INSIDE == state)
        {
            return "not the start of a buffer";
        }
        return (0 != (state & TAKEN) ? "taken with " : "free with ") + (1 << (state & 0x1f)) + " units";
    }

    private void link(final int unit, final int order)
    {
        final boolean isClaimed = unit >>> orderMax == claimed;
        final int[] lists = isClaimed ? claimedHeads : heads;
        final int head = lists[order];
        states[unit] = (byte)(FREE | order);
        nexts[unit] = head;
        previouses[unit] = NONE;
        if (NONE != head)
        {
            previouses[head] = unit;
        }
        lists[order] = unit;
        if (isClaimed)
        {
            claimedOrders |= 1 << order;
            claimedUnits += 1 << order;
        }
        else
        {
            freeOrders |= 1 << order;
        }
    }

    private void unlink(final int unit, final int order)
    {
        final boolean isClaimed = unit >>> orderMax == claimed;
        final int[] lists = isClaimed ? claimedHeads : heads;
        final int next = nexts[unit];
        final int previous = previouses[unit];
        if (NONE != next)
        {
            previouses[next] = previous;
        }
        if (NONE != previous)
        {
            nexts[previous] = next;
        }
        else
        {
            lists[order] = next;
        }
        if (isClaimed)
        {
            claimedUnits -= 1 << order;
            claimedOrders &= NONE == lists[order] ? ~(1 << order) : -1;
        }
        else if (NONE == lists[order])
        {
            freeOrders &= ~(1 << order);
        }
        states[unit] = INSIDE;
    }
}

package io.millrace.memory;

import java.util.Arrays;

/**
 * Buddy scheme over the units of a region, by index: it knows no addresses and touches no memory of the region, so a
 * released buffer cannot damage it. Blocks are powers of two of units, aligned to their own size. Taking and giving
 * back walk at most one list head an order. Single-threaded; nothing is allocated after construction.
 */
final class BuddyAllocator
{
    static final int NONE = -1;

    private static final byte INSIDE = 0;
    private static final byte FREE = 0x20;
    private static final byte TAKEN = 0x40;

    private final int orderMax;
    private final byte[] states;
    private final int[] nexts;
    private final int[] previouses;
    private final int[] heads;
    private int freeOrders;

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
        Arrays.fill(heads, NONE);
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
        int found = order + Integer.numberOfTrailingZeros(candidates);
        final int unit = heads[found];
        unlink(unit, found);
        while (found > order)
        {
            found--;
            link(unit + (1 << found), found);
        }
        states[unit] = (byte)(TAKEN | order);
        return unit;
    }

    /**
     * Gives a block back and merges it with its buddies as far as they are free.
     *
     * @param unit  first of the block.
     * @param order it was taken with.
     */
    void giveBack(final int unit, final int order)
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
     * What begins at a unit, for messages.
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
        final int head = heads[order];
        states[unit] = (byte)(FREE | order);
        nexts[unit] = head;
        previouses[unit] = NONE;
        if (NONE != head)
        {
            previouses[head] = unit;
        }
        heads[order] = unit;
        freeOrders |= 1 << order;
    }

    private void unlink(final int unit, final int order)
    {
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
            heads[order] = next;
            if (NONE == next)
            {
                freeOrders &= ~(1 << order);
            }
        }
        states[unit] = INSIDE;
    }
}

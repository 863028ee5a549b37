package io.millrace.block.nvme.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Shares the command slots of a queue pair among its channels, so that a channel whose commands hang, or that submits
 * continuously, leaves slots to the others.
 * <ul>
 * <li>Where there are slots for the limits of all channels together, each channel may use its limit.</li>
 * <li>Else up to {@link #RESERVE_MAX} slots are kept for each, of half of all slots. Of the others a channel may have
 * fewer than are free, so that busy channels converge to equal numbers, and a single busy one to half.</li>
 * <li>Where there are more channels than slots, channels without a slot get one in the order in which they were
 * refused. One that does not retry within a whole cycle of the reactor loses its turn.</li>
 * </ul>
 * Single-threaded; nothing is allocated while channels neither come nor go.
 */
public final class SlotShares
{
    /** Most slots that are kept for a channel where there are not enough for all. */
    static final int RESERVE_MAX = 4;

    /** The second is a whole one, in which the first in the queue was polled. */
    private static final int CYCLES_OFFERED_MAX = 3;

    private final int depth;
    private final LongSupplier cycle;
    private final List<SlotShare> shares = new ArrayList<>();
    private int free;
    /** Sum of what is kept and not used. */
    private int reserved;
    private SlotShare firstWaiting;
    private SlotShare lastWaiting;
    /** Cycles in which others have asked for what the first in the queue may have. */
    private int cyclesOffered;
    private long lastCycle;

    /**
     * All slots free, and no channels.
     *
     * @param depth slots.
     * @param cycle answers the same within a cycle of the reactor and something else in the next.
     */
    public SlotShares(final int depth, final LongSupplier cycle)
    {
        this.depth = depth;
        this.cycle = cycle;
        free = depth;
    }

    /**
     * A channel comes.
     *
     * @param share of the channel, which has no slots.
     */
    public void join(final SlotShare share)
    {
        shares.add(share);
        divide();
    }

    /**
     * A channel goes.
     *
     * @param share of the channel, which has no slots any more.
     */
    public void leave(final SlotShare share)
    {
        shares.remove(share);
        if (share.isWaiting)
        {
            stopWaiting(share);
        }
        divide();
    }

    private void divide()
    {
        long limits = 0;
        for (final SlotShare share : shares)
        {
            limits += share.limit;
        }
        final int count = Math.max(1, shares.size());
        final int part = count > depth ? 0 : Math.clamp(depth / (2L * count), 1, RESERVE_MAX);
        cyclesOffered = 0;
        while (count <= depth && null != firstWaiting)
        {
            // Each has slots of its own now.
            stopWaiting(firstWaiting);
        }
        reserved = 0;
        for (final SlotShare share : shares)
        {
            share.reserve = limits <= depth ? share.limit : Math.min(share.limit, part);
            reserved += share.unusedReserve();
        }
    }

    /**
     * {@return how many slots a channel may take now; a channel without slots that gets 0 waits for its turn}
     *
     * @param share of the channel.
     */
    public int available(final SlotShare share)
    {
        final int used = share.used;
        final int own = share.reserve - used;
        final int common = free - reserved;
        // Each slot that is taken makes the number that is free smaller by one, and the number that is used larger.
        final int excess = common - Math.max(0, -own);
        final int more = excess <= 0 ? 0 : null == firstWaiting ? (excess + 1) / 2 : hasTurn(share) ? 1 : 0;
        final int available = Math.min(Math.min(free, share.limit - used), Math.max(0, own) + more);
        if (0 == available && 0 == used && 0 == share.reserve && !share.isWaiting)
        {
            beginWaiting(share);
        }
        return available;
    }

    /** Somebody asks for what the first in the queue may have. */
    private boolean hasTurn(final SlotShare share)
    {
        if (firstWaiting == share)
        {
            return true;
        }
        final long now = cycle.getAsLong();
        if (0 == cyclesOffered || now != lastCycle)
        {
            lastCycle = now;
            cyclesOffered++;
        }
        if (cyclesOffered >= CYCLES_OFFERED_MAX)
        {
            stopWaiting(firstWaiting);
        }
        return null == firstWaiting || firstWaiting == share;
    }

    private void beginWaiting(final SlotShare share)
    {
        share.isWaiting = true;
        if (null == firstWaiting)
        {
            firstWaiting = share;
            cyclesOffered = 0;
        }
        else
        {
            lastWaiting.next = share;
        }
        lastWaiting = share;
    }

    private void stopWaiting(final SlotShare share)
    {
        SlotShare before = null;
        for (SlotShare each = firstWaiting; each != share; each = each.next)
        {
            before = each;
        }
        if (null == before)
        {
            firstWaiting = share.next;
            cyclesOffered = 0;
        }
        else
        {
            before.next = share.next;
        }
        if (lastWaiting == share)
        {
            lastWaiting = before;
        }
        share.next = null;
        share.isWaiting = false;
    }

    /**
     * A channel takes a slot that is {@link #available}.
     *
     * @param share of the channel.
     */
    public void take(final SlotShare share)
    {
        if (share.used < share.reserve)
        {
            reserved--;
        }
        share.used++;
        free--;
        if (share.isWaiting)
        {
            stopWaiting(share);
        }
    }

    /**
     * A channel gives a slot back.
     *
     * @param share of the channel.
     */
    public void release(final SlotShare share)
    {
        share.used--;
        free++;
        if (share.used < share.reserve)
        {
            reserved++;
        }
    }
}

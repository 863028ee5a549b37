package io.millrace.block.raid;

import java.util.Arrays;

/**
 * How long reads of an array's members take on one reactor: an estimate of the 99th percentile of each member's recent
 * reads. A read that took longer raises it by 2 percent, any other lowers it by a 99th of that, so it follows within
 * some hundred slow reads and some thousand fast ones. The reactor's only; a read costs a comparison and a
 * multiplication.
 */
final class ReadLatencies
{
    private static final double RAISED = 1.02;
    private static final double LOWERED = 1 - 0.02 / 99;
    /** Times the least, of members that were not read yet. */
    private static final double INITIAL_FACTOR = 40;
    private static final double NS_MAX = 60_000_000_000.0;

    private final double nsMin;
    private double[] percentiles = {};
    /** Slots in the order of their percentiles when these were last looked at. */
    private int[] order = {};

    /**
     * Nothing was read.
     *
     * @param slots of the array.
     * @param nsMin least that a percentile becomes.
     */
    ReadLatencies(final int slots, final long nsMin)
    {
        this.nsMin = nsMin;
        fit(slots);
    }

    /** The array may have got slots. */
    private void fit(final int slots)
    {
        final int first = order.length;
        percentiles = Arrays.copyOf(percentiles, slots);
        order = Arrays.copyOf(order, slots);
        for (int slot = first; slot < slots; slot++)
        {
            percentiles[slot] = nsMin * INITIAL_FACTOR;
            order[slot] = slot;
        }
    }

    /**
     * A member has read.
     *
     * @param slot      of the member.
     * @param elapsedNs that it took.
     */
    void add(final int slot, final long elapsedNs)
    {
        if (slot >= percentiles.length)
        {
            fit(slot + 1);
        }
        final double percentile = percentiles[slot];
        if (elapsedNs > percentile)
        {
            percentiles[slot] = Math.min(NS_MAX, percentile * RAISED);
        }
        else if (percentile > nsMin)
        {
            percentiles[slot] = Math.max(nsMin, percentile * LOWERED);
        }
    }

    /**
     * {@return how long a read may take before it is late: the lower median of the members' percentiles, which a few
     * slow members do not change}
     */
    long lateNs()
    {
        // Nearly sorted from the last time.
        for (int i = 1; i < order.length; i++)
        {
            final int slot = order[i];
            int at = i;
            while (at > 0 && percentiles[order[at - 1]] > percentiles[slot])
            {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = slot;
        }
        return (long)percentiles[order[(order.length - 1) / 2]];
    }
}

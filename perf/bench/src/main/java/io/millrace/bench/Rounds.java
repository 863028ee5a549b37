package io.millrace.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Rounds in which sides take turns, in random order, for some milliseconds each. A ratio is the median of the ratios of
 * rounds: what disturbs the machine for longer is in all sides of a round.
 */
final class Rounds
{
    private static final double NS_PER_MS = 1e6;
    private static final long FIRST_COUNT = 64;

    private final List<LoadSide> sides;
    private final SplittableRandom random;
    private final long[] counts;
    private double[][] ns = {};
    private long[] allocated = {};

    /**
     * No rounds.
     *
     * @param sides  the first is compared with the others.
     * @param random for their order.
     */
    Rounds(final List<LoadSide> sides, final SplittableRandom random)
    {
        this.sides = sides;
        this.random = random;
        counts = new long[sides.size()];
        Arrays.fill(counts, FIRST_COUNT);
    }

    /**
     * Lets each side run until it takes as long as a turn, some times.
     *
     * @param turnMs of a turn.
     * @param turns  of each side.
     */
    void warmUp(final int turnMs, final int turns)
    {
        for (int side = 0; side < counts.length; side++)
        {
            for (int done = 0; done < turns;)
            {
                final double tookMs = sides.get(side).measure(counts[side]) * counts[side] / NS_PER_MS;
                done += tookMs >= turnMs / 2.0 ? 1 : 0;
                counts[side] = Math.clamp((long)(counts[side] * Math.min(8, turnMs / Math.max(tookMs, 0.01))), 1,
                    Integer.MAX_VALUE);
            }
        }
    }

    /**
     * Measures.
     *
     * @param rounds how many.
     */
    void run(final int rounds)
    {
        ns = new double[sides.size()][rounds];
        allocated = new long[sides.size()];
        for (int round = 0; round < rounds; round++)
        {
            final int[] order = IntStream.range(0, sides.size()).toArray();
            for (int i = order.length - 1; i > 0; i--)
            {
                final int other = random.nextInt(i + 1);
                final int swapped = order[i];
                order[i] = order[other];
                order[other] = swapped;
            }
            for (final int side : order)
            {
                // A part of a turn first, so that the caches are the side's.
                sides.get(side).run(counts[side] / 8 + 1);
                ns[side][round] = sides.get(side).measure(counts[side]);
                allocated[side] += sides.get(side).allocatedBytes();
            }
        }
    }

    private static double quantile(final double[] values, final double part)
    {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final double at = (sorted.length - 1) * part;
        final int below = (int)at;
        return below + 1 == sorted.length ? sorted[below] :
            sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
    }

    /**
     * {@return median of the nanoseconds of CPU time of an operation}
     *
     * @param side index of the side.
     */
    double ns(final int side)
    {
        return quantile(ns[side], 0.5);
    }

    /**
     * {@return bytes that an operation of a side allocated}
     *
     * @param side index of the side.
     */
    double allocatedPerOperation(final int side)
    {
        return (double)allocated[side] / (counts[side] * ns[side].length);
    }

    /**
     * {@return speed of the first side by that of another: median and quartiles}
     *
     * @param side index of the other.
     */
    String ratio(final int side)
    {
        final double[] ratios = new double[ns[side].length];
        for (int i = 0; i < ratios.length; i++)
        {
            ratios[i] = ns[side][i] / ns[0][i];
        }
        return String.format(Locale.ROOT, "**%.2f** (%.2f to %.2f)",
            quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
    }
}

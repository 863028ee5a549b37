package io.millrace.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class LatencyBucketsTest
{
    private static final long END_NS = 1_000L << 26;

    @Test
    void shouldBeginAndEndWhereTheFormatSays()
    {
        assertEquals(0, LatencyBuckets.index(Long.MIN_VALUE));
        assertEquals(0, LatencyBuckets.index(0));
        assertEquals(0, LatencyBuckets.index(124));
        assertEquals(1, LatencyBuckets.index(125));
        assertEquals(7, LatencyBuckets.index(999));
        assertEquals(8, LatencyBuckets.index(1_000));
        assertEquals(15, LatencyBuckets.index(1_999));
        assertEquals(16, LatencyBuckets.index(2_000));
        assertEquals(LatencyBuckets.COUNT - 1, LatencyBuckets.index(END_NS - 1));
        assertEquals(LatencyBuckets.COUNT - 1, LatencyBuckets.index(END_NS));
        assertEquals(LatencyBuckets.COUNT - 1, LatencyBuckets.index(Long.MAX_VALUE));
        assertEquals(END_NS, LatencyBuckets.upperBoundNs(LatencyBuckets.COUNT - 1));
        // Powers of two of a microsecond are bounds, so that buckets can be added up to them without error.
        for (int power = 0; power <= 26; power++)
        {
            assertEquals(1_000L << power, LatencyBuckets.upperBoundNs(8 * power + 7));
        }
        assertThrows(IllegalArgumentException.class, () -> LatencyBuckets.upperBoundNs(LatencyBuckets.COUNT));
        assertThrows(IllegalArgumentException.class, () -> LatencyBuckets.upperBoundNs(-1));
    }

    @Test
    void shouldLeaveNoGapBetweenBuckets()
    {
        for (int i = 0; i < LatencyBuckets.COUNT; i++)
        {
            assertEquals(i, LatencyBuckets.index(LatencyBuckets.lowerBoundNs(i)));
            assertEquals(i, LatencyBuckets.index(LatencyBuckets.upperBoundNs(i) - 1));
        }
    }

    @Property
    void shouldKeepTheErrorThatIsDocumented(@ForAll @LongRange(max = 67_108_863_999L) final long latencyNs)
    {
        final int index = LatencyBuckets.index(latencyNs);
        final long lower = LatencyBuckets.lowerBoundNs(index);
        final long upper = LatencyBuckets.upperBoundNs(index);
        assertTrue(lower <= latencyNs && latencyNs < upper);
        final long middle = (lower + upper) / 2;
        assertTrue(Math.abs(middle - latencyNs) <= Math.max(63, latencyNs / 16 + 1), () -> middle + " for " +
            latencyNs);
    }

    @Test
    void shouldGivePercentilesOfWhatWasCounted()
    {
        assertEquals(0, LatencyHistogram.EMPTY.percentileNs(99));
        assertEquals(0, LatencyHistogram.EMPTY.meanNs());
        final Random random = TestSeeds.random();
        final long[] latencies = random.longs(10_000, 500, 50_000_000).sorted().toArray();
        final LatencyHistogram histogram = histogram(latencies);
        assertEquals(latencies.length, histogram.count());
        for (final double percentile : new double[]{0, 1, 50, 90, 99, 99.9, 100})
        {
            final long exact = latencies[Math.max(0, (int)Math.ceil(latencies.length * percentile / 100) - 1)];
            final long told = histogram.percentileNs(percentile);
            assertTrue(Math.abs(told - exact) <= exact / 16 + 63, () -> percentile + ": " + told + " for " + exact);
        }
        assertEquals(latencies[latencies.length - 1], histogram.longestNs());
    }

    @Test
    void shouldAddAndSubtract()
    {
        final LatencyHistogram first = histogram(1_000, 5_000, 900_000);
        final LatencyHistogram second = histogram(2_000, 7_000);
        final LatencyHistogram both = first.plus(second);
        assertEquals(5, both.count());
        assertEquals(915_000, both.sumNs());
        final LatencyHistogram later = both.minus(first);
        assertEquals(2, later.count());
        assertEquals(9_000, later.sumNs());
        assertEquals(LatencyBuckets.upperBoundNs(LatencyBuckets.index(7_000)), later.longestNs());
        assertEquals(first, first.minus(both), "a reading that is not later begins anew");
        assertEquals(0, first.minus(first).longestNs());
    }

    static LatencyHistogram histogram(final long... latenciesNs)
    {
        final long[] counts = new long[LatencyBuckets.COUNT];
        long sumNs = 0;
        long longestNs = 0;
        for (final long each : latenciesNs)
        {
            counts[LatencyBuckets.index(each)]++;
            sumNs += each;
            longestNs = Math.max(longestNs, each);
        }
        return LatencyHistogram.of(counts, sumNs, longestNs);
    }
}

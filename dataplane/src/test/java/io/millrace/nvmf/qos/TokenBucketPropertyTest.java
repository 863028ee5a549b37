package io.millrace.nvmf.qos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/**
 * A bucket and the shares of several lines, on a clock of the test.
 */
public class TokenBucketPropertyTest
{
    private static final long NS_PER_S = 1_000_000_000L;
    private static final int USES = 400;

    @Provide
    Arbitrary<Long> rates()
    {
        return Arbitraries.oneOf(
            Arbitraries.longs().between(1, 100),
            Arbitraries.longs().between(100, 1_000_000),
            Arbitraries.longs().between(1_000_000, QosLimits.BYTES_PER_SECOND_MAX),
            Arbitraries.of(1L, 999_999_999L, 1_000_000_000L, 1_000_000_001L, QosLimits.BYTES_PER_SECOND_MAX));
    }

    /** A line that always has somebody waiting, or comes and goes. */
    private static final class Line
    {
        private final TokenShare share;
        private final Random random;
        private final int countMax;
        private long askNs;
        private long count;
        private long used;

        Line(final TokenShare share, final Random random, final int countMax)
        {
            this.share = share;
            this.random = random;
            this.countMax = countMax;
            next();
        }

        private void next()
        {
            count = 1 == countMax ? 1 : random.nextInt(countMax + 1);
        }
    }

    /** What was used, and when. */
    private record Use(long nowNs, long count)
    {
    }

    /** Runs lines until so much was used, each asking as late as it may be; answers the uses in order of time. */
    private static List<Use> run(
        final List<Line> lines,
        final long startNs,
        final long latenessNs,
        final long idleNs,
        final boolean isCrowded)
    {
        final Random random = TestSeeds.fixed(latenessNs + idleNs);
        final List<Use> uses = new ArrayList<>();
        lines.forEach((line) -> line.askNs = startNs);
        while (uses.size() < USES)
        {
            Line line = lines.getFirst();
            for (final Line each : lines)
            {
                line = each.askNs - line.askNs < 0 ? each : line;
            }
            final long nowNs = line.askNs;
            final long waitNs = line.share.waitNs(line.count, !isCrowded && random.nextBoolean(), nowNs);
            if (0 == waitNs)
            {
                line.share.use(line.count);
                line.used += line.count;
                uses.add(new Use(nowNs, line.count));
                line.next();
                line.askNs += idleNs > 0 && random.nextInt(10) < 2 ? random.nextLong(idleNs) : 0;
            }
            else
            {
                line.askNs += waitNs + (latenessNs > 0 ? random.nextLong(latenessNs) : 0);
            }
        }
        return uses;
    }

    private static List<Line> lines(final TokenBucket bucket, final int count, final int countMax, final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final List<Line> lines = new ArrayList<>();
        for (int i = 0; i < count; i++)
        {
            lines.add(new Line(new TokenShare(bucket), TestSeeds.fixed(random.nextLong()), countMax));
        }
        return lines;
    }

    private static double tokens(final long rate, final long ns)
    {
        return (double)rate * ns / NS_PER_S;
    }

    @Property(tries = 400)
    void shouldNeverGiveMoreThanTheLimitAndABurst(
        @ForAll("rates") final long rate,
        @ForAll @IntRange(min = 2, max = 1000) final int burstMs,
        @ForAll @IntRange(min = 1, max = 8) final int shares,
        @ForAll final boolean isBytes,
        @ForAll final boolean isLate,
        @ForAll final boolean isIdle,
        @ForAll final long startNs,
        @ForAll final long seed)
    {
        final TokenBucket bucket = new TokenBucket(rate, burstMs * 1_000_000L, shares, startNs);
        final int countMax = isBytes ? 1 << 20 : 1;
        final List<Use> uses = run(lines(bucket, shares, countMax, seed), startNs, isLate ? 3_000_000 : 0,
            isIdle ? 20_000_000 : 0, false);
        final double largest = Math.max(countMax, bucket.quantum());
        final double burst = bucket.capacity() + (shares + 1) * largest;
        assertTrue(bucket.capacity() + shares * bucket.quantum() <= Math.max(1 + shares * bucket.quantum(),
            tokens(rate, burstMs * 1_000_000L)));
        for (int from = 0; from < uses.size(); from++)
        {
            double sum = 0;
            for (int to = from; to < uses.size(); to++)
            {
                sum += uses.get(to).count();
                final long elapsedNs = uses.get(to).nowNs() - uses.get(from).nowNs();
                assertTrue(sum <= tokens(rate, elapsedNs) + burst + 1,
                    sum + " in " + elapsedNs + " ns, " + tokens(rate, elapsedNs) + " and " + burst + " are allowed");
            }
        }
    }

    @Property(tries = 400)
    void shouldLoseNothingWhileSomebodyWaits(
        @ForAll("rates") final long rate,
        @ForAll @IntRange(min = 2, max = 1000) final int burstMs,
        @ForAll @IntRange(min = 1, max = 8) final int shares,
        @ForAll final boolean isBytes,
        @ForAll final long seed)
    {
        final TokenBucket bucket = new TokenBucket(rate, burstMs * 1_000_000L, shares, 77);
        final int countMax = isBytes ? 1 << 20 : 1;
        final List<Use> uses = run(lines(bucket, shares, countMax, seed), 77, 0, 0, false);
        final double largest = Math.max(countMax, bucket.quantum());
        final double used = uses.stream().mapToDouble(Use::count).sum();
        final double come = tokens(rate, uses.getLast().nowNs() - 77);
        assertTrue(used >= come - (shares + 1) * largest, used + " of " + come + " that came");
    }

    @Property(tries = 200)
    void shouldServeLinesAlike(
        @ForAll("rates") final long rate,
        @ForAll @IntRange(min = 2, max = 8) final int shares,
        @ForAll final boolean isLate,
        @ForAll final long seed)
    {
        final TokenBucket bucket = new TokenBucket(rate, 100_000_000L, shares, 0);
        final List<Line> lines = lines(bucket, shares, 1, seed);
        // Late by a part of the time that a round of all lines takes, else who asks first would have the line to
        // itself.
        final long roundNs = (long)(shares * Math.max(1, bucket.quantum()) * (double)NS_PER_S / rate);
        run(lines, 0, isLate ? Math.max(1, roundNs / 10) : 0, 0, true);
        final long most = lines.stream().mapToLong((line) -> line.used).max().orElseThrow();
        final long least = lines.stream().mapToLong((line) -> line.used).min().orElseThrow();
        assertTrue(most - least <= 2 * Math.max(1, bucket.quantum()), least + " to " + most);
    }

    @Property(tries = 1000)
    void shouldKnowWhenTokensCome(
        @ForAll("rates") final long rate,
        @ForAll @LongRange(min = 0, max = 100L * 365 * 86_400 * NS_PER_S) final long elapsedNs,
        @ForAll @LongRange(min = 0, max = 1 << 24) final long ahead)
    {
        final TokenBucket bucket = new TokenBucket(rate, 10_000_000L, 4, -5);
        final long nowNs = elapsedNs - 5;
        final long start = bucket.tokensAt(nowNs) + ahead;
        final long untilNs = bucket.untilNs(start, nowNs);
        assertTrue(bucket.tokensAt(nowNs + untilNs + 1 + (untilNs >>> 50)) - start > 0,
            () -> "not there after " + untilNs);
        // What comes within a nanosecond is not told apart, and doubles are exact to 53 bits.
        final long soonerNs = untilNs - 2 - (untilNs >>> 50);
        assertTrue(soonerNs <= 0 || bucket.tokensAt(nowNs + soonerNs) - start <= Math.max(1, rate / NS_PER_S),
            () -> "was there before " + untilNs);
    }

    @Property(tries = 20)
    void shouldGiveNoTokenTwiceToThreads(@ForAll @IntRange(min = 2, max = 6) final int threads)
        throws InterruptedException
    {
        final TokenBucket bucket = new TokenBucket(1_000_000_000L, 1_000_000_000L, threads, 0);
        final long[] taken = new long[threads];
        final List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++)
        {
            final int index = i;
            running.add(Thread.ofPlatform().start(() ->
            {
                final long now = bucket.tokensAt(NS_PER_S);
                for (int round = 1; round <= 10_000; round++)
                {
                    if (bucket.tryClaim(now, round % 7 + 1))
                    {
                        taken[index] += round % 7 + 1;
                    }
                    bucket.claim(now, 1);
                    taken[index]++;
                }
            }));
        }
        for (final Thread thread : running)
        {
            thread.join();
        }
        long sum = 0;
        for (final long each : taken)
        {
            sum += each;
        }
        final long first = bucket.tokensAt(NS_PER_S) - bucket.capacity();
        assertEquals(first + sum, bucket.claim(bucket.tokensAt(NS_PER_S), 1));
    }
}

package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** When a read is late, of reads whose distribution is known. */
class ReadLatenciesTest
{
    private static final long MIN_NS = 100_000;
    private static final int READS = 200_000;

    private final Random random = TestSeeds.random();

    @Test
    void shouldBeLateAfterNearlyAllRecentReads()
    {
        final ReadLatencies latencies = new ReadLatencies(1, MIN_NS);
        int late = 0;
        for (int i = 0; i < READS; i++)
        {
            final long elapsedNs = 1_000_000 + random.nextInt(9_000_000);
            late += i >= READS / 2 && elapsedNs > latencies.lateNs() ? 1 : 0;
            latencies.add(0, elapsedNs);
        }
        final double share = late / (READS / 2.0);
        assertTrue(share > 0.005 && share < 0.02, () -> share + " of reads are late");
    }

    @Test
    void shouldFollowMembersThatBecomeSlower()
    {
        final ReadLatencies latencies = new ReadLatencies(3, MIN_NS);
        for (int i = 0; i < 300; i++)
        {
            for (int slot = 0; slot < 3; slot++)
            {
                latencies.add(slot, 50_000_000);
            }
        }
        assertTrue(latencies.lateNs() >= 50_000_000, () -> "late after " + latencies.lateNs());
    }

    /** It is measured by the others, for as long as it is slow. */
    @Test
    void shouldNotFollowAMemberThatIsSlow()
    {
        for (final int members : new int[] {2, 3, 4, 7})
        {
            final ReadLatencies latencies = new ReadLatencies(members, MIN_NS);
            for (int i = 0; i < READS / 10; i++)
            {
                for (int slot = 0; slot < members; slot++)
                {
                    latencies.add(slot, 0 == slot ? 1_000_000_000 : 200_000);
                }
            }
            assertTrue(latencies.lateNs() < 250_000, () -> members + " members: late after " + latencies.lateNs());
        }
    }

    @Test
    void shouldNotBecomeLateBeforeTheLeast()
    {
        final ReadLatencies latencies = new ReadLatencies(2, MIN_NS);
        for (int i = 0; i < READS; i++)
        {
            latencies.add(i & 1, 1);
        }
        assertEquals(MIN_NS, latencies.lateNs());
    }
}

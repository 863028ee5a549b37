package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class TransferProgressPropertyTest
{
    private static final long TIMEOUT_NS = 1_000_000;

    /** Such as while a host cannot send, since its data has no buffer. */
    @Test
    void shouldGiveAllOfTheTimeAgainAfterARestart()
    {
        final TransferProgress transfer = new TransferProgress(TIMEOUT_NS);
        transfer.begin(0);
        assertFalse(transfer.isOverdue(5, TIMEOUT_NS - 1));
        transfer.restart(5 * TIMEOUT_NS);
        assertFalse(transfer.isOverdue(5, 6 * TIMEOUT_NS - 1));
        assertTrue(transfer.isOverdue(5, 6 * TIMEOUT_NS));
    }

    /** Data comes at any moments, and then no more: the end is found within the time and an eighth. */
    @Property(tries = 500)
    void shouldFindWhatStandsStillWithinItsTimeAndAnEighth(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final TransferProgress transfer = new TransferProgress(TIMEOUT_NS);
        final long startNs = random.nextLong();
        long nowNs = startNs;
        long progressNs = startNs;
        long bytes = random.nextInt(1000);
        int left = random.nextInt(30);
        long nextProgressNs = startNs + random.nextLong(TIMEOUT_NS);
        transfer.begin(nowNs);
        while (true)
        {
            nowNs = transfer.nextCheckNs(nowNs);
            assertTrue(nowNs - startNs < 100 * TIMEOUT_NS, "never ends");
            while (left > 0 && nextProgressNs - nowNs <= 0)
            {
                left--;
                bytes++;
                progressNs = nextProgressNs;
                nextProgressNs += 1 + random.nextLong(TIMEOUT_NS - 1);
            }
            if (transfer.isOverdue(bytes, nowNs))
            {
                break;
            }
        }
        assertTrue(0 == left, "ended while data came");
        assertTrue(nowNs - progressNs >= TIMEOUT_NS, "ended after " + (nowNs - progressNs));
        assertTrue(nowNs - progressNs <= TIMEOUT_NS + TIMEOUT_NS / TransferProgress.CHECKS,
            "ended after " + (nowNs - progressNs));
    }
}

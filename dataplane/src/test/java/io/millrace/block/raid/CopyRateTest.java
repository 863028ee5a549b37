package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CopyRateTest
{
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MIB = 1 << 20;

    private static final CopyRates RATES = new CopyRates(16 * MIB, 1024 * MIB);

    private final CopyRate rate = new CopyRate(4);

    @Test
    void shouldCopyAtTheHighestRateWhileNoHostIsThere()
    {
        assertEquals(SECOND_NS / 1024, rate.batchNs(MIB, RATES, 0, 5));
        assertEquals(SECOND_NS / 1024, rate.batchNs(MIB, RATES, 0, SECOND_NS));
        assertEquals(1024 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldTakeItsShareOfEachMemberBesideHosts()
    {
        rate.batchNs(MIB, RATES, 7 * MIB, 0);
        rate.batchNs(MIB, RATES, 1607 * MIB, SECOND_NS / 2);
        // 3200 MiB/s of hosts, a quarter of that, divided among four members.
        assertEquals(200 * MIB, rate.bytesPerS(RATES));
        assertEquals(SECOND_NS / 200, rate.batchNs(MIB, RATES, 1607 * MIB, SECOND_NS / 2 + 1));
    }

    @Test
    void shouldKeepTheLeastRate()
    {
        rate.batchNs(MIB, RATES, 0, 0);
        rate.batchNs(MIB, RATES, 1, SECOND_NS);
        assertEquals(16 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldKeepTheHighestRateBesideFastHosts()
    {
        rate.batchNs(MIB, RATES, 0, 0);
        rate.batchNs(MIB, RATES, 1L << 50, SECOND_NS);
        assertEquals(1024 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldMeasureOverATenthOfASecondAtLeast()
    {
        rate.batchNs(MIB, RATES, 0, 0);
        rate.batchNs(MIB, RATES, 1, SECOND_NS / 10 - 1);
        assertEquals(1024 * MIB, rate.bytesPerS(RATES));
        rate.batchNs(MIB, RATES, 1, SECOND_NS / 10);
        assertEquals(16 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldSpeedUpWhenHostsStop()
    {
        rate.batchNs(MIB, RATES, 0, 0);
        rate.batchNs(MIB, RATES, MIB, SECOND_NS);
        rate.batchNs(MIB, RATES, MIB, 2 * SECOND_NS);
        assertEquals(1024 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldSayWhetherHostsAreThere()
    {
        assertFalse(rate.isBesideHosts());
        rate.batchNs(MIB, RATES, 0, 0);
        assertFalse(rate.isBesideHosts());
        rate.batchNs(MIB, RATES, MIB, SECOND_NS);
        assertTrue(rate.isBesideHosts());
        rate.batchNs(MIB, RATES, MIB, 2 * SECOND_NS);
        assertFalse(rate.isBesideHosts());
    }
}

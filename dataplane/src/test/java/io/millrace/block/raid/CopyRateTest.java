package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
        assertEquals(SECOND_NS / 1024, rate.pauseNs(MIB, RATES, 0, 5));
        assertEquals(SECOND_NS / 1024, rate.pauseNs(MIB, RATES, 0, SECOND_NS));
        assertEquals(1024 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldTakeItsShareOfEachMemberBesideHosts()
    {
        rate.pauseNs(MIB, RATES, 7 * MIB, 0);
        rate.pauseNs(MIB, RATES, 1607 * MIB, SECOND_NS / 2);
        // 3200 MiB/s of hosts, a quarter of that, divided among four members.
        assertEquals(200 * MIB, rate.bytesPerS(RATES));
        assertEquals(SECOND_NS / 200, rate.pauseNs(MIB, RATES, 1607 * MIB, SECOND_NS / 2 + 1));
    }

    @Test
    void shouldKeepTheLeastRate()
    {
        rate.pauseNs(MIB, RATES, 0, 0);
        rate.pauseNs(MIB, RATES, 1, SECOND_NS);
        assertEquals(16 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldKeepTheHighestRateBesideFastHosts()
    {
        rate.pauseNs(MIB, RATES, 0, 0);
        rate.pauseNs(MIB, RATES, 1L << 50, SECOND_NS);
        assertEquals(1024 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldMeasureOverATenthOfASecondAtLeast()
    {
        rate.pauseNs(MIB, RATES, 0, 0);
        rate.pauseNs(MIB, RATES, 1, SECOND_NS / 10 - 1);
        assertEquals(1024 * MIB, rate.bytesPerS(RATES));
        rate.pauseNs(MIB, RATES, 1, SECOND_NS / 10);
        assertEquals(16 * MIB, rate.bytesPerS(RATES));
    }

    @Test
    void shouldSpeedUpWhenHostsStop()
    {
        rate.pauseNs(MIB, RATES, 0, 0);
        rate.pauseNs(MIB, RATES, MIB, SECOND_NS);
        rate.pauseNs(MIB, RATES, MIB, 2 * SECOND_NS);
        assertEquals(1024 * MIB, rate.bytesPerS(RATES));
    }
}

package io.millrace.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LineLimitTest
{
    private final LineLimit limit = new LineLimit(0);

    private int taken(final int asked, final long nowMs)
    {
        int taken = 0;
        for (int i = 0; i < asked; i++)
        {
            taken += limit.take(nowMs) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void shouldLetABurstThroughThenOneLineInEachInterval()
    {
        assertEquals(LineLimit.BURST, taken(LineLimit.BURST + 50, 0));
        assertEquals(50, limit.suppressed());
        assertEquals(0, taken(1, LineLimit.REFILL_MS - 1));
        assertEquals(1, taken(2, LineLimit.REFILL_MS));
        assertEquals(3, taken(9, 4 * LineLimit.REFILL_MS));
        assertEquals(LineLimit.BURST, taken(2 * LineLimit.BURST, 1000 * LineLimit.BURST * LineLimit.REFILL_MS));
    }

    @Test
    void shouldForgetWhatItSuppressedWhenThatIsReported()
    {
        taken(LineLimit.BURST + 1, 0);
        assertFalse(limit.takeForReport(0));
        assertEquals(1, limit.suppressed());
        assertTrue(limit.takeForReport(LineLimit.REFILL_MS));
        assertEquals(0, limit.suppressed());
    }

    @Test
    void shouldGoOnWhenTheClockIsSetBack()
    {
        taken(LineLimit.BURST, 1_000_000);
        assertEquals(0, taken(1, 500));
        assertEquals(1, taken(2, 500 + LineLimit.REFILL_MS));
    }
}

package io.millrace.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StartTimeTest
{
    @Test
    void shouldCountFromTheKernelsStartTimeWhenNameHoldsBlanks()
    {
        final String stat = "4711 (java (x) y) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 12345 20 21";
        assertEquals(1.55, StartTime.elapsedSeconds(stat, "125.00 3.00\n"), 0.001);
    }

    @Test
    void shouldTellAPlausibleTimeOfThisProcess()
    {
        final double seconds = StartTime.elapsedSeconds();
        assertTrue(seconds > 0 && seconds < 24 * 3600, () -> seconds + " s");
    }
}

package io.millrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AllocationWindowsTest
{
    private static final long MINUTE_NS = 60_000_000_000L;

    private long nowNs = -5;
    private final AllocationWindows windows = new AllocationWindows(3, 10, () -> nowNs);

    private void end(final long... bytes)
    {
        for (final long each : bytes)
        {
            assertFalse(windows.isOver());
            windows.end(each);
        }
    }

    @Test
    void shouldEndWithCleanWindowsInARow()
    {
        end(0, 0, 16, 0, 0, -1, 0, 0, 0);
        assertTrue(windows.isOver());
        assertEquals(0, windows.bytes());
        windows.assertClean("work");
        // The next one has begun before this was known.
        windows.end(16);
        windows.assertClean("work");
    }

    @Test
    void shouldGiveUpAfterManyWindowsAndAMinute()
    {
        end(16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16);
        nowNs += MINUTE_NS - 1;
        end(0, 16);
        nowNs++;
        end(32);
        assertTrue(windows.isOver());
        assertEquals("windows without allocation: 32 bytes in the last one of 7 requests, after 14 ==> " +
            "expected: <3> but was: <0>",
            assertThrows(AssertionError.class, () -> windows.assertClean("7 requests")).getMessage());
    }

    @Test
    void shouldNotGiveUpAfterAMinuteOfFewWindows()
    {
        nowNs += 2 * MINUTE_NS;
        end(16, 16, 16, 16, 16, 16, 16, 0, 0, 0);
        assertTrue(windows.isOver());
        windows.assertClean("work");
    }

    @Test
    void shouldFailBeforeItIsOver()
    {
        end(0, 0);
        assertThrows(AssertionError.class, () -> windows.assertClean("work"));
    }
}

package io.millrace.jfr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;

class LatencySettingTest
{
    private final LatencySetting setting = new LatencySetting();

    @Test
    void shouldTakeTimesAsTheRecorderWritesThem()
    {
        assertEquals(10_000_000, setting.ns());
        setting.setValue("250 us");
        assertEquals(250_000, setting.ns());
        setting.setValue("3s");
        assertEquals(3_000_000_000L, setting.ns());
        assertEquals("3s", setting.getValue());
    }

    @Test
    void shouldTakeTheShortestOfSeveralRecordings()
    {
        assertEquals("900 us", setting.combine(Set.of("1 ms", "900 us", "1 s")));
    }

    @Test
    void shouldStayWhatItWasWhenItIsNoTime()
    {
        setting.setValue("5 ms");
        for (final String nonsense : new String[]{"", "soon", "-1 ms", "5", "99999999999 s", "5 msec"})
        {
            setting.setValue(nonsense);
            assertEquals(5_000_000, setting.ns(), nonsense);
            assertEquals("10 ms", setting.combine(Set.of(nonsense)), nonsense);
        }
    }
}

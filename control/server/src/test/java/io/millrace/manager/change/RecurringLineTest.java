package io.millrace.manager.change;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RecurringLineTest
{
    @Test
    void shouldSayOnceAMinuteWhatGoesWrongWithEachRequest()
    {
        final List<String> lines = new ArrayList<>();
        final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5);
        final RecurringLine line = new RecurringLine(lines::add, nowNs::get);
        for (int i = 0; i < 1000; i++)
        {
            line.accept("no space");
        }
        assertEquals(List.of("no space"), lines);
        nowNs.addAndGet(60_000_000_000L);
        line.accept("no space");
        line.accept("no space");
        assertEquals(List.of("no space", "no space (999 more since this was logged last)"), lines);
    }
}

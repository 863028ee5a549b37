package io.millrace.manager.plane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When it is time to compare, by a clock that the test sets. */
class CompareScheduleTest
{
    private long nowNs = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1);
    private final CompareSchedule schedule = new CompareSchedule(() -> nowNs);

    @BeforeEach
    void compared()
    {
        schedule.onEqual(nowNs);
    }

    private boolean isDue()
    {
        return schedule.isDue(nowNs);
    }

    private void passMs(final long ms)
    {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Time until it is due, to the millisecond. */
    private long delayMs()
    {
        long ms = 0;
        while (!isDue())
        {
            passMs(1);
            ms++;
        }
        return ms;
    }

    @Test
    void shouldBeDueEveryTenSecondsWhileAllIsWell()
    {
        assertEquals(10_000, delayMs());
        assertTrue(isDue(), "until it begins");
        schedule.begin();
        schedule.onEqual(nowNs);
        assertEquals(10_000, delayMs());
    }

    @Test
    void shouldBeDueLaterAndLaterWhileSomethingIsRefused()
    {
        for (final long seconds : List.of(1, 2, 4, 8, 16, 32, 60, 60))
        {
            schedule.begin();
            schedule.onRefused(nowNs);
            assertEquals(1000 * seconds, delayMs());
        }
        schedule.forgetRefusals();
        schedule.begin();
        schedule.onRefused(nowNs);
        assertEquals(1000, delayMs());
    }

    @Test
    void shouldBeDueAgainWhenItWasWantedMeanwhile()
    {
        schedule.request();
        assertEquals(0, delayMs());
        schedule.begin();
        schedule.request();
        schedule.onEqual(nowNs);
        assertEquals(0, delayMs());
        schedule.begin();
        assertFalse(isDue());
    }

    @Test
    void shouldBeDueSoonAfterEventsThatAreNotItsOwn()
    {
        schedule.onOwnChange();
        passMs(499);
        schedule.onEvent();
        passMs(100);
        assertFalse(isDue());
        schedule.onEvent();
        passMs(60);
        schedule.onEvent();
        assertEquals(40, delayMs());
    }

    @Test
    void shouldTryAgainASecondLaterWhenWhatWasFoundCannotBeKept()
    {
        schedule.begin();
        schedule.onAdopted(false);
        assertEquals(1000, delayMs());
        schedule.begin();
        schedule.onAdopted(true);
        assertEquals(0, delayMs());
    }

    @Test
    void shouldTellWhenTheNextHasEnded()
    {
        final CompletableFuture<Void> next = schedule.next();
        schedule.begin();
        assertFalse(next.isDone());
        schedule.end();
        assertTrue(next.isDone());
        assertFalse(schedule.next().isDone());
    }
}

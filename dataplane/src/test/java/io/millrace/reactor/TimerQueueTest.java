package io.millrace.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TimerQueueTest
{
    private final TimerQueue timers = new TimerQueue();
    private final List<String> told = new ArrayList<>();

    @Test
    void shouldExpireEarliestFirstAndEqualOnesInOrderOfScheduling()
    {
        timers.schedule(30, (now) -> told.add("c"));
        timers.schedule(10, (now) -> told.add("a1"));
        timers.schedule(20, (now) -> told.add("b"));
        timers.schedule(10, (now) -> told.add("a2"));
        assertEquals(10, timers.nextDeadlineNs());
        assertEquals(3, timers.expire(20, 64));
        assertEquals(List.of("a1", "a2", "b"), told);
        assertEquals(30, timers.nextDeadlineNs());
    }

    @Test
    void shouldExpireAcrossTheWrapOfTheClock()
    {
        timers.schedule(Long.MIN_VALUE + 5, (now) -> told.add("after"));
        timers.schedule(Long.MAX_VALUE - 5, (now) -> told.add("before"));
        assertEquals(1, timers.expire(Long.MAX_VALUE, 64));
        assertEquals(1, timers.expire(Long.MIN_VALUE + 5, 64));
        assertEquals(List.of("before", "after"), told);
    }

    @Test
    void shouldStopAtTheLimit()
    {
        for (int i = 0; i < 5; i++)
        {
            timers.schedule(i, (now) -> told.add("x"));
        }
        assertEquals(2, timers.expire(100, 2));
        assertEquals(3, timers.size());
    }

    @Test
    void shouldKnowAnOldIdFromANewOne()
    {
        final long first = timers.schedule(1, (now) -> told.add("first"));
        assertTrue(timers.cancel(first));
        assertFalse(timers.cancel(first));
        final long second = timers.schedule(1, (now) -> told.add("second"));
        assertFalse(timers.cancel(first), "cancelled another's timer");
        timers.expire(1, 64);
        assertFalse(timers.cancel(second));
        assertEquals(List.of("second"), told);
    }

    @Test
    void shouldScheduleAndCancelFromWithinAListener()
    {
        final long[] other = new long[1];
        timers.schedule(1, (now) ->
        {
            told.add("one");
            assertTrue(timers.cancel(other[0]));
            timers.schedule(2, (later) -> told.add("three"));
        });
        other[0] = timers.schedule(1, (now) -> told.add("two"));
        timers.expire(5, 64);
        assertEquals(List.of("one", "three"), told);
        assertTrue(timers.isEmpty());
    }

    @Property(tries = 300)
    void shouldDoAsASortedListDoes(
        @ForAll @Size(max = 400) final List<@IntRange(min = 0, max = 1 << 16) Integer> history)
    {
        final TimerQueue queue = new TimerQueue();
        final List<Entry> model = new ArrayList<>();
        final List<Integer> fired = new ArrayList<>();
        int number = 0;
        long nowNs = 0;
        for (final int step : history)
        {
            final int argument = step >>> 2;
            if (0 == (step & 3) && !model.isEmpty())
            {
                assertTrue(queue.cancel(model.remove(argument % model.size()).id));
            }
            else if (1 == (step & 3))
            {
                nowNs += argument >>> 4;
                fired.clear();
                queue.expire(nowNs, Integer.MAX_VALUE);
                final long limitNs = nowNs;
                final List<Integer> expected = model.stream()
                    .filter((e) -> e.deadlineNs <= limitNs)
                    .sorted(Comparator.comparingLong(Entry::deadlineNs).thenComparingInt(Entry::number))
                    .map(Entry::number).toList();
                assertEquals(expected, fired);
                model.removeIf((e) -> e.deadlineNs <= limitNs);
            }
            else
            {
                final int mine = number++;
                final long deadlineNs = nowNs + (argument & 0x3ff);
                model.add(new Entry(queue.schedule(deadlineNs, (now) -> fired.add(mine)), deadlineNs, mine));
            }
            assertEquals(model.size(), queue.size());
            if (!model.isEmpty())
            {
                assertEquals(model.stream().mapToLong(Entry::deadlineNs).min().getAsLong(), queue.nextDeadlineNs());
            }
        }
    }

    private record Entry(long id, long deadlineNs, int number)
    {
    }
}

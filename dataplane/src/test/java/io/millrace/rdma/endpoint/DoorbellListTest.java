package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whoever is in the list has its requests posted, once, and may collect others while they leave. */
class DoorbellListTest
{
    private final DoorbellList list = new DoorbellList();
    private final List<String> rung = new ArrayList<>();
    private final DoorbellList.Entry first = entry("first");
    private final DoorbellList.Entry second = entry("second");

    private DoorbellList.Entry entry(final String name)
    {
        return list.entry(() -> rung.add(name));
    }

    @Test
    void shouldRingOnceInTheOrderOfTheFirstRequests()
    {
        assertTrue(list.isEmpty());
        assertEquals(0, list.ring());
        for (int round = 0; round < 3; round++)
        {
            second.ringWhenPolled();
            first.ringWhenPolled();
            second.ringWhenPolled();
            first.ringWhenPolled();
            assertFalse(list.isEmpty());
            assertEquals(2, list.ring());
            assertEquals(List.of("second", "first"), rung, "round " + round);
            assertTrue(list.isEmpty());
            assertEquals(0, list.ring());
            rung.clear();
        }
        first.ringWhenPolled();
        assertEquals(1, list.ring());
        assertEquals(List.of("first"), rung, "without those that once followed it");
    }

    /** As a shared receive queue whose buffers come back since the provider refused them, and are posted again. */
    @Test
    void shouldRingAgainWhoCollectsWhileItsRequestsLeave()
    {
        final List<DoorbellList.Entry> self = new ArrayList<>();
        self.add(list.entry(() ->
        {
            rung.add("self");
            if (1 == rung.size())
            {
                self.getFirst().ringWhenPolled();
            }
        }));
        self.getFirst().ringWhenPolled();
        first.ringWhenPolled();
        assertEquals(3, list.ring());
        assertEquals(List.of("self", "first", "self"), rung, "at the end of the list");
        assertTrue(list.isEmpty());
    }

    @Test
    void shouldRingWhoIsListedByAnother()
    {
        list.entry(() ->
        {
            first.ringWhenPolled();
            second.ringWhenPolled();
        }).ringWhenPolled();
        second.ringWhenPolled();
        assertEquals(3, list.ring());
        assertEquals(List.of("second", "first"), rung);
    }
}

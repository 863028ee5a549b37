package io.millrace.cli.control.top;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class TopOutageTest
{
    @Test
    void shouldSaySinceWhenAndWhy()
    {
        final TopOutage down = new TopOutage("dp0", 12_300_000_000L, "data plane dp0 is not connected");
        assertEquals("dp0 is down, last answer 12.3s ago: data plane dp0 is not connected", down.line());
        assertEquals("{data-plane=dp0, state=down, last-answer-ns=12300000000, reason=data plane dp0 is not connected}",
            down.map().toString());
        final TopOutage silent = new TopOutage("dp0", 3_000_000_000L, "");
        assertEquals("dp0 does not answer, last answer 3.0s ago", silent.line());
        assertEquals("silent", silent.map().get("state"));
    }

    /** Key d. */
    @Test
    void shouldShowEachDataPlaneAndThenAllAgain()
    {
        assertEquals(0, TopScreen.next(-1, 2));
        assertEquals(1, TopScreen.next(0, 2));
        assertEquals(-1, TopScreen.next(1, 2));
        assertEquals(-1, TopScreen.next(-1, 1), "there is nothing to choose");
    }
}

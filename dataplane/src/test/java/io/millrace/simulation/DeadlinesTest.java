package io.millrace.simulation;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class DeadlinesTest
{
    private static final long BOUND_NS = 1_000_000;

    private final Deadlines deadlines = new Deadlines();

    @Test
    void shouldNameWhatIsOverdue()
    {
        deadlines.begin("a request", 0, BOUND_NS);

        deadlines.check(BOUND_NS);

        assertEquals("a request has not ended for 1001 us, for 1001 us without a cause, and may take 1000 us; " +
            "last cause: nothing",
            assertThrows(AssertionError.class, () -> deadlines.check(BOUND_NS + 1_000)).getMessage());
    }

    @Test
    void shouldForgetWhatHasEnded()
    {
        final Deadlines.Wait wait = deadlines.begin("a request", 0, BOUND_NS);

        deadlines.end(wait);

        assertDoesNotThrow(() -> deadlines.check(Long.MAX_VALUE));
    }

    @Test
    void shouldCountTheTimeFromTheEndOfTheLastCauseAndWhatFollowsFromIt()
    {
        final AtomicBoolean isCut = new AtomicBoolean(true);
        deadlines.begin("a request", 0, BOUND_NS);
        deadlines.cause("a cut connection", isCut::get, 500);
        deadlines.cause("a pause", 5 * BOUND_NS, 0);

        deadlines.check(6 * BOUND_NS);
        deadlines.check(20 * BOUND_NS);
        isCut.set(false);
        deadlines.check(20 * BOUND_NS);
        deadlines.check(21 * BOUND_NS + 500);

        assertTrue(assertThrows(AssertionError.class, () -> deadlines.check(21 * BOUND_NS + 501)).getMessage()
            .endsWith("last cause: a cut connection"));
    }

    @Test
    void shouldKnowCausesUntilTheyEnd()
    {
        assertFalse(deadlines.hadCause(0));

        deadlines.cause("a pause", BOUND_NS, BOUND_NS);

        assertTrue(deadlines.hadCause(BOUND_NS - 1));
        assertFalse(deadlines.hadCause(BOUND_NS));
    }

    @Test
    void shouldExcuseAPromiseForNothing()
    {
        final AtomicBoolean isKept = new AtomicBoolean();
        deadlines.promise("a pause", 0, BOUND_NS, isKept::get);
        deadlines.cause("a stall", 10 * BOUND_NS, 0);

        deadlines.check(BOUND_NS);
        assertEquals("a pause has not ended within 1 ms",
            assertThrows(AssertionError.class, () -> deadlines.check(BOUND_NS + 1)).getMessage());

        isKept.set(true);
        deadlines.check(BOUND_NS + 1);
        isKept.set(false);
        assertDoesNotThrow(() -> deadlines.check(2 * BOUND_NS));
    }
}

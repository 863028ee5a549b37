package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Who waits for the last stripe request behind closed gates is notified by those that leave, and by no other. */
class WriteGatesTest
{
    private int notified;
    private final WriteGates gates = new WriteGates(() -> notified++);
    private final WriteGate gate = gates.add();

    @Test
    void shouldNotifyWhenAStripeRequestLeavesClosedGates()
    {
        assertTrue(gate.enter());
        gate.leave();
        assertEquals(0, notified, "nobody waits");
        assertTrue(gate.enter());
        gates.close();
        gate.leave();
        assertEquals(1, notified);
    }

    /** It tries again and again, and would wake the one that it waits for each time. */
    @Test
    void shouldNotNotifyWhenAStripeRequestIsRefused()
    {
        gates.close();
        assertFalse(gate.enter());
        assertEquals(0, notified);
        gates.open();
        assertTrue(gate.enter());
    }
}

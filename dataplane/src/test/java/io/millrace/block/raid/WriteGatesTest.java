package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who waits for the last stripe request behind closed gates is notified by those that leave, and by no other. */
class WriteGatesTest
{
    private static final long DURATION_NS = 300_000_000L;
    private static final int SPINS = 20;

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

    /** Whoever closes them while another thread enters sees it counted, or that one sees them closed. */
    @Test
    void shouldLetNobodyWriteBehindClosedGatesThatAreQuiet() throws InterruptedException
    {
        final WriteGates shared = new WriteGates(() ->
        {
        });
        final WriteGate entered = shared.add();
        final AtomicBoolean isOver = new AtomicBoolean();
        final AtomicLong writes = new AtomicLong();
        final Thread writer = Thread.ofPlatform().start(() ->
        {
            while (!isOver.get())
            {
                if (entered.enter())
                {
                    writes.setRelease(writes.getPlain() + 1);
                    entered.leave();
                }
            }
        });
        long within = 0;
        final long deadlineNs = System.nanoTime() + DURATION_NS;
        for (int round = 0; System.nanoTime() - deadlineNs < 0; round++)
        {
            final long last = writes.get();
            shared.open();
            // It enters again and again, and is anywhere in that by then.
            while (last == writes.get())
            {
                Thread.onSpinWait();
            }
            spin(round % SPINS);
            shared.close();
            while (!shared.isQuiet())
            {
                Thread.onSpinWait();
            }
            final long before = writes.get();
            spin(SPINS);
            within += writes.get() - before;
        }
        isOver.set(true);
        writer.join();
        assertEquals(0, within, "writes behind closed gates");
    }

    private static void spin(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            Thread.onSpinWait();
        }
    }
}

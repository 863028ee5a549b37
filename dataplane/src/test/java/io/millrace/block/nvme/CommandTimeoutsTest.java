package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A command that takes too long is aborted once, and the controller reset once if that does not help.
 */
class CommandTimeoutsTest
{
    private static final int QUEUE_ID = 3;
    private static final long TIMEOUT_NS = 8_000_000_000L;
    private static final long GRACE_NS = 5_000_000_000L;
    private static final long START_NS = Long.MAX_VALUE - 1_000_000_000L;

    private final List<String> asked = new ArrayList<>();
    private final ControllerRecovery recovery = new ControllerRecovery()
    {
        @Override
        public void abort(final int queueId, final int commandId)
        {
            asked.add("abort " + queueId + ' ' + commandId);
        }

        @Override
        public void reset(final String reason)
        {
            asked.add(reason);
        }

        @Override
        public void note(final String what)
        {
            asked.add("note " + what);
        }
    };
    private final CommandSlots slots = new CommandSlots(4);
    private final CommandTimeouts timeouts = new CommandTimeouts(slots, null, recovery, QUEUE_ID, TIMEOUT_NS, START_NS);

    private int begin(final long nowNs)
    {
        final int slot = slots.take(null, new BlockRequest(null, null).reset(BlockOperation.READ, 7, 2), null, 0, 2);
        slots.begin(slot, nowNs);
        return slot;
    }

    private List<String> pollEveryCheckUntil(final long fromNs, final long untilNs)
    {
        asked.clear();
        for (long nowNs = fromNs; untilNs - nowNs >= 0; nowNs += TIMEOUT_NS / 8)
        {
            timeouts.poll(nowNs);
        }
        return List.copyOf(asked);
    }

    @Test
    void shouldAbortOnceAndResetOnceAfterTheGrace()
    {
        final int slot = begin(START_NS);
        final int commandId = slots.identifier(slot);
        // The clock wraps meanwhile.
        assertEquals(List.of(), pollEveryCheckUntil(START_NS, START_NS + TIMEOUT_NS));
        final long graceEndNs = START_NS + TIMEOUT_NS + GRACE_NS;
        assertEquals(List.of("abort 3 " + commandId), pollEveryCheckUntil(START_NS + TIMEOUT_NS + 1, graceEndNs));
        assertEquals(CommandSlots.TimeoutStage.ABORTING, slots.timeoutStage(slot));
        assertEquals(List.of("did not complete command " + commandId + " of submission queue 3 (" +
            slots.request(slot) + ") within 8000 ms, nor when it was asked to abort it"),
            pollEveryCheckUntil(graceEndNs + 1, graceEndNs + TIMEOUT_NS));
        assertEquals(List.of(), pollEveryCheckUntil(graceEndNs + TIMEOUT_NS, graceEndNs + 3 * TIMEOUT_NS));
    }

    @Test
    void shouldGiveACommandThatIsSentAgainItsWholeTimeAgain()
    {
        final int slot = begin(START_NS);
        timeouts.poll(START_NS + TIMEOUT_NS + 1);
        assertEquals(1, asked.size());
        final long againNs = START_NS + TIMEOUT_NS + 2;
        slots.begin(slot, againNs);
        assertEquals(List.of(), pollEveryCheckUntil(againNs, againNs + TIMEOUT_NS));
        assertEquals(List.of("abort 3 " + slots.identifier(slot)),
            pollEveryCheckUntil(againNs + TIMEOUT_NS + 1, againNs + TIMEOUT_NS + GRACE_NS));
    }

    @Test
    void shouldLeaveThoseAloneThatAreInTimeOrDone()
    {
        final int done = begin(START_NS);
        final int late = begin(START_NS);
        final int inTime = begin(START_NS + TIMEOUT_NS / 2);
        slots.release(done);
        timeouts.poll(START_NS + TIMEOUT_NS + 1);
        assertEquals(List.of("abort 3 " + slots.identifier(late)), asked);
        assertEquals(CommandSlots.TimeoutStage.WAITING, slots.timeoutStage(inTime));
    }

    @Test
    void shouldLookEightTimesWithinATimeout()
    {
        final int slot = begin(START_NS - TIMEOUT_NS - 1);
        timeouts.poll(START_NS + TIMEOUT_NS / 8 - 1);
        assertTrue(asked.isEmpty());
        timeouts.poll(START_NS + TIMEOUT_NS / 8);
        assertEquals(1, asked.size());
        slots.begin(slot, START_NS - TIMEOUT_NS);
        timeouts.poll(START_NS + TIMEOUT_NS / 4 - 1);
        assertEquals(1, asked.size());
        timeouts.poll(START_NS + TIMEOUT_NS / 4);
        assertEquals(2, asked.size());
    }

    @Test
    void shouldHaveNoLongerGraceThanATimeout()
    {
        final CommandTimeouts brief = new CommandTimeouts(slots, null, recovery, QUEUE_ID, 1_000_000_000L, START_NS);
        begin(START_NS);
        brief.poll(START_NS + 1_000_000_001L);
        brief.poll(START_NS + 2_000_000_000L);
        assertEquals(1, asked.size());
        brief.poll(START_NS + 2_125_000_000L);
        assertEquals(2, asked.size());
    }
}

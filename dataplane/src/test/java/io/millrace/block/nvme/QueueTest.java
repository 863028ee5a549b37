package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockRequest;
import io.millrace.block.nvme.queue.CompletionQueue;
import io.millrace.block.nvme.queue.Doorbell;
import io.millrace.block.nvme.queue.SubmissionQueue;
import io.millrace.memory.DmaMemory;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Rings, doorbells and command identifiers.
 */
public class QueueTest
{
    private final DmaMemory memory = DmaMemory.map(4096);
    private final long register = memory.allocate(4, 4);
    private final long shadow = memory.allocate(4, 4);
    private final long eventIndex = memory.allocate(4, 4);
    private final long entries = memory.allocate(2048, 64);

    @AfterEach
    void close()
    {
        memory.close();
    }

    @Test
    void shouldRingOnceForAllEntriesAndWrap()
    {
        final SubmissionQueue queue = new SubmissionQueue(entries, 4, Doorbell.ofRegister(register));
        NativeMemory.putInt(register, -1);
        queue.ring();
        assertEquals(-1, NativeMemory.getInt(register));
        for (final int expected : new int[]{2, 0, 2})
        {
            queue.advance();
            queue.advance();
            NativeMemory.putInt(register, -1);
            queue.ring();
            assertEquals(expected, NativeMemory.getInt(register));
        }
        assertEquals(entries + 2 * 64, queue.nextEntry());
    }

    @Test
    void shouldFindEntriesByTheirPhaseOverManyRounds()
    {
        final CompletionQueue queue = new CompletionQueue(entries, 5, 3, Doorbell.ofRegister(register));
        int phase = 1;
        for (int i = 0; i < 23; i++)
        {
            assertEquals(CompletionQueue.NONE, queue.poll());
            final long entry = entries + 16L * (i % 5);
            NativeMemory.putInt(entry + 8, 7 << 16 | i);
            NativeMemory.putInt(entry + 12, 0x281 << 17 | phase << 16 | i);
            assertEquals(entry, queue.poll());
            assertEquals(i, CompletionQueue.statusAndCommand(entry) & 0xFFFF);
            assertEquals(0x281, CompletionQueue.statusAndCommand(entry) >>> 17);
            assertEquals(7, CompletionQueue.queueAndHead(entry) >>> 16);
            queue.consume();
            queue.acknowledgeWhenDue();
            assertEquals((i + 1) % 5, NativeMemory.getInt(register));
            phase = i % 5 == 4 ? phase ^ 1 : phase;
        }
    }

    /** A reset controller begins at the first entry, with the phase of the first round. */
    @Test
    void shouldBeginAnewAfterAReset()
    {
        final CompletionQueue queue = new CompletionQueue(entries, 5, 3, Doorbell.ofRegister(register));
        for (int i = 0; i < 7; i++)
        {
            NativeMemory.putInt(entries + 16L * (i % 5) + 12, (i < 5 ? 1 : 0) << 16);
            queue.consume();
        }
        queue.reset();
        assertEquals(CompletionQueue.NONE, queue.poll());
        NativeMemory.putInt(entries + 12, 1 << 16);
        assertEquals(entries, queue.poll());
        NativeMemory.putInt(register, -1);
        queue.acknowledge();
        assertEquals(-1, NativeMemory.getInt(register), "nothing was consumed since");
        queue.consume();
        queue.acknowledge();
        assertEquals(1, NativeMemory.getInt(register));
    }

    /** With the event index of before, the first rings after a reset would not reach the controller. */
    @Test
    void shouldRingAfterAResetWhateverTheEventIndexWas()
    {
        final Doorbell doorbell = Doorbell.withShadow(register, shadow, eventIndex);
        doorbell.reset();
        doorbell.ring(3);
        NativeMemory.putInt(eventIndex, 9);
        doorbell.reset();
        assertEquals(0, NativeMemory.getInt(shadow));
        NativeMemory.putInt(register, -1);
        doorbell.ring(1);
        assertEquals(1, NativeMemory.getInt(register));
    }

    @Test
    void shouldAcknowledgeLateWhenTheQueueIsLargerThanItNeedsToBe()
    {
        final CompletionQueue queue = new CompletionQueue(entries, 16, 5, Doorbell.ofRegister(register));
        NativeMemory.putInt(register, -1);
        for (int i = 0; i < 5; i++)
        {
            queue.consume();
            queue.acknowledgeWhenDue();
            assertEquals(-1, NativeMemory.getInt(register));
        }
        queue.consume();
        queue.acknowledgeWhenDue();
        assertEquals(6, NativeMemory.getInt(register));
        queue.consume();
        queue.acknowledge();
        assertEquals(7, NativeMemory.getInt(register));
    }

    @Test
    void shouldWriteTheRegisterOnlyWhenTheEventIndexIsPassed()
    {
        final Doorbell doorbell = Doorbell.withShadow(register, shadow, eventIndex);
        doorbell.reset();
        // The event index is 0: the first step passes it.
        doorbell.ring(1);
        assertEquals(1, NativeMemory.getInt(register));
        NativeMemory.putInt(eventIndex, 5);
        for (int position = 2; position <= 5; position++)
        {
            doorbell.ring(position);
            assertEquals(position, NativeMemory.getInt(shadow));
            assertEquals(1, NativeMemory.getInt(register));
        }
        doorbell.ring(6);
        assertEquals(6, NativeMemory.getInt(register));
        NativeMemory.putInt(eventIndex, 9);
        doorbell.ring(14);
        assertEquals(14, NativeMemory.getInt(register));
    }

    @Test
    void shouldPassEventIndexesAsCounted()
    {
        final Random random = TestSeeds.random();
        for (int i = 0; i < 10_000; i++)
        {
            final int before = random.nextInt(1 << 16);
            final int steps = random.nextInt(600);
            final int event = before + random.nextInt(1200) - 600;
            boolean isPassed = false;
            for (int step = 0; step < steps; step++)
            {
                isPassed |= (before + step & 0xFFFF) == (event & 0xFFFF);
            }
            assertEquals(isPassed, Doorbell.passes(event, before, before + steps & 0xFFFF));
        }
    }

    @Test
    void shouldNotFindACommandByTheIdentifierOfAnEarlierOne()
    {
        final CommandSlots slots = new CommandSlots(CommandSlots.COUNT_MAX - 1);
        final BlockRequest request = new BlockRequest(null, null);
        final int slot = slots.take(null, request, null, 0, 1);
        int last = slots.begin(slot, 0);
        for (int i = 0; i < 63; i++)
        {
            assertEquals(slot, slots.find(last));
            final int next = slots.begin(slot, 0);
            assertNotEquals(last, next);
            assertEquals(CommandSlots.NONE, slots.find(last));
            last = next;
        }
        slots.release(slot);
        assertEquals(CommandSlots.NONE, slots.find(last));
        for (int id = 0; id <= 0xFFFF; id++)
        {
            assertEquals(CommandSlots.NONE, slots.find(id));
        }
    }

    @Test
    void shouldNeverUseTheIdentifierThatTheErrorLogKeepsForItself()
    {
        final CommandSlots slots = new CommandSlots(CommandSlots.COUNT_MAX - 1);
        while (slots.freeCount() > 0)
        {
            final int slot = slots.take(null, null, null, 0, 1);
            for (int i = 0; i < 64; i++)
            {
                assertTrue(slots.begin(slot, 0) < 0xFFFF);
            }
        }
    }
}

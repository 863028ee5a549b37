package io.millrace.nvmf.rdma;

import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.SubmissionQueueEntry;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Receive buffers of a reactor's queues, each with the place of a response. As many as a queue has entries are reserved
 * where its reactor is chosen, taken there, and returned when its queue pair is gone. Mapped and registered once. Made
 * and closed on a set-up thread, used on one reactor; reservations are any thread's.
 */
final class CapsuleBuffers
{
    /** Of each buffer: a cache line. */
    static final int ALIGNMENT_BYTES = 64;

    private static final int SIZE_ALIGNMENT_BYTES = 2 << 20;

    private final DmaMemory memory;
    private final int capsuleBytes;
    private final long capsulesAddress;
    private final long responsesAddress;
    private final int[] free;
    private int freeCount;
    private final AtomicInteger unreserved;

    /**
     * Maps the buffers.
     *
     * @param registry           that has them registered.
     * @param count              of buffers.
     * @param inCapsuleDataBytes behind each command.
     */
    CapsuleBuffers(final MemoryRegistry registry, final int count, final int inCapsuleDataBytes)
    {
        capsuleBytes = SubmissionQueueEntry.SIZE_BYTES + inCapsuleDataBytes;
        final long capsulesBytes = (long)count * capsuleBytes;
        final long responsesBytes = (long)count * CompletionQueueEntry.SIZE_BYTES;
        final long wholeBytes = capsulesBytes + responsesBytes + SIZE_ALIGNMENT_BYTES - 1 & -SIZE_ALIGNMENT_BYTES;
        memory = DmaMemory.map(wholeBytes);
        try
        {
            // Not buffers: what is read at a host never lies there, so no host may write there, on iWARP either.
            registry.add(memory, MemoryRole.CAPSULES);
        }
        catch (final RuntimeException e)
        {
            memory.close();
            throw e;
        }
        capsulesAddress = memory.allocate(capsulesBytes, ALIGNMENT_BYTES);
        responsesAddress = memory.allocate(responsesBytes, ALIGNMENT_BYTES);
        free = new int[count];
        for (int i = count - 1; i >= 0; i--)
        {
            free[freeCount++] = i;
        }
        unreserved = new AtomicInteger(count);
    }

    /**
     * Reserves buffers for a queue on its way to the reactor.
     *
     * @param count of the buffers.
     * @return false when there are not so many.
     */
    boolean reserve(final int count)
    {
        return unreserved.getAndUpdate((left) -> left < count ? left : left - count) >= count;
    }

    /**
     * Returns what a queue reserved that is not made.
     *
     * @param count of the buffers.
     */
    void cancel(final int count)
    {
        unreserved.addAndGet(count);
    }

    /**
     * Takes buffers for a queue.
     *
     * @param count of the buffers, as reserved.
     * @return their numbers.
     */
    int[] take(final int count)
    {
        final int[] taken = new int[count];
        for (int i = 0; i < count; i++)
        {
            taken[i] = free[--freeCount];
        }
        return taken;
    }

    /**
     * Returns buffers that no queue pair has any more.
     *
     * @param taken their numbers.
     */
    void give(final int[] taken)
    {
        for (final int each : taken)
        {
            free[freeCount++] = each;
        }
        unreserved.addAndGet(taken.length);
    }

    int capsuleBytes()
    {
        return capsuleBytes;
    }

    long capsuleAddress(final int number)
    {
        return capsulesAddress + (long)number * capsuleBytes;
    }

    long responseAddress(final int number)
    {
        return responsesAddress + (long)number * CompletionQueueEntry.SIZE_BYTES;
    }

    void close()
    {
        memory.close();
    }
}

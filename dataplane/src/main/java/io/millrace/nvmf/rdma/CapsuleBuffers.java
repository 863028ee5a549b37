package io.millrace.nvmf.rdma;

import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.SubmissionQueueEntry;

/**
 * Receive buffers of a reactor's queues, each with the place of a response. A queue takes as many as it has entries
 * when its host connects, and returns them when its queue pair is gone. Mapped and registered once. Made and closed on
 * a set-up thread, used on one reactor.
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
            registry.add(memory, MemoryRole.BUFFERS);
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
    }

    /**
     * Takes buffers for a queue.
     *
     * @param count of the buffers.
     * @return their numbers; null when there are not so many.
     */
    int[] take(final int count)
    {
        if (count > freeCount)
        {
            return null;
        }
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
    }

    int freeCount()
    {
        return freeCount;
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

package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A queue of a {@link ModelController}: its memory, its doorbell, with a shadow or without. A doorbell register is set
 * back to a value that no host writes when it has been read, so that each write is seen, and no write that was left
 * out.
 */
final class ModelQueue
{
    static final int NOT_WRITTEN = 0x8000_0000;

    final int id;
    final int entries;
    final boolean isCompletion;
    /** Of a submission queue: where it completes. */
    final ModelQueue completion;
    final int eventFd;
    private final ModelDma dma;
    private final long iova;
    private final long register;
    private final Deque<long[]> pending = new ArrayDeque<>();
    private long shadow;
    private long eventIndex;
    private int doorbell;
    private int position;
    private int phase = 1;
    private boolean isAwake;

    ModelQueue(
        final int id,
        final int entries,
        final ModelQueue completion,
        final boolean isCompletion,
        final ModelDma dma,
        final long iova,
        final long register,
        final int eventFd)
    {
        this.id = id;
        this.entries = entries;
        this.completion = completion;
        this.isCompletion = isCompletion;
        this.dma = dma;
        this.iova = iova;
        this.register = register;
        this.eventFd = eventFd;
        dma.address(iova, (long)entries * (isCompletion ? 16 : 64));
        NativeMemory.putIntRelease(register, NOT_WRITTEN);
    }

    void shadow(final long shadowAddress, final long eventIndexAddress)
    {
        shadow = shadowAddress;
        eventIndex = eventIndexAddress;
    }

    /** Takes in what the host wrote: the register, and the shadow while there is something to do. */
    private void look()
    {
        final int written = NativeMemory.getIntAcquire(register);
        if (NOT_WRITTEN != written && NativeMemory.compareAndSetInt(register, written, NOT_WRITTEN))
        {
            take(written);
            isAwake = true;
        }
        if (0 != shadow && isAwake)
        {
            take(NativeMemory.getIntAcquire(shadow));
            if (doorbell == position || isCompletion)
            {
                // Nothing to do: ask to be woken by the next write, and look once more.
                NativeMemory.putIntRelease(eventIndex, doorbell);
                VarHandle.fullFence();
                take(NativeMemory.getIntAcquire(shadow));
                isAwake = isCompletion || doorbell != position;
            }
        }
    }

    private void take(final int value)
    {
        if (value < 0 || value >= entries)
        {
            throw new ModelFault("doorbell of queue " + id + " with " + entries + " entries: " + value);
        }
        doorbell = value;
    }

    /** Of a submission queue: the next command, or null. */
    ModelCommand fetch()
    {
        look();
        if (doorbell == position)
        {
            return null;
        }
        final ModelCommand command = ModelCommand.fetch(id, dma.address(iova + 64L * position, 64));
        position = (position + 1) % entries;
        return command;
    }

    /** Of a completion queue: an entry to post as soon as there is room. */
    void complete(final int submissionId, final int head, final int commandId, final int status, final int result)
    {
        pending.add(new long[]{submissionId, head, commandId, status, result});
        post();
    }

    /** Posts what there is room for; answers whether anything was. */
    boolean post()
    {
        look();
        boolean isAny = false;
        while (!pending.isEmpty() && (position + 1) % entries != doorbell)
        {
            final long[] entry = pending.poll();
            final long address = dma.address(iova + 16L * position, 16);
            NativeMemory.putInt(address, (int)entry[4]);
            NativeMemory.putInt(address + 4, 0);
            NativeMemory.putInt(address + 8, (int)(entry[0] << 16 | entry[1]));
            NativeMemory.putIntRelease(address + 12, (int)(entry[3] << 17 | phase << 16 | entry[2]));
            position++;
            if (position == entries)
            {
                position = 0;
                phase ^= 1;
            }
            isAny = true;
            if (eventFd >= 0)
            {
                NativeMemory.putLong(SIGNAL, 1);
                Files.write(eventFd, SIGNAL, Long.BYTES);
            }
        }
        return isAny;
    }

    int position()
    {
        return position;
    }

    private static final long SIGNAL =
        java.lang.foreign.Arena.global().allocate(Long.BYTES, Long.BYTES).address();
}

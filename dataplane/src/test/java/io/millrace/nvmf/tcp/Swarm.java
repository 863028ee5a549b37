package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvmf.initiator.HostCompletionListener;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import java.lang.foreign.Arena;
import java.util.List;

/**
 * Writes and reads back over many queues at once, each slot of each queue in blocks of its own, and checks every byte.
 * Knows how long a slot had to wait in terms of what the others got done meanwhile. On the host's reactor; what is
 * volatile, from any thread.
 */
final class Swarm
{
    private static final int SMALL_BLOCKS = 1;
    /** Larger than what capsules carry: the target has to ask for it. */
    private static final int LARGE_BLOCKS = 4;
    private static final int LARGE_EVERY = 4;

    private final Slot[] slots;
    private final long rounds;
    private int unfinished;
    private long completions;
    private boolean measures;
    private volatile long longestWait;
    private volatile long total;
    private volatile int failures;
    private volatile int running;
    private volatile boolean isOver;

    /**
     * Prepares slots.
     *
     * @param queues to use.
     * @param depth  slots a queue.
     * @param rounds pairs of a write and a read that each slot does at least.
     * @param arena  of the buffers.
     */
    Swarm(final List<RemoteQueuePair> queues, final int depth, final long rounds, final Arena arena)
    {
        this.rounds = rounds;
        slots = new Slot[queues.size() * depth];
        for (int i = 0; i < slots.length; i++)
        {
            slots[i] = new Slot(queues.get(i / depth), (long)i * LARGE_BLOCKS,
                arena.allocate((long)LARGE_BLOCKS * TargetFixture.BLOCK_BYTES, 4096).address());
        }
    }

    void start()
    {
        unfinished = slots.length;
        running = slots.length;
        for (final Slot slot : slots)
        {
            slot.write();
        }
    }

    /**
     * Submits nothing more. Any thread.
     */
    void stop()
    {
        isOver = true;
    }

    /**
     * {@return whether every slot has done its rounds, and nothing is outstanding any more}
     */
    boolean isOver()
    {
        return isOver && 0 == running;
    }

    int failures()
    {
        return failures;
    }

    /**
     * {@return completions of all slots}
     */
    long total()
    {
        return total;
    }

    /**
     * {@return most completions of other slots between two of one slot, from when all slots have had one}
     */
    long longestWait()
    {
        return longestWait;
    }

    int slotCount()
    {
        return slots.length;
    }

    private final class Slot implements HostCompletionListener
    {
        private final RemoteQueuePair queue;
        private final long lba;
        private final long address;
        private final HostRequest request = new HostRequest(null, this);
        private long done;
        private long lastCompletion;
        private boolean reads;

        private Slot(final RemoteQueuePair queue, final long lba, final long address)
        {
            this.queue = queue;
            this.lba = lba;
            this.address = address;
        }

        @Override
        public void onComplete(final HostRequest completed)
        {
            completions++;
            total = completions;
            if (measures && completions - lastCompletion > longestWait)
            {
                longestWait = completions - lastCompletion;
            }
            measures |= completions > 4L * slots.length;
            lastCompletion = completions;
            if (!completed.isSuccess() || reads && !matches())
            {
                failures++;
                isOver = true;
            }
            if (reads)
            {
                done++;
                if (rounds == done && 0 == --unfinished)
                {
                    isOver = true;
                }
            }
            if (isOver)
            {
                running--;
            }
            else if (reads)
            {
                write();
            }
            else
            {
                read();
            }
        }

        private void write()
        {
            reads = false;
            for (int offset = 0; offset < bytes(); offset += Long.BYTES)
            {
                NativeMemory.putLong(address + offset, word(offset));
            }
            submit(request.write(1, lba, blocks(), address, bytes()));
        }

        private void read()
        {
            reads = true;
            NativeMemory.fill(address, bytes(), (byte)0x5A);
            submit(request.read(1, lba, blocks(), address, bytes()));
        }

        private void submit(final HostRequest filled)
        {
            if (!queue.submit(filled))
            {
                failures++;
                isOver = true;
                running--;
            }
        }

        private boolean matches()
        {
            for (int offset = 0; offset < bytes(); offset += Long.BYTES)
            {
                if (word(offset) != NativeMemory.getLong(address + offset))
                {
                    return false;
                }
            }
            return true;
        }

        private long word(final int offset)
        {
            return (lba << 40 | done << 16 | offset) * 0x9E37_79B9_7F4A_7C15L;
        }

        private int blocks()
        {
            return LARGE_EVERY - 1 == done % LARGE_EVERY ? LARGE_BLOCKS : SMALL_BLOCKS;
        }

        private int bytes()
        {
            return blocks() * TargetFixture.BLOCK_BYTES;
        }
    }
}

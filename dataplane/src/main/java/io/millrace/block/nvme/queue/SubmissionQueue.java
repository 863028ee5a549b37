package io.millrace.block.nvme.queue;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.SubmissionQueueEntry;

/**
 * A submission queue (NVM Express Base 2.0, section 3.3.1). Its owner has fewer commands outstanding than the queue has
 * entries, so that the tail never meets the head and the head need not be known. Single-threaded.
 */
public final class SubmissionQueue
{
    private static final int ENTRY_SHIFT = 6;

    private final long address;
    private final int entries;
    private final Doorbell doorbell;
    private int tail;
    private int rung;

    /**
     * Takes memory.
     *
     * @param address  of the entries.
     * @param entries  how many; at least 2.
     * @param doorbell of the queue.
     */
    public SubmissionQueue(final long address, final int entries, final Doorbell doorbell)
    {
        this.address = address;
        this.entries = entries;
        this.doorbell = doorbell;
    }

    /** The controller is about to create the queue again. */
    public void reset()
    {
        tail = 0;
        rung = 0;
        doorbell.reset();
        NativeMemory.fill(address, (long)entries * SubmissionQueueEntry.SIZE_BYTES, (byte)0);
    }

    /**
     * {@return how many entries it has}
     */
    public int entries()
    {
        return entries;
    }

    /**
     * {@return bus address of its first entry}
     */
    public long address()
    {
        return address;
    }

    /**
     * {@return address of the entry to fill next}
     */
    public long nextEntry()
    {
        return address + ((long)tail << ENTRY_SHIFT);
    }

    /** The entry at {@link #nextEntry()} is filled; the controller sees it with the next {@link #ring()}. */
    public void advance()
    {
        tail = tail + 1 == entries ? 0 : tail + 1;
    }

    /** Rings the doorbell for all entries that were filled. */
    public void ring()
    {
        if (rung != tail)
        {
            rung = tail;
            doorbell.ring(tail);
        }
    }
}

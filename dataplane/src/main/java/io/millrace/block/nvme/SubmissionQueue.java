package io.millrace.block.nvme;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.SubmissionQueueEntry;

/**
 * A submission queue (NVM Express Base 2.0, section 3.3.1). Its owner has fewer commands outstanding than the queue has
 * entries, so that the tail never meets the head and the head need not be known. Single-threaded.
 */
final class SubmissionQueue
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
    SubmissionQueue(final long address, final int entries, final Doorbell doorbell)
    {
        this.address = address;
        this.entries = entries;
        this.doorbell = doorbell;
    }

    /** The controller is about to create the queue again. */
    void reset()
    {
        tail = 0;
        rung = 0;
        doorbell.reset();
        NativeMemory.fill(address, (long)entries * SubmissionQueueEntry.SIZE_BYTES, (byte)0);
    }

    int entries()
    {
        return entries;
    }

    long address()
    {
        return address;
    }

    /**
     * {@return address of the entry to fill next}
     */
    long nextEntry()
    {
        return address + ((long)tail << ENTRY_SHIFT);
    }

    /** The entry at {@link #nextEntry()} is filled; the controller sees it with the next {@link #ring()}. */
    void advance()
    {
        tail = tail + 1 == entries ? 0 : tail + 1;
    }

    /** Rings the doorbell for all entries that were filled. */
    void ring()
    {
        if (rung != tail)
        {
            rung = tail;
            doorbell.ring(tail);
        }
    }
}

package io.millrace.block.nvme.queue;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.CompletionQueueEntry;

/**
 * A completion queue (NVM Express Base 2.0, section 3.3.1). An entry is new when its phase tag is that of the present
 * round. Consumed entries are acknowledged when half of the spare ones are used: the queue has more entries than
 * commands are outstanding, so it cannot be full. Single-threaded.
 */
public final class CompletionQueue
{
    /** No new entry. */
    public static final long NONE = 0;

    private static final int ENTRY_SHIFT = 4;
    private static final int STATUS_DWORD_OFFSET = 12;
    private static final int HEAD_DWORD_OFFSET = 8;
    private static final int PHASE_BIT = 16;

    private final long address;
    private final int entries;
    private final Doorbell doorbell;
    private final int unacknowledgedMax;
    private int head;
    private int phase = 1;
    private int unacknowledged;

    /**
     * Takes memory.
     *
     * @param address        of the entries.
     * @param entries        how many; more than outstandingMax.
     * @param outstandingMax most commands that may complete at once.
     * @param doorbell       of the queue.
     */
    public CompletionQueue(final long address, final int entries, final int outstandingMax, final Doorbell doorbell)
    {
        this.address = address;
        this.entries = entries;
        this.doorbell = doorbell;
        unacknowledgedMax = (entries - 1 - outstandingMax) / 2;
    }

    /** The controller is about to create the queue again. */
    public void reset()
    {
        head = 0;
        phase = 1;
        unacknowledged = 0;
        doorbell.reset();
        NativeMemory.fill(address, (long)entries * CompletionQueueEntry.SIZE_BYTES, (byte)0);
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
     * {@return address of the next new entry, or {@link #NONE}; read before anything that the controller wrote earlier}
     */
    public long poll()
    {
        final long entry = address + ((long)head << ENTRY_SHIFT);
        final int word = NativeMemory.getIntAcquire(entry + STATUS_DWORD_OFFSET);
        return (word >>> PHASE_BIT & 1) == phase ? entry : NONE;
    }

    /**
     * {@return status field in bits 31:16, with the phase tag in bit 16, and command identifier in bits 15:0}
     *
     * @param entry from {@link #poll()}.
     */
    public static int statusAndCommand(final long entry)
    {
        return NativeMemory.getInt(entry + STATUS_DWORD_OFFSET);
    }

    /**
     * {@return submission queue in bits 31:16 and its head in bits 15:0}
     *
     * @param entry from {@link #poll()}.
     */
    public static int queueAndHead(final long entry)
    {
        return NativeMemory.getInt(entry + HEAD_DWORD_OFFSET);
    }

    /**
     * {@return dword 0, which belongs to the command}
     *
     * @param entry from {@link #poll()}.
     */
    public static int result(final long entry)
    {
        return NativeMemory.getInt(entry);
    }

    /** The entry that {@link #poll()} found has been read. */
    public void consume()
    {
        head++;
        if (head == entries)
        {
            head = 0;
            phase ^= 1;
        }
        unacknowledged++;
    }

    /** Acknowledges consumed entries when that is due. */
    public void acknowledgeWhenDue()
    {
        if (unacknowledged > unacknowledgedMax)
        {
            acknowledge();
        }
    }

    /** Acknowledges all consumed entries: before a sleep, since the controller may raise no interrupt otherwise. */
    public void acknowledge()
    {
        if (0 != unacknowledged)
        {
            unacknowledged = 0;
            doorbell.ring(head);
        }
    }
}

package io.millrace.block.nvme.queue;

/**
 * Share of one channel of the command slots of a queue pair. Belongs to {@link SlotShares}, which alone changes it.
 * Single-threaded.
 */
public final class SlotShare
{
    /** Most slots that the channel may have, whatever is free. */
    final int limit;
    /** Slots that are kept for the channel. */
    int reserve;
    /** Slots that the channel has. */
    int used;
    /** Next in the queue of those that wait for a slot. */
    SlotShare next;
    boolean isWaiting;

    /**
     * Has no slots.
     *
     * @param limit most slots that the channel may have; above 0.
     */
    public SlotShare(final int limit)
    {
        this.limit = limit;
    }

    /**
     * {@return how many slots the channel has}
     */
    public int used()
    {
        return used;
    }

    /**
     * {@return slots that are kept for the channel and that it does not have}
     */
    int unusedReserve()
    {
        return Math.max(0, reserve - used);
    }
}

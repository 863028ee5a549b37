package io.millrace.block.raid;

import io.millrace.block.raid.format.JournalPlaces;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers the entries of the journal of an array with parity, and with that their places. An entry is live from
 * {@link #take} to {@link #complete}, when what it has is stable in place. At most half of the places are live: so the
 * entry half a ring before a new one is complete, and its tail lies behind the entry whose place the new one gets. That
 * one is not replayed any more. Any thread; no call blocks, nothing is allocated.
 */
final class Journal
{
    /** No entry. */
    static final long NONE = -1;

    private final JournalPlaces places;
    private final int liveMax;
    private final Runnable onPinned;
    private final AtomicLong next = new AtomicLong();
    /** Lowest sequence that is not complete. */
    private final AtomicLong tail = new AtomicLong();
    /** Sequence that was complete last, by place. */
    private final AtomicLongArray completed;
    private final AtomicLong waits = new AtomicLong();
    private volatile boolean isPinned;

    /**
     * Without entries.
     *
     * @param places   of each member.
     * @param onPinned run when an entry will never be complete; any thread.
     */
    Journal(final JournalPlaces places, final Runnable onPinned)
    {
        this.places = places;
        this.onPinned = onPinned;
        liveMax = places.placeCount() / 2;
        completed = new AtomicLongArray(places.placeCount());
        for (int place = 0; place < places.placeCount(); place++)
        {
            completed.set(place, NONE);
        }
    }

    JournalPlaces places()
    {
        return places;
    }

    /**
     * {@return lowest sequence that is not complete}
     */
    long tail()
    {
        return tail.get();
    }

    /**
     * Takes the next sequence.
     *
     * @param lowest {@link #tail} that was read before, which the entry is going to have.
     * @return the sequence; {@link #NONE}: half of the places are live, try again.
     */
    long take(final long lowest)
    {
        while (true)
        {
            final long sequence = next.get();
            if (sequence - lowest >= liveMax)
            {
                return NONE;
            }
            if (next.compareAndSet(sequence, sequence + 1))
            {
                return sequence;
            }
        }
    }

    /** A write has to wait for a place. */
    void onWait()
    {
        waits.incrementAndGet();
    }

    /**
     * {@return writes that had to wait for a place, since the array was assembled}
     */
    long waits()
    {
        return waits.get();
    }

    /**
     * What an entry has is stable in place. One of an epoch that has ended is left alone.
     *
     * @param sequence of the entry.
     */
    void complete(final long sequence)
    {
        if (sequence < tail.get())
        {
            return;
        }
        completed.set(places.place(sequence), sequence);
        long lowest = tail.get();
        while (lowest < next.get() && lowest == completed.get(places.place(lowest)))
        {
            tail.compareAndSet(lowest, lowest + 1);
            lowest = tail.get();
        }
    }

    /**
     * What an entry has will not be written, or not all of it: it stays live until another epoch begins.
     *
     * @param sequence of the entry.
     */
    void pin(final long sequence)
    {
        if (sequence >= tail.get())
        {
            isPinned = true;
            onPinned.run();
        }
    }

    /** Rows are written that are not logged, and that entries of this epoch would undo. */
    void expire()
    {
        isPinned = true;
        onPinned.run();
    }

    /**
     * {@return whether an entry will never be complete, or must not be replayed any more, so that another epoch has to
     * begin}
     */
    boolean isPinned()
    {
        return isPinned;
    }

    /** Another epoch begins, without entries. {@link ArrayWork} alone, while no write is under way. */
    void restart()
    {
        isPinned = false;
        tail.set(next.get());
    }
}

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

    private final Runnable onPinned;
    private final Runnable onFree;
    private volatile Ring ring;
    private final AtomicLong next = new AtomicLong();
    /** Lowest sequence that is not complete. */
    private final AtomicLong tail = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();
    private volatile boolean isPinned;

    /**
     * Its places, which an array that grows has others of.
     *
     * @param places    of each member.
     * @param completed sequence that was complete last, by place.
     */
    private record Ring(JournalPlaces places, AtomicLongArray completed)
    {
        static Ring of(final JournalPlaces places)
        {
            final AtomicLongArray completed = new AtomicLongArray(places.placeCount());
            for (int place = 0; place < places.placeCount(); place++)
            {
                completed.set(place, NONE);
            }
            return new Ring(places, completed);
        }
    }

    /**
     * Without entries.
     *
     * @param places   of each member.
     * @param onPinned run when an entry will never be complete; any thread.
     * @param onFree   run when places may have become free; any thread.
     */
    Journal(final JournalPlaces places, final Runnable onPinned, final Runnable onFree)
    {
        this.onPinned = onPinned;
        this.onFree = onFree;
        ring = Ring.of(places);
    }

    JournalPlaces places()
    {
        return ring.places();
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
            if (sequence - lowest >= ring.places().placeCount() / 2)
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
        final Ring present = ring;
        present.completed().set(present.places().place(sequence), sequence);
        long lowest = tail.get();
        while (lowest < next.get() && lowest == present.completed().get(present.places().place(lowest)))
        {
            tail.compareAndSet(lowest, lowest + 1);
            lowest = tail.get();
        }
        onFree.run();
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

    /**
     * Another epoch begins, without entries. {@link ArrayWork} alone, while no write is under way.
     *
     * @param places of each member from then on.
     */
    void restart(final JournalPlaces places)
    {
        if (!places.equals(ring.places()))
        {
            ring = Ring.of(places);
        }
        isPinned = false;
        tail.set(next.get());
    }
}

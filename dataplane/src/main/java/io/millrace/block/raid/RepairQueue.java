package io.millrace.block.raid;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Places of an array where a member could not read, for {@link BlockRepairs}. Any number of threads add, one takes; no
 * call blocks or allocates. A place that is there already is not added again. A full queue drops what is added and
 * counts it: who reads the place next adds it again.
 * <p>
 * A place is one word: its offset in units of {@link #UNIT_BYTES}, then its length in the same unit; 0 is a free cell.
 */
final class RepairQueue
{
    /** Smallest block. */
    static final int UNIT_BYTES = 512;
    static final int CAPACITY = 64;
    /** None of them. */
    static final long NONE = 0;

    private static final int UNIT_SHIFT = 9;
    /** A strip has 2048 units at most. */
    private static final int LENGTH_BITS = 12;

    private final AtomicLongArray places = new AtomicLongArray(CAPACITY);
    private final AtomicLong dropped = new AtomicLong();

    /**
     * Adds a place. Any thread.
     *
     * @param offset in bytes, as stripe requests lock it: on the array, or on the members of an array with parity.
     * @param length in bytes, at most a strip.
     * @return whether it was neither there nor dropped.
     */
    boolean add(final long offset, final int length)
    {
        final long place = offset >>> UNIT_SHIFT << LENGTH_BITS | length >>> UNIT_SHIFT;
        for (int i = 0; i < CAPACITY; i++)
        {
            final long present = places.get(i);
            if (place == present)
            {
                return false;
            }
            if (NONE == present)
            {
                if (places.compareAndSet(i, NONE, place))
                {
                    return true;
                }
                // Another thread was first: maybe with the same place.
                if (place == places.get(i))
                {
                    return false;
                }
            }
        }
        dropped.incrementAndGet();
        return false;
    }

    /**
     * Takes a place, in no particular order.
     *
     * @return the place; {@link #NONE} when there is none.
     */
    long take()
    {
        for (int i = 0; i < CAPACITY; i++)
        {
            if (NONE != places.get(i))
            {
                return places.getAndSet(i, NONE);
            }
        }
        return NONE;
    }

    boolean isEmpty()
    {
        for (int i = 0; i < CAPACITY; i++)
        {
            if (NONE != places.get(i))
            {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return places that were dropped since the queue was full}
     */
    long dropped()
    {
        return dropped.get();
    }

    /**
     * {@return offset of a place in bytes}
     *
     * @param place that was taken.
     */
    static long offset(final long place)
    {
        return place >>> LENGTH_BITS << UNIT_SHIFT;
    }

    /**
     * {@return length of a place in bytes}
     *
     * @param place that was taken.
     */
    static int length(final long place)
    {
        return (int)(place & (1L << LENGTH_BITS) - 1) << UNIT_SHIFT;
    }
}

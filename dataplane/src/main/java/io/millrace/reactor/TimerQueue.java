package io.millrace.reactor;

import java.util.Arrays;

/**
 * Timers by deadline: a binary heap over arrays. A heap rather than a wheel because the reactor asks before every sleep
 * for the next deadline, which is the root here and a walk there, and because no ticks have to be processed after it.
 * Timers with the same deadline expire in the order they were scheduled. Grows to the largest number of timers there
 * was and then allocates nothing. Single-threaded.
 */
final class TimerQueue
{
    private static final int CAPACITY_INITIAL = 64;
    private static final int NOT_QUEUED = -1;

    private TimerListener[] listeners = new TimerListener[CAPACITY_INITIAL];
    private long[] deadlinesNs = new long[CAPACITY_INITIAL];
    private long[] sequences = new long[CAPACITY_INITIAL];
    private int[] generations = new int[CAPACITY_INITIAL];
    private int[] positions = new int[CAPACITY_INITIAL];
    /** Slots: those of the heap first, the unused ones behind it. */
    private int[] heap = new int[CAPACITY_INITIAL];
    private int size;
    private long nextSequence;
    private TimerListener failed;

    TimerQueue()
    {
        addSlots(0);
    }

    boolean isEmpty()
    {
        return 0 == size;
    }

    int size()
    {
        return size;
    }

    /**
     * {@return earliest deadline; only when there is a timer}
     */
    long nextDeadlineNs()
    {
        return deadlinesNs[heap[0]];
    }

    /**
     * {@return the listener that threw}
     */
    TimerListener failed()
    {
        return failed;
    }

    /**
     * Starts a timer.
     *
     * @param deadlineNs on the reactor's clock; less than 146 years from every other.
     * @param listener   notified once.
     * @return id, not negative.
     */
    long schedule(final long deadlineNs, final TimerListener listener)
    {
        if (size == heap.length)
        {
            grow();
        }
        final int slot = heap[size];
        listeners[slot] = listener;
        deadlinesNs[slot] = deadlineNs;
        sequences[slot] = nextSequence++;
        siftUp(size++, slot);
        return (long)generations[slot] << 32 | slot;
    }

    /**
     * Cancels a timer.
     *
     * @param id from {@link #schedule}.
     * @return false when it has expired or was cancelled.
     */
    boolean cancel(final long id)
    {
        final int slot = (int)id;
        if (slot < 0 || slot >= heap.length || generations[slot] != (int)(id >>> 32) ||
            NOT_QUEUED == positions[slot])
        {
            return false;
        }
        remove(positions[slot]);
        return true;
    }

    /**
     * Calls the listeners of timers whose deadline has passed, earliest first.
     *
     * @param nowNs the cycle's clock.
     * @param limit at most so many.
     * @return how many expired.
     */
    int expire(final long nowNs, final int limit)
    {
        int expired = 0;
        while (size > 0 && expired < limit && deadlinesNs[heap[0]] - nowNs <= 0)
        {
            final TimerListener listener = listeners[heap[0]];
            remove(0);
            expired++;
            try
            {
                listener.onTimer(nowNs);
            }
            catch (final Throwable t)
            {
                failed = listener;
                throw t;
            }
        }
        return expired;
    }

    private void remove(final int position)
    {
        final int removed = heap[position];
        final int moved = heap[--size];
        if (position < size)
        {
            siftUp(position, moved);
            siftDown(positions[moved], moved);
        }
        heap[size] = removed;
        positions[removed] = NOT_QUEUED;
        listeners[removed] = null;
        // 31 bits, so that ids are not negative.
        generations[removed] = generations[removed] + 1 & Integer.MAX_VALUE;
    }

    private void siftUp(final int from, final int slot)
    {
        int position = from;
        while (position > 0)
        {
            final int parent = (position - 1) >>> 1;
            if (!isBefore(slot, heap[parent]))
            {
                break;
            }
            place(position, heap[parent]);
            position = parent;
        }
        place(position, slot);
    }

    private void siftDown(final int from, final int slot)
    {
        int position = from;
        for (int child = 2 * position + 1; child < size; child = 2 * position + 1)
        {
            if (child + 1 < size && isBefore(heap[child + 1], heap[child]))
            {
                child++;
            }
            if (!isBefore(heap[child], slot))
            {
                break;
            }
            place(position, heap[child]);
            position = child;
        }
        place(position, slot);
    }

    private void place(final int position, final int slot)
    {
        heap[position] = slot;
        positions[slot] = position;
    }

    private boolean isBefore(final int slot, final int other)
    {
        // Differences, because the clock may wrap around.
        final long differenceNs = deadlinesNs[slot] - deadlinesNs[other];
        return differenceNs < 0 || 0 == differenceNs && sequences[slot] - sequences[other] < 0;
    }

    private void grow()
    {
        final int grown = 2 * heap.length;
        listeners = Arrays.copyOf(listeners, grown);
        deadlinesNs = Arrays.copyOf(deadlinesNs, grown);
        sequences = Arrays.copyOf(sequences, grown);
        generations = Arrays.copyOf(generations, grown);
        positions = Arrays.copyOf(positions, grown);
        heap = Arrays.copyOf(heap, grown);
        addSlots(grown >>> 1);
    }

    private void addSlots(final int first)
    {
        for (int slot = first; slot < heap.length; slot++)
        {
            heap[slot] = slot;
            positions[slot] = NOT_QUEUED;
        }
    }
}

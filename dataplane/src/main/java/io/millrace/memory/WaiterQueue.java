package io.millrace.memory;

import java.util.Arrays;
import org.agrona.collections.Object2IntHashMap;

/**
 * Who waits for a buffer, in order: a doubly linked list over arrays with an index by waiter, so that a connection
 * with many waiting requests leaves a long line without walking it. Grows to the longest line there was and then
 * allocates nothing. Single-threaded.
 */
final class WaiterQueue
{
    private static final int NONE = -1;
    private static final int CAPACITY_INITIAL = 256;

    private final Object2IntHashMap<BufferWaiter> nodes =
        new Object2IntHashMap<>(2 * CAPACITY_INITIAL, 0.5f, NONE, false);
    private BufferWaiter[] waiters = new BufferWaiter[CAPACITY_INITIAL];
    private int[] lengthsBytes = new int[CAPACITY_INITIAL];
    private int[] nexts = new int[CAPACITY_INITIAL];
    private int[] previouses = new int[CAPACITY_INITIAL];
    private int first = NONE;
    private int last = NONE;
    private int freed = NONE;
    private int used;
    private int size;

    boolean isEmpty()
    {
        return 0 == size;
    }

    int size()
    {
        return size;
    }

    /**
     * {@return what the first in line wants; only when there is one}
     */
    int firstLengthBytes()
    {
        return lengthsBytes[first];
    }

    /**
     * Goes to the end of the line.
     *
     * @param waiter      to be told.
     * @param lengthBytes it wants.
     * @throws IllegalStateException when it waits already.
     */
    void add(final BufferWaiter waiter, final int lengthBytes)
    {
        final int node = newNode();
        if (NONE != nodes.put(waiter, node))
        {
            throw new IllegalStateException("waits for a buffer already: " + waiter);
        }
        waiters[node] = waiter;
        lengthsBytes[node] = lengthBytes;
        nexts[node] = NONE;
        previouses[node] = last;
        if (NONE == last)
        {
            first = node;
        }
        else
        {
            nexts[last] = node;
        }
        last = node;
        size++;
    }

    /**
     * {@return the first in line, taken out; only when there is one}
     */
    BufferWaiter removeFirst()
    {
        final BufferWaiter waiter = waiters[first];
        remove(waiter);
        return waiter;
    }

    /**
     * Leaves the line.
     *
     * @param waiter that leaves.
     * @return false when it was not in it.
     */
    boolean remove(final BufferWaiter waiter)
    {
        final int node = nodes.removeKey(waiter);
        if (NONE == node)
        {
            return false;
        }
        final int next = nexts[node];
        final int previous = previouses[node];
        if (NONE == next)
        {
            last = previous;
        }
        else
        {
            previouses[next] = previous;
        }
        if (NONE == previous)
        {
            first = next;
        }
        else
        {
            nexts[previous] = next;
        }
        waiters[node] = null;
        nexts[node] = freed;
        freed = node;
        size--;
        return true;
    }

    private int newNode()
    {
        if (NONE != freed)
        {
            final int node = freed;
            freed = nexts[node];
            return node;
        }
        if (used == waiters.length)
        {
            final int capacity = 2 * used;
            waiters = Arrays.copyOf(waiters, capacity);
            lengthsBytes = Arrays.copyOf(lengthsBytes, capacity);
            nexts = Arrays.copyOf(nexts, capacity);
            previouses = Arrays.copyOf(previouses, capacity);
        }
        return used++;
    }
}

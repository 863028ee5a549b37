package io.millrace.block.nvme;

import io.millrace.block.BlockRequest;

/**
 * The split requests of a channel: a pool of them, and the queue of those that have more to send. Single-threaded;
 * nothing is allocated after construction.
 */
final class SplitRequestQueue
{
    private final SplitRequest[] free;
    private final SplitRequest[] queue;
    private int freeCount;
    private int first;
    private int size;

    /**
     * Makes the pool.
     *
     * @param count of requests that can be processed at once.
     */
    SplitRequestQueue(final int count)
    {
        free = new SplitRequest[count];
        queue = new SplitRequest[count];
        while (freeCount < count)
        {
            free[freeCount++] = new SplitRequest();
        }
    }

    /**
     * {@return whether the pool is empty}
     */
    boolean isFull()
    {
        return 0 == freeCount;
    }

    /**
     * Takes a split request of the pool; there must be one.
     *
     * @param request to process.
     * @param flushes whether a Flush follows.
     * @return the split request, not queued.
     */
    SplitRequest begin(final BlockRequest request, final boolean flushes)
    {
        final SplitRequest split = free[--freeCount];
        split.begin(request, flushes);
        return split;
    }

    /**
     * Returns a split request to the pool.
     *
     * @param split not queued.
     */
    void end(final SplitRequest split)
    {
        split.end();
        free[freeCount++] = split;
    }

    /**
     * Queues a split request.
     *
     * @param split not queued yet.
     */
    void add(final SplitRequest split)
    {
        split.listed(true);
        queue[(first + size) % queue.length] = split;
        size++;
    }

    /**
     * {@return the first of the queue, which is removed but stays marked as listed}
     */
    SplitRequest take()
    {
        final SplitRequest split = queue[first];
        queue[first] = null;
        first = (first + 1) % queue.length;
        size--;
        return split;
    }

    /**
     * {@return number of queued split requests}
     */
    int size()
    {
        return size;
    }
}

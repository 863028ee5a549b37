package io.millrace.block.nvme;

import io.millrace.block.BlockRequest;

/**
 * The requests of a channel that take several commands: a pool of them, and the line of those that have more to send.
 * Single-threaded; nothing is allocated after construction.
 */
final class SplitLine
{
    private final SplitRequest[] free;
    private final SplitRequest[] line;
    private int freeCount;
    private int first;
    private int size;

    /**
     * Makes the pool.
     *
     * @param count of requests that can be worked off at once.
     */
    SplitLine(final int count)
    {
        free = new SplitRequest[count];
        line = new SplitRequest[count];
        while (freeCount < count)
        {
            free[freeCount++] = new SplitRequest();
        }
    }

    /**
     * {@return whether as many are being worked off as can be}
     */
    boolean isFull()
    {
        return 0 == freeCount;
    }

    /**
     * Takes one of the pool; there must be one.
     *
     * @param request to work off.
     * @param way     how.
     * @param flushes whether a Flush follows.
     * @param buffer  to read into where reads are compared, else 0.
     * @return it, not in line.
     */
    SplitRequest begin(
        final BlockRequest request, final SplitRequest.Way way, final boolean flushes, final long buffer)
    {
        final SplitRequest split = free[--freeCount];
        split.begin(request, way, flushes, buffer);
        return split;
    }

    /**
     * Gives one back to the pool.
     *
     * @param split not in line.
     */
    void end(final SplitRequest split)
    {
        split.end();
        free[freeCount++] = split;
    }

    /**
     * Puts one at the end of the line.
     *
     * @param split not in line yet.
     */
    void add(final SplitRequest split)
    {
        split.listed(true);
        line[(first + size) % line.length] = split;
        size++;
    }

    /**
     * {@return the first in line, which leaves it but stays marked as listed}
     */
    SplitRequest take()
    {
        final SplitRequest split = line[first];
        line[first] = null;
        first = (first + 1) % line.length;
        size--;
        return split;
    }

    /**
     * {@return how many are in line}
     */
    int size()
    {
        return size;
    }
}

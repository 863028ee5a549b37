package io.millrace.nvmf;

import java.util.Arrays;

/**
 * The active requests of a queue pair by their tags. Grows as a host uses its queue and then stays. Single-threaded.
 */
final class RequestTable
{
    /** Tags travel in 16 bits. */
    private static final int SIZE_MAX = 1 << 16;
    private static final int SIZE_MIN = 8;
    /**
     * A request is in use until its answer has left memory, which may be after the host saw it and sent its next
     * command, so there are more places than a queue has entries.
     */
    private static final int PLACES_PER_ENTRY = 4;

    private Request[] requests = new Request[SIZE_MIN];
    private int[] freeTags = new int[SIZE_MIN];
    private int freeCount;

    RequestTable()
    {
        free(0);
    }

    /**
     * Makes room for one more.
     *
     * @param depth of the queue, which bounds the table.
     * @return false when there can be no more.
     */
    boolean ensureRoom(final int depth)
    {
        return freeCount > 0 || grow(depth);
    }

    /**
     * Takes a request in and gives it its tag. There is room.
     *
     * @param request to take in.
     */
    void add(final Request request)
    {
        final int tag = freeTags[--freeCount];
        request.tag(tag);
        requests[tag] = request;
    }

    void remove(final Request request)
    {
        final int tag = request.tag();
        requests[tag] = null;
        freeTags[freeCount++] = tag;
    }

    /**
     * {@return whether no request is active}
     */
    boolean isEmpty()
    {
        return freeCount == requests.length;
    }

    /**
     * {@return how many tags there are}
     */
    int size()
    {
        return requests.length;
    }

    /**
     * {@return whether one of them changes what its device holds; all are at their devices}
     */
    boolean isAnyChangingData()
    {
        for (final Request request : requests)
        {
            if (null != request && request.blockRequest().operation().changesData())
            {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return request of a tag; null when there is none}
     *
     * @param tag below {@link #size()}.
     */
    Request get(final int tag)
    {
        return requests[tag];
    }

    private boolean grow(final int depth)
    {
        final int size = requests.length;
        final int limit = Math.min(SIZE_MAX, Math.max(SIZE_MIN, PLACES_PER_ENTRY * depth));
        if (size >= limit)
        {
            return false;
        }
        requests = Arrays.copyOf(requests, Math.min(limit, 2 * size));
        freeTags = Arrays.copyOf(freeTags, requests.length);
        free(size);
        return true;
    }

    private void free(final int from)
    {
        for (int tag = requests.length - 1; tag >= from; tag--)
        {
            freeTags[freeCount++] = tag;
        }
    }
}

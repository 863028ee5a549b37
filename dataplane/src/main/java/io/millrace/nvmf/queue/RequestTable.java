package io.millrace.nvmf.queue;

import io.millrace.nvmf.request.Request;
import java.util.Arrays;

/**
 * The active requests of a queue pair by their tags. Grows as a host uses its queue and then stays. Single-threaded.
 */
final class RequestTable
{
    /** Tags travel in 16 bits. */
    private static final int SIZE_MAX = 1 << 16;
    private static final int SIZE_MIN = 8;
    private static final Request[] NO_REQUESTS = {};
    private static final int[] NO_TAGS = {};

    private Request[] requests = NO_REQUESTS;
    private int[] freeTags = NO_TAGS;
    private int freeCount;

    /**
     * {@return whether there may be one more}
     *
     * @param depth of the queue, which bounds the table: a host has no more commands under way, as long as it counts
     *              those
     *              whose answers it has not taken.
     */
    boolean hasRoom(final int depth)
    {
        return freeCount > 0 || requests.length < limit(depth);
    }

    /**
     * Takes a request in and gives it its tag. There is room.
     *
     * @param request to take in.
     * @param depth   of the queue.
     */
    void add(final Request request, final int depth)
    {
        if (0 == freeCount)
        {
            grow(depth);
        }
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
     * {@return how many requests are active}
     */
    int used()
    {
        return requests.length - freeCount;
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

    private static int limit(final int depth)
    {
        return Math.min(SIZE_MAX, depth);
    }

    private void grow(final int depth)
    {
        final int size = requests.length;
        requests = Arrays.copyOf(requests, Math.min(limit(depth), Math.max(SIZE_MIN, 2 * size)));
        freeTags = Arrays.copyOf(freeTags, requests.length);
        free(size);
    }

    private void free(final int from)
    {
        for (int tag = requests.length - 1; tag >= from; tag--)
        {
            freeTags[freeCount++] = tag;
        }
    }
}

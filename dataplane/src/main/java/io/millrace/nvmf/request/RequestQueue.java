package io.millrace.nvmf.request;

/**
 * Requests that wait, in order: a list linked through the requests themselves, so that a request can be removed from
 * the middle when its connection ends. Single-threaded.
 * <p>
 * Block requests have a list of their own: one list over an interface of both would make calls of the I/O path
 * megamorphic.
 */
final class RequestQueue
{
    private Request head;
    private Request tail;
    private int size;

    /**
     * Creates an empty queue.
     */
    RequestQueue()
    {
    }

    /**
     * Adds at the end.
     *
     * @param request in no list.
     */
    void add(final Request request)
    {
        request.next(null);
        request.previous(tail);
        if (null == tail)
        {
            head = request;
        }
        else
        {
            tail.next(request);
        }
        tail = request;
        size++;
    }

    /**
     * {@return the first, or null}
     */
    Request first()
    {
        return head;
    }

    /**
     * Takes one out.
     *
     * @param request of this list.
     */
    void remove(final Request request)
    {
        final Request before = request.previous();
        final Request after = request.next();
        if (null == before)
        {
            head = after;
        }
        else
        {
            before.next(after);
        }
        if (null == after)
        {
            tail = before;
        }
        else
        {
            after.previous(before);
        }
        request.previous(null);
        request.next(null);
        size--;
    }

    /**
     * {@return how many wait}
     */
    int size()
    {
        return size;
    }
}

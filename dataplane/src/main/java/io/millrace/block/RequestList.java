package io.millrace.block;

/**
 * Requests of one owner in order, linked through the requests themselves, so that one can be removed from the middle.
 * Single-threaded.
 */
final class RequestList
{
    private BlockRequest head;
    private BlockRequest tail;
    private int size;

    int size()
    {
        return size;
    }

    /**
     * {@return whether a request is in this list}
     *
     * @param request in no other list.
     */
    boolean contains(final BlockRequest request)
    {
        return head == request || null != request.previous();
    }

    void add(final BlockRequest request)
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

    void addFirst(final BlockRequest request)
    {
        request.previous(null);
        request.next(head);
        if (null == head)
        {
            tail = request;
        }
        else
        {
            head.previous(request);
        }
        head = request;
        size++;
    }

    BlockRequest removeFirst()
    {
        final BlockRequest request = head;
        remove(request);
        return request;
    }

    void remove(final BlockRequest request)
    {
        final BlockRequest before = request.previous();
        final BlockRequest after = request.next();
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
}

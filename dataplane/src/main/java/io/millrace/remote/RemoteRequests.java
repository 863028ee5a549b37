package io.millrace.remote;

/**
 * Requests of a channel in the order in which they are to be sent. Each is in one such list at most. Single-threaded.
 */
final class RemoteRequests
{
    private RemoteRequest head;
    private RemoteRequest tail;

    boolean isEmpty()
    {
        return null == head;
    }

    RemoteRequest peek()
    {
        return head;
    }

    RemoteRequest poll()
    {
        final RemoteRequest first = head;
        if (null != first)
        {
            head = first.next();
            tail = null == head ? null : tail;
            first.next(null);
        }
        return first;
    }

    /**
     * {@return a list of all requests of this one, which is empty afterwards}
     */
    RemoteRequests takeAll()
    {
        final RemoteRequests taken = new RemoteRequests();
        taken.head = head;
        taken.tail = tail;
        head = null;
        tail = null;
        return taken;
    }

    void add(final RemoteRequest request)
    {
        if (null == head)
        {
            head = request;
        }
        else
        {
            tail.next(request);
        }
        tail = request;
    }

    void addFirst(final RemoteRequest request)
    {
        request.next(head);
        head = request;
        tail = null == tail ? request : tail;
    }
}

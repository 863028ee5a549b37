package io.millrace.nvmf.rdma;

import io.millrace.nvmf.request.Request;

/**
 * Requests that wait in their order, linked by {@link Request#next}. Single-threaded; nothing is allocated.
 */
final class RequestList
{
    private Request head;
    private Request tail;

    Request first()
    {
        return head;
    }

    boolean isEmpty()
    {
        return null == head;
    }

    void add(final Request request)
    {
        request.next(null);
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

    void removeFirst()
    {
        final Request first = head;
        head = first.next();
        first.next(null);
    }

    /**
     * Removes one from anywhere.
     *
     * @param request to remove.
     * @return false when it is not here.
     */
    boolean remove(final Request request)
    {
        Request before = null;
        for (Request each = head; null != each; each = each.next())
        {
            if (each == request)
            {
                if (null == before)
                {
                    head = each.next();
                }
                else
                {
                    before.next(each.next());
                }
                if (tail == each)
                {
                    tail = before;
                }
                each.next(null);
                return true;
            }
            before = each;
        }
        return false;
    }

    void clear()
    {
        head = null;
        tail = null;
    }
}

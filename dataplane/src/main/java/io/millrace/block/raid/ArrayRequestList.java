package io.millrace.block.raid;

/**
 * Requests of hosts in order, linked through themselves, each in one list at most. The reactor's only; allocates
 * nothing.
 */
final class ArrayRequestList
{
    private ArrayRequest first;
    private ArrayRequest last;

    boolean isEmpty()
    {
        return null == first;
    }

    /** {@return the first, from which {@code next} leads to the others; null when empty} */
    ArrayRequest first()
    {
        return first;
    }

    void add(final ArrayRequest request)
    {
        request.next = null;
        if (null == first)
        {
            first = request;
        }
        else
        {
            last.next = request;
        }
        last = request;
    }

    /** {@return the first, which is not in the list any more; not of an empty list} */
    ArrayRequest removeFirst()
    {
        final ArrayRequest request = first;
        first = request.next;
        return request;
    }
}

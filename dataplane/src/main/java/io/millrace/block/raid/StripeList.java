package io.millrace.block.raid;

/**
 * Stripe requests in order, linked through themselves. The reactor's only.
 */
final class StripeList
{
    private StripeRequest first;
    private StripeRequest last;
    private int size;

    int size()
    {
        return size;
    }

    void add(final StripeRequest request)
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
        size++;
    }

    StripeRequest removeFirst()
    {
        final StripeRequest request = first;
        first = request.next;
        request.next = null;
        size--;
        return request;
    }
}

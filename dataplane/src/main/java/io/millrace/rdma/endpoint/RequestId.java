package io.millrace.rdma.endpoint;

/**
 * What a completion names its request by: 31 bits for the queue pair, one for the queue, 32 for the place in the order
 * of posting. Stateless.
 */
final class RequestId
{
    private static final long RECEIVE = 1L << 32;
    private static final int SLOT_SHIFT = 33;

    private RequestId()
    {
    }

    static long send(final int slot, final int sequence)
    {
        return (long)slot << SLOT_SHIFT | Integer.toUnsignedLong(sequence);
    }

    static long receive(final int slot, final int sequence)
    {
        return send(slot, sequence) | RECEIVE;
    }

    static int slot(final long id)
    {
        return (int)(id >>> SLOT_SHIFT);
    }

    static boolean isReceive(final long id)
    {
        return 0 != (id & RECEIVE);
    }

    static int sequence(final long id)
    {
        return (int)id;
    }
}

package io.millrace.rdma.endpoint;

/**
 * The outstanding requests of one queue of a queue pair, in the order of posting, which is the order of their
 * completions. Single-threaded; nothing is allocated.
 */
final class RequestOrder
{
    private final int depth;
    private final int mask;
    private final long[] ids;
    private final boolean[] signalled;
    /** The oldest outstanding one and the next one; both wrap. */
    private int head;
    private int tail;
    private int completionTail;

    RequestOrder(final int depth)
    {
        this.depth = depth;
        final int capacity = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
        mask = capacity - 1;
        ids = new long[capacity];
        signalled = new boolean[capacity];
    }

    int outstanding()
    {
        return tail - head;
    }

    int room()
    {
        return depth - outstanding();
    }

    /** {@return its sequence number} */
    int add(final long id, final boolean isSignalled)
    {
        final int sequence = tail++;
        ids[sequence & mask] = id;
        signalled[sequence & mask] = isSignalled;
        return sequence;
    }

    /** The last one that was added has a completion. */
    void lastHasCompletion()
    {
        completionTail = tail;
    }

    /** {@return how many were added after the last one that has a completion} */
    int sinceCompletion()
    {
        return tail - completionTail;
    }

    /** {@return whether one is outstanding that was added before another, which is outstanding too} */
    boolean hasBefore(final int sequence)
    {
        return sequence != head && isOutstanding(sequence);
    }

    private boolean isOutstanding(final int sequence)
    {
        return Integer.compareUnsigned(sequence - head, tail - head) < 0;
    }

    /**
     * One has ended, and all before it.
     *
     * @return false when it is not outstanding.
     */
    boolean endUntil(final int sequence)
    {
        if (!isOutstanding(sequence))
        {
            return false;
        }
        head = sequence + 1;
        return true;
    }

    /** {@return the oldest one that is outstanding, when one is} */
    int first()
    {
        return head;
    }

    /** {@return the oldest one, which has ended} */
    int endFirst()
    {
        return head++;
    }

    /** {@return the id of one, valid until as many as the depth have been added after it} */
    long id(final int sequence)
    {
        return ids[sequence & mask];
    }

    boolean isSignalled(final int sequence)
    {
        return signalled[sequence & mask];
    }
}

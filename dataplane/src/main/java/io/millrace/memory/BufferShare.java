package io.millrace.memory;

/**
 * Share of one connection of a {@link BufferPool}, and the queue of its waiters. Its pool's reactor only.
 */
public final class BufferShare
{
    private final BufferPool pool;
    final BufferGroup group;
    long heldBytes;
    int waiting;
    BufferWaiter first;
    private BufferWaiter last;

    /** Neighbours in the pool's ring of shares with a queue. */
    BufferShare next;
    BufferShare previous;

    BufferShare(final BufferPool pool, final BufferGroup group)
    {
        this.pool = pool;
        this.group = group;
    }

    /**
     * {@return the pool that it is of}
     */
    public BufferPool pool()
    {
        return pool;
    }

    /**
     * {@return the group that it is limited with}
     */
    public BufferGroup group()
    {
        return group;
    }

    /**
     * {@return bytes that it holds, rounded to buffer sizes; not those that are {@link BufferPool#lend lent}}
     */
    public long heldBytes()
    {
        return heldBytes;
    }

    /**
     * {@return how many wait}
     */
    public int waiting()
    {
        return waiting;
    }

    void hold(final long bytes)
    {
        heldBytes += bytes;
        group.heldBytes += bytes;
    }

    boolean hasWaiting()
    {
        return 0 != (waiting | group.waiting);
    }

    void add(final BufferWaiter waiter, final int lengthBytes)
    {
        waiter.awaited = this;
        waiter.awaitedBytes = lengthBytes;
        waiter.next = null;
        waiter.previous = last;
        if (null == last)
        {
            first = waiter;
        }
        else
        {
            last.next = waiter;
        }
        last = waiter;
        waiting++;
        group.waiting++;
    }

    void remove(final BufferWaiter waiter)
    {
        final BufferWaiter before = waiter.previous;
        final BufferWaiter after = waiter.next;
        if (null == before)
        {
            first = after;
        }
        else
        {
            before.next = after;
        }
        if (null == after)
        {
            last = before;
        }
        else
        {
            after.previous = before;
        }
        waiter.next = null;
        waiter.previous = null;
        waiter.awaited = null;
        waiting--;
        group.waiting--;
    }
}

package io.millrace.memory;

/**
 * Shares of a {@link BufferPool} with waiters, in the order of their turns. Linked through the shares themselves.
 * Single-threaded; nothing is allocated.
 */
final class ShareRing
{
    private BufferShare turn;
    private int size;

    /**
     * {@return how many there are}
     */
    int size()
    {
        return size;
    }

    /**
     * {@return the share that is served next; null when no share waits}
     */
    BufferShare first()
    {
        return turn;
    }

    /**
     * {@return the share that is served next; it becomes the last of the ring}
     */
    BufferShare next()
    {
        final BufferShare share = turn;
        turn = share.next;
        return share;
    }

    /**
     * Adds a share as the last.
     *
     * @param share in no ring.
     */
    void add(final BufferShare share)
    {
        if (null == turn)
        {
            turn = share;
            share.next = share;
            share.previous = share;
        }
        else
        {
            share.next = turn;
            share.previous = turn.previous;
            turn.previous.next = share;
            turn.previous = share;
        }
        size++;
    }

    /**
     * Removes a share.
     *
     * @param share in this ring.
     */
    void remove(final BufferShare share)
    {
        if (share.next == share)
        {
            turn = null;
        }
        else
        {
            turn = turn == share ? share.next : turn;
            share.previous.next = share.next;
            share.next.previous = share.previous;
        }
        share.next = null;
        share.previous = null;
        size--;
    }
}

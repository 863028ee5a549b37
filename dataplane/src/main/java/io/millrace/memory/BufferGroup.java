package io.millrace.memory;

/**
 * Shares of a {@link BufferPool} that are limited together: the connections of a host. Its pool's reactor only.
 */
public final class BufferGroup
{
    long heldBytes;
    int waiting;
    /** Whether it has a buffer of the pool's floors. */
    boolean holdsFloor;

    /**
     * Holds nothing.
     */
    public BufferGroup()
    {
    }

    /**
     * {@return bytes that its shares hold, rounded to buffer sizes}
     */
    public long heldBytes()
    {
        return heldBytes;
    }

    /**
     * {@return how many wait in its shares}
     */
    public int waiting()
    {
        return waiting;
    }
}

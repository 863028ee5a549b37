package io.millrace.memory;

/**
 * Waits in a {@link BufferPool} for a buffer, in the queue of its {@link BufferShare}: linked there through itself, so
 * that waiting allocates nothing and a waiter can be removed from the middle. In one queue at most. Its pool's reactor
 * only.
 */
public abstract class BufferWaiter
{
    BufferWaiter next;
    BufferWaiter previous;
    BufferShare awaited;
    int awaitedBytes;
    /** Whether a smaller buffer will do. */
    boolean isDivisible;

    /**
     * Waits for nothing.
     */
    protected BufferWaiter()
    {
    }

    /**
     * A buffer was assigned; it belongs to the waiter now.
     *
     * @param address     of the buffer.
     * @param lengthBytes that was asked for; less only when it {@link BufferPool#awaitPart waits for a part}.
     */
    public abstract void onBuffer(long address, int lengthBytes);
}

package io.millrace.memory;

/**
 * Waits in a {@link BufferPool} for a buffer. Called on the pool's reactor.
 */
public interface BufferWaiter
{
    /**
     * A buffer is there; it belongs to the waiter now.
     *
     * @param address     of the buffer.
     * @param lengthBytes that was asked for.
     */
    void onBuffer(long address, int lengthBytes);
}

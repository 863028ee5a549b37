package io.millrace.memory;

import io.millrace.reactor.Poller;

/**
 * One reactor's I/O buffers, contiguous and aligned to 4 KiB, in power-of-two sizes from 4 KiB to the largest transfer, carved
 * out of one region by a buddy scheme. When it is empty requesters wait in order; nothing fails and nobody overtakes.
 * Single-threaded.
 */
public final class BufferPool implements Poller
{
    /** Smallest buffer. */
    public static final int BUFFER_BYTES_MIN = 4096;

    /**
     * Makes a pool over a region.
     *
     * @param address        of the region; a multiple of the largest buffer's size.
     * @param lengthBytes    of the region; a multiple of the largest buffer's size.
     * @param bufferBytesMax largest buffer; a power of two.
     */
    public BufferPool(final long address, final long lengthBytes, final int bufferBytesMax)
    {
        throw new IllegalStateException("in the works");
    }

    /**
     * Takes a buffer if there is one and nobody waits.
     *
     * @param lengthBytes wanted, up to the largest buffer.
     * @return its address, or 0: then {@link #await} a buffer.
     */
    public long acquire(final int lengthBytes)
    {
        return 0;
    }

    /**
     * Waits in line for a buffer.
     *
     * @param waiter      told when it is there, from {@link #poll()}.
     * @param lengthBytes wanted, up to the largest buffer.
     */
    public void await(final BufferWaiter waiter, final int lengthBytes)
    {
    }

    /**
     * Leaves the line.
     *
     * @param waiter that need not be told any more.
     * @return false when it was not waiting.
     */
    public boolean cancel(final BufferWaiter waiter)
    {
        return false;
    }

    /**
     * Gives a buffer back.
     *
     * @param address     from {@link #acquire} or {@link BufferWaiter#onBuffer}.
     * @param lengthBytes that was asked for.
     */
    public void release(final long address, final int lengthBytes)
    {
    }

    /**
     * {@return bytes that are handed out, rounded to buffer sizes}
     */
    public long usedBytes()
    {
        return 0;
    }

    /**
     * {@return how many times a requester had to wait}
     */
    public long waitCount()
    {
        return 0;
    }

    /**
     * Hands freed buffers to those who wait, in order.
     *
     * @return how many were handed out.
     */
    @Override
    public int poll()
    {
        return 0;
    }
}

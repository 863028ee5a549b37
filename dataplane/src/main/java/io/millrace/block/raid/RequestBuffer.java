package io.millrace.block.raid;

import io.millrace.block.MemoryHold;

/**
 * The buffer of a {@link StripeRequest} or a {@link HedgedRead}, which takes one at a time. It goes back when the
 * request is done with it, and all members are that may still use it though their parts have ended. The reactor's only;
 * allocates only for those.
 */
final class RequestBuffer
{
    private final StripeBuffers buffers;
    /** 0: none is taken. */
    private long address;
    private int lengthBytes;
    /** When a member may still use it though its part has ended; else null. */
    private HeldBuffer held;

    /**
     * None is taken.
     *
     * @param buffers of the channel.
     */
    RequestBuffer(final StripeBuffers buffers)
    {
        this.buffers = buffers;
    }

    /**
     * Takes a buffer; the last one was released.
     *
     * @param newLengthBytes of the buffer.
     * @return its address; 0: none is free now.
     */
    long acquire(final int newLengthBytes)
    {
        address = buffers.acquire(newLengthBytes);
        lengthBytes = newLengthBytes;
        return address;
    }

    /**
     * Takes a buffer that is not the channel's own; the last one was released.
     *
     * @param newLengthBytes of the buffer.
     * @return its address; 0: none is free now.
     */
    long acquireShared(final int newLengthBytes)
    {
        address = buffers.acquireShared(newLengthBytes);
        lengthBytes = newLengthBytes;
        return address;
    }

    /**
     * A member may still use it though its part has ended.
     *
     * @param hold of the part.
     */
    void hold(final MemoryHold hold)
    {
        if (0 != address)
        {
            held = null == held ? new HeldBuffer(buffers, address, lengthBytes) : held;
            held.retain(hold);
        }
    }

    /** The request is done with it. Nothing is done when none is taken. */
    void release()
    {
        if (null != held)
        {
            held.release();
            held = null;
        }
        else if (0 != address)
        {
            buffers.release(address, lengthBytes);
        }
        address = 0;
    }
}

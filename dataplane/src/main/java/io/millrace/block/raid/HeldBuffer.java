package io.millrace.block.raid;

import io.millrace.block.MemoryHold;

/**
 * A buffer that members may still use though their parts of its request have ended. It goes back when the request and
 * all of them are done with it. The reactor's only.
 */
final class HeldBuffer
{
    private final StripeBuffers buffers;
    private final long address;
    private final int lengthBytes;
    private int users = 1;

    /**
     * A buffer that its request uses.
     *
     * @param buffers     that it is of.
     * @param address     of the buffer.
     * @param lengthBytes that was wanted.
     */
    HeldBuffer(final StripeBuffers buffers, final long address, final int lengthBytes)
    {
        this.buffers = buffers;
        this.address = address;
        this.lengthBytes = lengthBytes;
    }

    void retain(final MemoryHold hold)
    {
        users++;
        hold.whenReleased(this::release);
    }

    void release()
    {
        users--;
        if (0 == users)
        {
            buffers.release(address, lengthBytes);
        }
    }
}

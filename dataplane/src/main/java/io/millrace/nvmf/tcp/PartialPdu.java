package io.millrace.nvmf.tcp;

import io.millrace.bindings.NativeMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Received bytes of a connection that are kept between two polls, in a borrowed block: a small one for a partial PDU, a
 * large one when a capsule stalls and much is behind it. Its connection's reactor only.
 */
final class PartialPdu
{
    private final ReceiveBuffer buffer;
    private SlabPool pool;
    private long address;
    private int length;

    PartialPdu(final ReceiveBuffer buffer)
    {
        this.buffer = buffer;
    }

    int length()
    {
        return length;
    }

    /**
     * Replaces the kept bytes.
     *
     * @param start of them, which may lie within what is kept.
     * @param limit of them.
     */
    void keep(final long start, final long limit)
    {
        final int newLength = (int)(limit - start);
        if (0 == newLength)
        {
            release();
            return;
        }
        final SlabPool newPool =
            newLength <= buffer.smallBlocks().blockBytes() ? buffer.smallBlocks() : buffer.largeBlocks();
        if (newPool == pool)
        {
            NativeMemory.copy(start, address, newLength);
        }
        else
        {
            final long newAddress = newPool.acquire();
            NativeMemory.copy(start, newAddress, newLength);
            release();
            pool = newPool;
            address = newAddress;
        }
        length = newLength;
    }

    void release()
    {
        if (null != pool)
        {
            pool.release(address);
            pool = null;
            length = 0;
        }
    }

    /**
     * Copies what is kept in front of the receiving area.
     *
     * @return where it begins there.
     */
    long copyToBuffer()
    {
        final long start = buffer.startAddress() - length;
        NativeMemory.copy(address, start, length);
        return start;
    }

    /**
     * {@return whether the kept bytes fit in front of the receiving area}
     */
    boolean isSmall()
    {
        return buffer.smallBlocks() == pool;
    }

    long address()
    {
        return address;
    }

    /**
     * {@return a new view of the block, for parsing in place; offset 0 is {@link #address()}}
     */
    UnsafeBuffer view()
    {
        return new UnsafeBuffer(address, pool.blockBytes());
    }
}

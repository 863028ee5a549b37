package io.millrace.block.raid;

import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.DmaMemory;

/**
 * Buffers of a channel for parity and for data that it reads to compute it: of the reactor's pool, and one of the
 * channel's own for when the pool has none, so that requests go on while all buffers of the pool are held by requests
 * that wait for the array. The reactor's only; nothing is allocated per request.
 */
final class StripeBuffers implements AutoCloseable
{
    /** Longest buffer. */
    private static final int BUFFER_BYTES_MAX = 1 << 20;
    /** The part of a pool that the channel's own buffer may take. */
    private static final int POOL_SHARE = 16;

    private final BufferPool pool;
    private final BufferShare share;
    private final DmaMemory memory;
    private final int bufferBytesMax;
    private long reserve;
    private boolean isReserveUsed;
    private int usedCount;
    private boolean isClosed;

    /**
     * Takes the buffer of its own.
     *
     * @param pool     of the reactor; null without one.
     * @param bytesMin that a request needs at least.
     */
    StripeBuffers(final BufferPool pool, final int bytesMin)
    {
        this.pool = pool;
        share = null == pool ? null : pool.newShare(new BufferGroup());
        int bytes = BUFFER_BYTES_MAX;
        if (null != pool)
        {
            final int least = BufferPool.bufferBytes(bytesMin);
            bytes = Math.clamp(Long.highestOneBit(pool.lengthBytes() / POOL_SHARE), least,
                Math.max(least, Math.min(BUFFER_BYTES_MAX, pool.bufferBytesMax())));
            reserve = bytes > pool.bufferBytesMax() ? 0 : pool.acquire(share, bytes);
            // A shorter one will do: requests are cut to it.
            while (0 == reserve && bytes > least)
            {
                bytes /= 2;
                reserve = pool.acquire(share, bytes);
            }
        }
        memory = null == pool ? DmaMemory.map(bytes) : null;
        reserve = null == memory ? reserve : memory.address();
        bufferBytesMax = bytes;
    }

    /**
     * {@return whether there is a buffer at all}
     */
    boolean exist()
    {
        return 0 != reserve;
    }

    /**
     * {@return length of the reactor's pool; 0 without one}
     */
    long poolBytes()
    {
        return null == pool ? 0 : pool.lengthBytes();
    }

    /**
     * {@return length of the longest buffer}
     */
    int bufferBytesMax()
    {
        return bufferBytesMax;
    }

    /**
     * Takes a buffer.
     *
     * @param lengthBytes wanted, at most {@link #bufferBytesMax}.
     * @return its address; 0: try again later.
     */
    long acquire(final int lengthBytes)
    {
        if (!isReserveUsed)
        {
            isReserveUsed = true;
            usedCount++;
            return reserve;
        }
        return acquireShared(lengthBytes);
    }

    /**
     * Takes a buffer that may be kept for long, or that nothing depends on: not the channel's own.
     *
     * @param lengthBytes wanted, at most {@link #bufferBytesMax}.
     * @return its address; 0: none is free now.
     */
    long acquireShared(final int lengthBytes)
    {
        final long address = null == pool ? 0 : pool.acquire(share, lengthBytes);
        usedCount += 0 == address ? 0 : 1;
        return address;
    }

    /**
     * Gives a buffer back.
     *
     * @param address     of the buffer.
     * @param lengthBytes that was wanted.
     */
    void release(final long address, final int lengthBytes)
    {
        if (reserve == address)
        {
            isReserveUsed = false;
        }
        else
        {
            pool.release(share, address, lengthBytes);
        }
        usedCount--;
        if (isClosed && 0 == usedCount)
        {
            free();
        }
    }

    /** Gives its own buffer back, as soon as no member uses any. */
    @Override
    public void close()
    {
        isClosed = true;
        if (0 == usedCount)
        {
            free();
        }
    }

    private void free()
    {
        if (null != memory)
        {
            memory.close();
        }
        else if (0 != reserve)
        {
            pool.release(share, reserve, bufferBytesMax);
        }
    }
}

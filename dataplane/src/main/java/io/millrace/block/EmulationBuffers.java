package io.millrace.block;

import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;

/**
 * Buffers of a reactor for {@link Emulation}, taken from its pool when a command needs one. The first is kept from then
 * on, so that emulated commands go on when everything else is held by commands that wait for them. The reactor's only.
 */
public final class EmulationBuffers
{
    private static final int BUFFER_BYTES_MAX = 128 << 10;
    private static final long NONE = 0;

    private final BufferPool pool;
    private final BufferShare share;
    private final int bufferBytes;
    private long keptAddress = NONE;
    private int keptBytes;
    private boolean isKeptFree;
    private boolean isClosed;

    /**
     * Has none yet.
     *
     * @param pool of the reactor; null where there are no buffers.
     */
    public EmulationBuffers(final BufferPool pool)
    {
        this.pool = pool;
        share = null == pool ? null : pool.newShare(new BufferGroup());
        bufferBytes = null == pool ? 0 : Math.min(BUFFER_BYTES_MAX, pool.bufferBytesMax());
    }

    /**
     * {@return whether there are buffers at all}
     */
    boolean exist()
    {
        return null != pool;
    }

    /**
     * {@return address of a buffer, 0 when none is free now; its length is {@link #bytes}}
     */
    long acquire()
    {
        if (NONE == keptAddress)
        {
            keepFirst();
        }
        if (isKeptFree)
        {
            isKeptFree = false;
            return keptAddress;
        }
        return NONE == keptAddress ? NONE : pool.acquire(share, bufferBytes);
    }

    /** A small one will do where the pool has no other: the command goes on all the same. */
    private void keepFirst()
    {
        keptBytes = 2 * bufferBytes;
        while (NONE == keptAddress && keptBytes > BufferPool.BUFFER_BYTES_MIN)
        {
            keptBytes /= 2;
            keptAddress = pool.acquire(share, keptBytes);
        }
        isKeptFree = NONE != keptAddress;
    }

    /**
     * {@return length of a buffer in bytes}
     *
     * @param address of the buffer.
     */
    int bytes(final long address)
    {
        return address == keptAddress ? keptBytes : bufferBytes;
    }

    /**
     * Takes a buffer back.
     *
     * @param address of the buffer.
     */
    void release(final long address)
    {
        if (address != keptAddress)
        {
            pool.release(share, address, bufferBytes);
            return;
        }
        isKeptFree = true;
        if (isClosed || keptBytes < bufferBytes)
        {
            releaseKept();
        }
    }

    /** Gives the kept buffer back to the pool, or when the device lets go of it. No channel is left. */
    public void close()
    {
        isClosed = true;
        if (isKeptFree)
        {
            releaseKept();
        }
    }

    private void releaseKept()
    {
        isKeptFree = false;
        pool.release(share, keptAddress, keptBytes);
        keptAddress = NONE;
    }
}

package io.millrace.block;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.BufferWaiter;

/**
 * Buffers of a reactor for {@link Emulation}, taken from its pool when a command needs one. Commands wait for them in
 * order, and in the pool's turn with everybody else. Commands that write zeroes share one buffer, the longest. The
 * last one is not given back while commands wait, and is kept from then on, so that emulated commands continue when
 * everything else is held by commands that wait for them. The reactor's only; nothing is allocated per command.
 */
public final class EmulationBuffers
{
    private static final int BUFFER_BYTES_MAX = 128 << 10;

    private final BufferPool pool;
    private final BufferShare share;
    private final int bufferBytes;
    /** The first buffer is not smaller: hosts are promised that writes, of zeroes too, are atomic up to this length. */
    private final int firstBytesMin;
    private final PoolWaiter waiter = new PoolWaiter();
    /** First and last command that wait. */
    private EmulatedRequest first;
    private EmulatedRequest last;
    /** Of the commands that write zeroes; null while there are none. */
    private Buffer zeroes;
    /** The last buffer, which no command uses at present; null when none is kept. */
    private Buffer kept;
    /** Objects for buffers to come. */
    private Buffer unused;
    private int heldCount;
    private boolean isWaiting;
    private boolean isClosed;

    /** A buffer of the pool. */
    static final class Buffer
    {
        private long address;
        private int lengthBytes;
        private int users;
        private boolean isZeroed;
        private Buffer next;

        long address()
        {
            return address;
        }

        int lengthBytes()
        {
            return lengthBytes;
        }
    }

    /** Waits in the pool on behalf of the first command. */
    private final class PoolWaiter extends BufferWaiter
    {
        @Override
        public void onBuffer(final long address, final int lengthBytes)
        {
            isWaiting = false;
            serve(add(address, lengthBytes));
        }
    }

    /**
     * Has none yet.
     *
     * @param pool of the reactor, which is polled; null where there are no buffers.
     */
    public EmulationBuffers(final BufferPool pool)
    {
        this.pool = pool;
        share = null == pool ? null : pool.newShare(new BufferGroup());
        bufferBytes = null == pool ? 0 : Math.min(BUFFER_BYTES_MAX, pool.bufferBytesMax());
        firstBytesMin = Math.min(bufferBytes, BufferPool.FLOOR_BUFFER_BYTES_MAX);
    }

    /**
     * {@return whether there are buffers at all}
     */
    boolean exist()
    {
        return null != pool;
    }

    /**
     * Gives a command a buffer, now or later; {@link #release} ends its use.
     *
     * @param request to notify; one that writes zeroes gets zeroes, which nobody changes.
     */
    void acquire(final EmulatedRequest request)
    {
        if (null != zeroes && request.writesZeroes())
        {
            final Buffer full = zeroes.lengthBytes < bufferBytes && null == first ? takeOf(bufferBytes) : null;
            give(null == full ? zeroes : full, request);
            return;
        }
        final Buffer buffer = null == first ? take() : null;
        if (null == buffer)
        {
            enqueue(request);
        }
        else
        {
            give(buffer, request);
        }
    }

    /**
     * A command does not need a buffer any more.
     *
     * @param request that waits for one.
     */
    void cancel(final EmulatedRequest request)
    {
        EmulatedRequest before = null;
        for (EmulatedRequest each = first; each != request; each = each.next())
        {
            before = each;
        }
        if (null == before)
        {
            first = request.next();
        }
        else
        {
            before.next(request.next());
        }
        last = last == request ? before : last;
        request.next(null);
        awaitOrCancel();
    }

    /**
     * Adds a use: of memory that a device may still access when the command has ended.
     *
     * @param buffer in use.
     */
    void retain(final Buffer buffer)
    {
        buffer.users++;
    }

    /**
     * Ends a use of a buffer.
     *
     * @param buffer in use.
     */
    void release(final Buffer buffer)
    {
        buffer.users--;
        if (0 != buffer.users)
        {
            return;
        }
        zeroes = zeroes == buffer ? null : zeroes;
        if (1 == heldCount && null != first)
        {
            serve(buffer);
        }
        else if (1 == heldCount && buffer.lengthBytes == bufferBytes && !isClosed)
        {
            kept = buffer;
        }
        else
        {
            giveBack(buffer);
        }
    }

    /** Gives the kept buffer back to the pool, or when the device lets go of it. No channel is left. */
    public void close()
    {
        isClosed = true;
        if (null != kept)
        {
            giveBack(kept);
            kept = null;
        }
    }

    private Buffer take()
    {
        if (null != kept)
        {
            final Buffer buffer = kept;
            kept = null;
            return buffer;
        }
        int lengthBytes = bufferBytes;
        Buffer buffer = takeOf(lengthBytes);
        // A small first one will do where the pool has no other: the command goes on all the same.
        while (null == buffer && 0 == heldCount && lengthBytes > firstBytesMin)
        {
            lengthBytes /= 2;
            buffer = takeOf(lengthBytes);
        }
        return buffer;
    }

    private Buffer takeOf(final int lengthBytes)
    {
        final long address = pool.acquire(share, lengthBytes);
        return 0 == address ? null : add(address, lengthBytes);
    }

    private Buffer add(final long address, final int lengthBytes)
    {
        final Buffer buffer = null == unused ? new Buffer() : unused;
        unused = buffer.next;
        buffer.next = null;
        buffer.address = address;
        buffer.lengthBytes = lengthBytes;
        buffer.isZeroed = false;
        heldCount++;
        return buffer;
    }

    private void giveBack(final Buffer buffer)
    {
        heldCount--;
        pool.release(share, buffer.address, buffer.lengthBytes);
        buffer.next = unused;
        unused = buffer;
    }

    private void enqueue(final EmulatedRequest request)
    {
        if (null == first)
        {
            first = request;
        }
        else
        {
            last.next(request);
        }
        last = request;
        awaitOrCancel();
    }

    /** Waits in the pool while a command waits. */
    private void awaitOrCancel()
    {
        if (null != first && !isWaiting)
        {
            isWaiting = true;
            pool.awaitPart(waiter, share, 0 == heldCount ? firstBytesMin : bufferBytes);
        }
        else if (null == first && isWaiting)
        {
            isWaiting = false;
            pool.cancel(waiter);
        }
    }

    /** Gives a buffer to the first command that waits, and to those behind it that may share it. */
    private void serve(final Buffer buffer)
    {
        do
        {
            final EmulatedRequest request = first;
            first = request.next();
            last = null == first ? null : last;
            request.next(null);
            give(buffer, request);
        }
        while (null != first && buffer == zeroes && first.writesZeroes());
        awaitOrCancel();
    }

    private void give(final Buffer buffer, final EmulatedRequest request)
    {
        buffer.users++;
        if (request.writesZeroes())
        {
            zeroes = buffer;
            if (!buffer.isZeroed)
            {
                buffer.isZeroed = true;
                NativeMemory.fill(buffer.address, buffer.lengthBytes, (byte)0);
            }
        }
        else
        {
            buffer.isZeroed = false;
        }
        request.onBuffer(buffer);
    }
}

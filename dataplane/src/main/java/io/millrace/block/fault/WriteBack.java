package io.millrace.block.fault;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.MemoryHold;
import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.memory.BufferWaiter;
import java.util.function.Consumer;

/**
 * Writes blocks of a {@link WriteCache} to the device below, one piece after the other, from a buffer of the reactor
 * that it has only meanwhile. One channel's; its reactor only.
 */
final class WriteBack
{
    /** Pieces that one call may write to a device that completes them at once. */
    private static final int PIECES_PER_POLL = 16;
    private static final int BUFFER_BYTES_MAX = 128 << 10;
    private static final long NONE = -1;

    private final WriteCache cache;
    private final BlockChannel below;
    private final BufferPool pool;
    private final BufferShare share;
    private final int blockBytes;
    private final int bufferBytesMax;
    private final CacheRange piece;
    private final BlockRequest request = new BlockRequest(this, WriteBack::onWritten);
    private final Waiter waiter = new Waiter();
    private final Consumer<BlockRequest> onFailed;
    private State state = State.IDLE;
    private long upTo = NONE;
    private long address;
    private int lengthBytes;

    private enum State
    {
        /** Writes nothing; has a buffer only within a call. */
        IDLE,
        /** The pool has no buffer now. */
        AWAITING_BUFFER,
        /** Has a piece, which the device below has refused so far. */
        REFUSED,
        /** The device below has a piece. */
        WRITING
    }

    /** Waits in the pool. */
    private final class Waiter extends BufferWaiter
    {
        @Override
        public void onBuffer(final long given, final int givenBytes)
        {
            address = given;
            lengthBytes = givenBytes;
            state = State.IDLE;
            poll();
        }
    }

    /**
     * Is idle.
     *
     * @param cache            to write back.
     * @param below            channel of the device below.
     * @param pool             of the reactor; null when it has no buffers, then nothing can be written back.
     * @param blockBytes       of the device.
     * @param maxTransferBytes of the device below.
     * @param onFailed         notified of a piece that the device below has failed; nothing more is written then.
     */
    WriteBack(
        final WriteCache cache,
        final BlockChannel below,
        final BufferPool pool,
        final int blockBytes,
        final int maxTransferBytes,
        final Consumer<BlockRequest> onFailed)
    {
        this.cache = cache;
        this.below = below;
        this.pool = pool;
        this.blockBytes = blockBytes;
        this.onFailed = onFailed;
        share = null == pool ? null : pool.newShare(new BufferGroup());
        bufferBytesMax = null == pool ? 0 :
            Math.min(Math.min(BUFFER_BYTES_MAX, maxTransferBytes), pool.bufferBytesMax());
        piece = new CacheRange(bufferBytesMax / blockBytes);
    }

    /**
     * {@return whether there are buffers}
     */
    boolean isPossible()
    {
        return null != pool;
    }

    /**
     * Writes back what was written to the cache before, from the next poll on.
     *
     * @param version of the cache.
     */
    void begin(final long version)
    {
        upTo = Math.max(upTo, version);
    }

    /** Begins no other piece. */
    void stop()
    {
        upTo = NONE;
        if (State.AWAITING_BUFFER == state)
        {
            pool.cancel(waiter);
            state = State.IDLE;
        }
        else if (State.REFUSED == state)
        {
            cache.endWriteBack(piece, false);
            state = State.IDLE;
        }
        releaseIfIdle();
    }

    /**
     * {@return whether it has begun nothing that is not done}
     */
    boolean isIdle()
    {
        return NONE == upTo && State.IDLE == state;
    }

    /**
     * {@return whether it waits for nothing but the pool and the device below; another channel, which may be writing
     * what it is to write, does not say when it is done}
     */
    boolean canSleep()
    {
        return isIdle() || State.AWAITING_BUFFER == state || State.WRITING == state;
    }

    /**
     * Goes on.
     *
     * @return pieces that the device below took.
     */
    int poll()
    {
        int pieces = 0;
        while (pieces < PIECES_PER_POLL && (State.REFUSED == state || State.IDLE == state && hasPiece()) && submit())
        {
            pieces++;
        }
        releaseIfIdle();
        return pieces;
    }

    private boolean hasPiece()
    {
        if (NONE == upTo || cache.isClean(upTo))
        {
            upTo = NONE;
            return false;
        }
        if (0 == address)
        {
            acquire();
        }
        if (0 == address || !cache.beginWriteBack(piece, upTo, address, lengthBytes / blockBytes))
        {
            return false;
        }
        request.reset(BlockOperation.WRITE, piece.lba, (int)piece.blocks)
            .addSegment(address, (int)piece.blocks * blockBytes);
        return true;
    }

    private void acquire()
    {
        address = pool.acquire(share, bufferBytesMax);
        lengthBytes = bufferBytesMax;
        if (0 == address)
        {
            state = State.AWAITING_BUFFER;
            pool.awaitPart(waiter, share, bufferBytesMax);
        }
    }

    private boolean submit()
    {
        state = State.WRITING;
        if (below.submit(request))
        {
            return true;
        }
        state = State.REFUSED;
        return false;
    }

    private void releaseIfIdle()
    {
        if (State.IDLE == state && 0 != address)
        {
            pool.release(share, address, lengthBytes);
            address = 0;
        }
    }

    private void onWritten()
    {
        final boolean isWritten = BlockStatus.SUCCESS == request.status();
        cache.endWriteBack(piece, isWritten);
        state = State.IDLE;
        final MemoryHold hold = request.hold();
        if (null != hold)
        {
            // The device below may still read the buffer.
            final long heldAddress = address;
            final int heldBytes = lengthBytes;
            address = 0;
            hold.whenReleased(() -> pool.release(share, heldAddress, heldBytes));
        }
        if (!isWritten)
        {
            upTo = NONE;
            releaseIfIdle();
            onFailed.accept(request);
        }
    }

    private static void onWritten(final BlockRequest written)
    {
        ((WriteBack)written.owner()).onWritten();
    }
}

package io.millrace.block.memory;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.StripeLocks;
import io.millrace.memory.DmaMemory;

/**
 * One reactor's channel to a {@link MemoryDevice}. Only zeroing of ranges longer than the largest transfer continues
 * after {@code submit}: it is processed in pieces, one a poll, so that a host that discards a whole device does not
 * delay the reactor.
 */
final class MemoryChannel implements BlockChannel
{
    private static final long HUGEPAGE_BYTES = 2L << 20;
    private static final int LONG_REQUESTS_MAX = 64;

    private final MemoryDevice device;
    private final BlockGeometry geometry;
    private final StripeLocks locks;
    private final long baseAddress;
    private final int blockShift;
    private final DmaMemory memory;

    private BlockRequest longHead;
    private BlockRequest longTail;
    private long longDoneBytes;
    private int longCount;

    MemoryChannel(final MemoryDevice device, final DmaMemory memory, final StripeLocks locks)
    {
        this.device = device;
        geometry = device.geometry();
        this.locks = locks;
        baseAddress = memory.address();
        blockShift = geometry.blockShift();
        this.memory = memory;
    }

    @Override
    public boolean submit(final BlockRequest request)
    {
        return switch (request.operation())
        {
            case READ -> read(request);
            case WRITE -> write(request);
            case COMPARE -> compare(request);
            case WRITE_ZEROES, DEALLOCATE -> zero(request);
            case VERIFY -> verify(request);
            case FLUSH -> done(request, BlockStatus.SUCCESS);
            case COPY -> copy(request);
        };
    }

    @Override
    public void releaseLoan(final BlockRequest request)
    {
        request.clearLent();
        locks.releaseShared(request.lba() << blockShift, (long)request.blocks() << blockShift);
    }

    @Override
    public boolean isLoanWanted(final BlockRequest request)
    {
        return locks.isWanted(request.lba() << blockShift, (long)request.blocks() << blockShift);
    }

    @Override
    public boolean lendsForWrites()
    {
        return true;
    }

    @Override
    public long lendForWrite(final long offsetBytes, final int lengthBytes)
    {
        return locks.tryExclusiveOnce(offsetBytes, lengthBytes) ? baseAddress + offsetBytes : 0;
    }

    @Override
    public void releaseWritten(final long offsetBytes, final int lengthBytes)
    {
        locks.releaseExclusive(offsetBytes, lengthBytes);
    }

    @Override
    public int inFlight()
    {
        return longCount;
    }

    @Override
    public int poll()
    {
        if (null == longHead)
        {
            return 0;
        }
        final BlockRequest request = longHead;
        final long start = (request.lba() << blockShift) + longDoneBytes;
        final long left = ((long)request.blocks() << blockShift) - longDoneBytes;
        final long piece;
        if (mayGivePagesBack(request))
        {
            piece = Math.min(left, HUGEPAGE_BYTES - (start & (HUGEPAGE_BYTES - 1)));
        }
        else
        {
            piece = Math.min(left, geometry.maxTransferBytes());
        }
        if (!locks.tryExclusive(start, piece))
        {
            return 0;
        }
        if (HUGEPAGE_BYTES != piece || !mayGivePagesBack(request) ||
            !memory.dropPages(baseAddress + start, piece))
        {
            NativeMemory.fill(baseAddress + start, piece, (byte)0);
        }
        locks.releaseExclusive(start, piece);
        longDoneBytes += piece;
        if (left == piece)
        {
            dequeueLong();
            request.complete(BlockStatus.SUCCESS);
        }
        return 1;
    }

    @Override
    public boolean canSleep()
    {
        return null == longHead;
    }

    @Override
    public void close(final CloseListener listener)
    {
        while (null != longHead)
        {
            final BlockRequest request = longHead;
            dequeueLong();
            request.complete(BlockStatus.ABORTED);
        }
        listener.onClosed(this);
    }

    private boolean read(final BlockRequest request)
    {
        final long offset = request.lba() << blockShift;
        final int length = request.blocks() << blockShift;
        if (!locks.tryShared(offset, length))
        {
            return false;
        }
        if (request.lendable() && 0 == request.segments().count())
        {
            request.lend(baseAddress + offset, length);
            return done(request, BlockStatus.SUCCESS);
        }
        request.segments().copyIn(0, baseAddress + offset, length);
        locks.releaseShared(offset, length);
        return done(request, BlockStatus.SUCCESS);
    }

    private boolean write(final BlockRequest request)
    {
        final long offset = request.lba() << blockShift;
        final int length = request.blocks() << blockShift;
        if (!locks.tryExclusive(offset, length))
        {
            return false;
        }
        request.segments().copyOut(0, baseAddress + offset, length);
        locks.releaseExclusive(offset, length);
        return done(request, BlockStatus.SUCCESS);
    }

    private boolean compare(final BlockRequest request)
    {
        final long offset = request.lba() << blockShift;
        final int length = request.blocks() << blockShift;
        if (!locks.tryShared(offset, length))
        {
            return false;
        }
        final boolean isEqual = request.segments().isEqual(0, baseAddress + offset, length);
        locks.releaseShared(offset, length);
        return done(request, isEqual ? BlockStatus.SUCCESS : BlockStatus.COMPARE_FAILURE);
    }

    /** Memory can always be read within the device's size, which may have grown since the channel was opened. */
    private boolean verify(final BlockRequest request)
    {
        return done(request, device.geometry().contains(request.lba(), request.blocks()) ?
            BlockStatus.SUCCESS : BlockStatus.OUT_OF_RANGE);
    }

    private boolean zero(final BlockRequest request)
    {
        final long offset = request.lba() << blockShift;
        final long length = (long)request.blocks() << blockShift;
        if (length > geometry.maxTransferBytes())
        {
            return enqueueLong(request);
        }
        if (!locks.tryExclusive(offset, length))
        {
            return false;
        }
        NativeMemory.fill(baseAddress + offset, length, (byte)0);
        locks.releaseExclusive(offset, length);
        return done(request, BlockStatus.SUCCESS);
    }

    private boolean copy(final BlockRequest request)
    {
        // Of the device, since it may have grown.
        final BlockStatus refusal = device.geometry().checkCopy(request);
        if (BlockStatus.SUCCESS != refusal)
        {
            return done(request, refusal);
        }
        final long source = request.sourceLba() << blockShift;
        final long destination = request.lba() << blockShift;
        final int length = request.blocks() << blockShift;
        if (!locks.tryCopy(source, destination, length))
        {
            return false;
        }
        NativeMemory.copy(baseAddress + source, baseAddress + destination, length);
        locks.releaseCopy(source, destination, length);
        return done(request, BlockStatus.SUCCESS);
    }

    private boolean mayGivePagesBack(final BlockRequest request)
    {
        return memory.canDropPages() && BlockOperation.DEALLOCATE == request.operation();
    }

    private boolean enqueueLong(final BlockRequest request)
    {
        if (LONG_REQUESTS_MAX == longCount)
        {
            return false;
        }
        request.next(null);
        if (null == longHead)
        {
            longHead = request;
            longDoneBytes = 0;
        }
        else
        {
            longTail.next(request);
        }
        longTail = request;
        longCount++;
        return true;
    }

    private void dequeueLong()
    {
        final BlockRequest request = longHead;
        longHead = request.next();
        request.next(null);
        longDoneBytes = 0;
        longCount--;
    }

    private static boolean done(final BlockRequest request, final BlockStatus status)
    {
        request.complete(status);
        return true;
    }
}

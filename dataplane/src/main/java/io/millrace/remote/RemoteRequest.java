package io.millrace.remote;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.memory.Segments;
import io.millrace.nvmf.initiator.HostCompletionListener;
import io.millrace.nvmf.initiator.HostRequest;

/**
 * A request of a channel, and the command that does it, or a part of it: a request that is longer than one command may
 * be takes several, one after another, and a forced deallocation a Flush behind them, since Dataset Management has no
 * FUA. A pooled slot; single-threaded.
 */
final class RemoteRequest
{
    /** Memory of a slot for the range of a Dataset Management command. */
    static final int RANGE_BYTES = 16;

    private static final int RANGE_BLOCKS_OFFSET = 4;
    private static final int RANGE_LBA_OFFSET = 8;

    private final HostRequest command;
    private final long rangeAddress;
    private final Segments part = new Segments();
    private BlockRequest request;
    /** Whether a Flush follows the last command that changes data. */
    private boolean flushes;
    private PathQueue queue;
    private int association;
    private int doneBlocks;
    private int sentBlocks;
    private long failedNs;
    private RemoteRequest next;

    /**
     * Made once.
     *
     * @param listener     notified of each command.
     * @param rangeAddress of {@value #RANGE_BYTES} bytes.
     */
    RemoteRequest(final HostCompletionListener listener, final long rangeAddress)
    {
        this.rangeAddress = rangeAddress;
        command = new HostRequest(this, listener);
    }

    /**
     * Begins.
     *
     * @param newRequest      to do.
     * @param isCacheVolatile whether the target may have a volatile write cache.
     */
    void begin(final BlockRequest newRequest, final boolean isCacheVolatile)
    {
        request = newRequest;
        flushes = isCacheVolatile && newRequest.forceUnitAccess() &&
            BlockOperation.DEALLOCATE == newRequest.operation();
        doneBlocks = 0;
        failedNs = 0;
    }

    BlockRequest request()
    {
        return request;
    }

    /**
     * {@return whether it has a request that changes data}
     */
    boolean changesData()
    {
        return null != request && request.operation().changesData();
    }

    /**
     * {@return the request, which is over}
     */
    BlockRequest end()
    {
        final BlockRequest ended = request;
        request = null;
        queue = null;
        return ended;
    }

    /**
     * Fills the command with what comes next, for a path.
     *
     * @param path to send it on.
     * @return whether the path's controller has such a command.
     */
    boolean fill(final PathQueue path)
    {
        if (flushes && (queue != path || association != path.association()))
        {
            // Its Flush covers what its own controller has done, and that since it was last connected to.
            doneBlocks = 0;
        }
        queue = path;
        association = path.association();
        final PathLimits limits = path.limits();
        return switch (request.operation())
        {
            case READ, WRITE -> fillTransfer(limits.transferBlocks());
            case COMPARE -> limits.offersCompare() && fillTransfer(limits.transferBlocks());
            case FLUSH ->
            {
                command.flush(path.nsid());
                yield true;
            }
            case WRITE_ZEROES -> fillRange(limits.zeroesBlocks());
            case VERIFY -> fillRange(limits.verifyBlocks());
            case DEALLOCATE -> fillDeallocate(limits.deallocateBlocks());
            case COPY -> false;
        };
    }

    private boolean fillTransfer(final int blocksMax)
    {
        sentBlocks = Math.min(blocksMax, request.blocks() - doneBlocks);
        final Segments payload = payload();
        final int nsid = queue.nsid();
        final long lba = request.lba() + doneBlocks;
        switch (request.operation())
        {
            case READ -> command.read(nsid, lba, sentBlocks, payload);
            case WRITE -> command.write(nsid, lba, sentBlocks, payload);
            default -> command.compare(nsid, lba, sentBlocks, payload);
        }
        setForceUnitAccess();
        return true;
    }

    /** {@return the part of the request's memory that belongs to the command} */
    private Segments payload()
    {
        if (sentBlocks == request.blocks())
        {
            return request.segments();
        }
        final int blockShift = queue.channel().blockShift();
        request.segments().slice(doneBlocks << blockShift, sentBlocks << blockShift, part);
        return part;
    }

    private boolean fillRange(final int blocksMax)
    {
        sentBlocks = Math.min(blocksMax, request.blocks() - doneBlocks);
        if (0 == blocksMax)
        {
            return false;
        }
        final long lba = request.lba() + doneBlocks;
        if (BlockOperation.VERIFY == request.operation())
        {
            command.verify(queue.nsid(), lba, sentBlocks);
        }
        else
        {
            command.writeZeroes(queue.nsid(), lba, sentBlocks, false);
        }
        setForceUnitAccess();
        return true;
    }

    private void setForceUnitAccess()
    {
        if (request.forceUnitAccess())
        {
            command.forceUnitAccess();
        }
    }

    private boolean fillDeallocate(final int blocksMax)
    {
        sentBlocks = Math.min(blocksMax, request.blocks() - doneBlocks);
        if (doneBlocks == request.blocks())
        {
            command.flush(queue.nsid());
            return true;
        }
        NativeMemory.putInt(rangeAddress, 0);
        NativeMemory.putInt(rangeAddress + RANGE_BLOCKS_OFFSET, sentBlocks);
        NativeMemory.putLong(rangeAddress + RANGE_LBA_OFFSET, request.lba() + doneBlocks);
        command.deallocate(queue.nsid(), rangeAddress, 1);
        return 0 != blocksMax;
    }

    /**
     * The command was successful.
     *
     * @return whether nothing is left of the request.
     */
    boolean advance()
    {
        doneBlocks += sentBlocks;
        return BlockOperation.FLUSH == request.operation() ||
            doneBlocks == request.blocks() && !(flushes && 0 != sentBlocks);
    }

    /**
     * {@return the command, filled}
     */
    HostRequest command()
    {
        return command;
    }

    /**
     * {@return where the command was sent last}
     */
    PathQueue queue()
    {
        return queue;
    }

    /**
     * {@return association of that path that the command was sent in}
     */
    int association()
    {
        return association;
    }

    /**
     * A command failed because of its path.
     *
     * @param nowNs clock.
     */
    void failed(final long nowNs)
    {
        failedNs = 0 == failedNs ? nowNs : failedNs;
    }

    /**
     * {@return when a command of the request first failed because of its path; 0 when none did}
     */
    long failedNs()
    {
        return failedNs;
    }

    RemoteRequest next()
    {
        return next;
    }

    void next(final RemoteRequest following)
    {
        next = following;
    }
}

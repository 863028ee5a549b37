package io.millrace.block.nvme;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.nvme.queue.DataPointer;

/**
 * Splits a channel's requests into commands: chooses the strategy of an operation, and the size of the next command by
 * the drive's limits, its boundaries, and the layout of the payload. Stores no state of a request. Single-threaded;
 * nothing is allocated.
 */
final class CommandSizes
{
    private final TransferLimits limits;
    private final DataPointer pointer;
    private final int blockShift;

    /**
     * For the commands of a channel.
     *
     * @param limits     of one command.
     * @param pointer    to their payload.
     * @param blockShift log2 of the bytes of a block.
     */
    CommandSizes(final TransferLimits limits, final DataPointer pointer, final int blockShift)
    {
        this.limits = limits;
        this.pointer = pointer;
        this.blockShift = blockShift;
    }

    /**
     * {@return strategy for requests of an operation}
     *
     * @param operation of them.
     */
    SplitRequest.Strategy strategy(final BlockOperation operation)
    {
        if (BlockOperation.WRITE_ZEROES == operation && 0 == limits.zeroesBlocksMax())
        {
            return SplitRequest.Strategy.ZERO_WRITES;
        }
        if (BlockOperation.VERIFY == operation && 0 == limits.verifyBlocksMax())
        {
            return SplitRequest.Strategy.VERIFY_READS;
        }
        return SplitRequest.Strategy.PARTS;
    }

    /**
     * {@return blocks that the next command of a request takes that uses its own operation}
     *
     * @param request to process.
     * @param offset  blocks of it that other commands take.
     */
    int ofPart(final BlockRequest request, final int offset)
    {
        final int left = request.blocks() - offset;
        return switch (request.operation())
        {
            case READ, WRITE, COMPARE -> ofPayload(request, offset, left);
            case WRITE_ZEROES -> Math.min(left, limits.zeroesBlocksMax());
            case VERIFY -> Math.min(left, limits.verifyBlocksMax());
            case DEALLOCATE -> Math.min(left, limits.datasetBlocksMax());
            case FLUSH -> left;
            case COPY -> Math.min(left, limits.copyBlocksMax());
        };
    }

    /**
     * {@return blocks that the next command of a split request takes}
     *
     * @param split that has more to send.
     */
    int next(final SplitRequest split)
    {
        return switch (split.strategy())
        {
            case PARTS -> ofPart(split.request(), split.sentBlocks());
            case ZERO_WRITES -> ofBuffer(split.request(), split.sentBlocks(), ChannelMemory.ZEROES_BYTES);
            case VERIFY_READS -> ofBuffer(split.request(), split.sentBlocks(), ChannelMemory.SINK_BYTES);
        };
    }

    private int ofPayload(final BlockRequest request, final int offset, final int left)
    {
        final int blocks = upToBoundary(request.lba() + offset, Math.min(left, limits.blocksMax()));
        return 1 == request.segments().count() ? blocks :
            pointer.reach(request, offset << blockShift, blocks << blockShift, 1 << blockShift) >> blockShift;
    }

    private int ofBuffer(final BlockRequest request, final int offset, final int bufferBytes)
    {
        final int most = Math.min(limits.blocksMax(), bufferBytes >> blockShift);
        return upToBoundary(request.lba() + offset, Math.min(request.blocks() - offset, most));
    }

    private int upToBoundary(final long lba, final int blocks)
    {
        final int boundary = limits.boundaryBlocks();
        return 0 == boundary ? blocks : Math.min(blocks, boundary - (int)(lba % boundary));
    }
}

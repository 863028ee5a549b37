package io.millrace.block.nvme;

import io.millrace.block.BlockRequest;
import io.millrace.block.nvme.queue.DataPointer;

/**
 * Splits a channel's requests into commands: chooses the size of the next command by the drive's limits, its
 * boundaries, and the layout of the payload. Stores no state of a request. Single-threaded; nothing is allocated.
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
     * {@return blocks that the next command of a request takes}
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

    private int ofPayload(final BlockRequest request, final int offset, final int left)
    {
        final int blocks = upToBoundary(request.lba() + offset, Math.min(left, limits.blocksMax()));
        return 1 == request.segments().count() ? blocks :
            pointer.reach(request, offset << blockShift, blocks << blockShift, 1 << blockShift) >> blockShift;
    }

    private int upToBoundary(final long lba, final int blocks)
    {
        final int boundary = limits.boundaryBlocks();
        return 0 == boundary ? blocks : Math.min(blocks, boundary - (int)(lba % boundary));
    }
}

package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;

/**
 * How one channel zeroes ranges and gives them back: what the file system or driver turns out to lack is not tried
 * again. Single-threaded.
 */
final class RangeOperation
{
    /** What to do with a request whose entry has completed. */
    enum Outcome
    {
        /** It is done. */
        DONE,
        /** It is done in another way: begin it again. */
        AGAIN,
        /** It ends with success, though nothing was done. */
        IGNORED,
        /** It has failed with the errno of the result. */
        FAILED
    }

    private final EntryWriter entries;
    private final DeallocateStrategy deallocateStrategy;
    private final int blockShift;
    private final ZeroStrategy[] triedZeroStrategies;
    private ZeroStrategy zeroStrategy;
    private boolean canDiscard = true;

    /**
     * Of a channel.
     *
     * @param capabilities to begin with.
     * @param entries      of the channel.
     * @param blockShift   of the device.
     * @param slotCount    of the channel.
     */
    RangeOperation(
        final FileCapabilities capabilities, final EntryWriter entries, final int blockShift, final int slotCount)
    {
        this.entries = entries;
        this.blockShift = blockShift;
        zeroStrategy = capabilities.zeroStrategy();
        deallocateStrategy = capabilities.deallocateStrategy();
        triedZeroStrategies = new ZeroStrategy[slotCount];
    }

    /**
     * Begins, or begins again.
     *
     * @param slot    of the request.
     * @param request for zeroes or deallocation.
     * @return null when an entry is filled, else how the request ends.
     */
    BlockStatus begin(final int slot, final BlockRequest request)
    {
        return BlockOperation.DEALLOCATE == request.operation() ? deallocate(slot, request) : zero(slot, request);
    }

    private BlockStatus zero(final int slot, final BlockRequest request)
    {
        triedZeroStrategies[slot] = zeroStrategy;
        return switch (zeroStrategy)
        {
            case ZERO_RANGE -> fallocate(slot, request, FallocateMode.ZERO_RANGE);
            case PUNCH_HOLE -> fallocate(slot, request, FallocateMode.PUNCH_HOLE);
            case NONE -> BlockStatus.NOT_SUPPORTED;
        };
    }

    private BlockStatus deallocate(final int slot, final BlockRequest request)
    {
        return switch (deallocateStrategy)
        {
            case PUNCH_HOLE -> fallocate(slot, request, FallocateMode.PUNCH_HOLE);
            case DISCARD -> discard(slot, request);
            case NONE -> BlockStatus.NOT_SUPPORTED;
        };
    }

    private BlockStatus fallocate(final int slot, final BlockRequest request, final int mode)
    {
        entries.fallocate(slot, request.lba() << blockShift, (long)request.blocks() << blockShift, mode);
        return null;
    }

    private BlockStatus discard(final int slot, final BlockRequest request)
    {
        if (!canDiscard)
        {
            return BlockStatus.SUCCESS;
        }
        entries.discard(slot, request.lba() << blockShift, (long)request.blocks() << blockShift);
        return null;
    }

    /**
     * An entry has completed.
     *
     * @param slot    of the request.
     * @param request of the slot.
     * @param result  negated errno, else 0 or more.
     * @return what to do with the request.
     */
    Outcome onCompletion(final int slot, final BlockRequest request, final int result)
    {
        final boolean isUnknown = -Errno.EOPNOTSUPP == result || -Errno.EINVAL == result;
        if (isUnknown && BlockOperation.WRITE_ZEROES == request.operation())
        {
            // Others that were under way may have found it out before.
            if (triedZeroStrategies[slot] == zeroStrategy)
            {
                zeroStrategy = zeroStrategy.next();
            }
            return Outcome.AGAIN;
        }
        if (isUnknown && DeallocateStrategy.DISCARD == deallocateStrategy)
        {
            // To deallocate is a hint, and the geometry promises nothing of what is read afterwards.
            canDiscard = false;
            return Outcome.IGNORED;
        }
        return result < 0 ? Outcome.FAILED : Outcome.DONE;
    }
}

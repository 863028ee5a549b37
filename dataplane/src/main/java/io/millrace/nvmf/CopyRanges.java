package io.millrace.nvmf;

import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockRequest;
import io.millrace.nvme.CopyRange;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.request.Request;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Source ranges of a Copy command in descriptor format 0, one block request each (NVM Command Set 1.0, section 3.2.2).
 * Limits are such that no command keeps a device for much longer than a long write does. One instance a reactor, used
 * on its thread alone.
 */
final class CopyRanges
{
    /** Most source ranges of a command. */
    static final int COUNT_MAX = 16;
    /** A host may send a whole table whatever the count. */
    static final int TABLE_BYTES_MAX = CopyRange.COUNT_MAX * CopyRange.SIZE_BYTES;
    private static final int RANGE_BLOCKS_MAX = 0xFFFF;
    /** How many of the longest ranges a command may have. */
    private static final int TOTAL_RANGES = 4;
    private static final int COUNT_MASK = 0xFF;
    /** Dword 12: descriptor format, and what is to be done with protection information, which there is none of. */
    private static final int FORMAT_AND_PROTECTION_MASK = 0xF << 8 | 0xF << 12 | 0xF << 26;

    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private final CopyRange range = new CopyRange();

    /**
     * {@return most blocks of a source range (MSSRL); 0 when the device does not copy}
     *
     * @param geometry of the device.
     */
    static int rangeBlocksMax(final BlockGeometry geometry)
    {
        return geometry.supportsCopy() ?
            Math.min(RANGE_BLOCKS_MAX, geometry.maxTransferBytes() >> geometry.blockShift()) : 0;
    }

    /**
     * {@return most blocks of a command (MCL)}
     *
     * @param geometry of the device.
     */
    static int totalBlocksMax(final BlockGeometry geometry)
    {
        return TOTAL_RANGES * rangeBlocksMax(geometry);
    }

    static int count(final SubmissionQueueEntry entry)
    {
        return (entry.cdw12() & COUNT_MASK) + 1;
    }

    /**
     * Checks what can be checked without the ranges.
     *
     * @param entry    of the command.
     * @param geometry of the device.
     * @return status; 0 when it is right.
     */
    static int check(final SubmissionQueueEntry entry, final BlockGeometry geometry)
    {
        if (geometry.readOnly())
        {
            return NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY;
        }
        if (!geometry.supportsCopy())
        {
            return NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
        }
        if (0 != (entry.cdw12() & FORMAT_AND_PROTECTION_MASK))
        {
            return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
        }
        return count(entry) > COUNT_MAX ?
            NvmeStatus.COMMAND_SIZE_LIMIT_EXCEEDED | NvmeStatus.DO_NOT_RETRY : NvmeStatus.SUCCESS;
    }

    /**
     * Checks the ranges, before any is copied.
     *
     * @param request  of the command, with its data.
     * @param geometry of the device.
     * @return status; 0 when they are right.
     */
    int checkRanges(final Request request, final BlockGeometry geometry)
    {
        wrap(request);
        final SubmissionQueueEntry entry = request.entry();
        final int count = count(entry);
        int total = 0;
        for (int index = 0; index < count; index++)
        {
            final int blocks = blocks(index);
            if (blocks > rangeBlocksMax(geometry))
            {
                return NvmeStatus.COMMAND_SIZE_LIMIT_EXCEEDED | NvmeStatus.DO_NOT_RETRY;
            }
            total += blocks;
        }
        if (total > totalBlocksMax(geometry))
        {
            return NvmeStatus.COMMAND_SIZE_LIMIT_EXCEEDED | NvmeStatus.DO_NOT_RETRY;
        }
        boolean isInside = geometry.contains(entry.startingLba(), total);
        boolean overlaps = false;
        for (int index = 0; index < count; index++)
        {
            final int blocks = blocks(index);
            final long distance = entry.startingLba() - range.startingLba();
            isInside &= geometry.contains(range.startingLba(), blocks);
            overlaps |= distance < blocks && distance > -total;
        }
        if (!isInside)
        {
            return NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
        }
        return overlaps ? NvmeStatus.OVERLAPPING_IO_RANGE | NvmeStatus.DO_NOT_RETRY : NvmeStatus.SUCCESS;
    }

    /**
     * Fills the block request for the next range. The request's step counts ranges that were begun, and its step blocks
     * what they came to.
     *
     * @param request         of the command, its ranges checked.
     * @param forceUnitAccess whether what is copied must be stable.
     * @return false when there is none left.
     */
    boolean next(final Request request, final boolean forceUnitAccess)
    {
        final SubmissionQueueEntry entry = request.entry();
        final int index = request.step();
        if (index == count(entry))
        {
            return false;
        }
        wrap(request);
        final int blocks = blocks(index);
        final BlockRequest blockRequest = request.blockRequest();
        blockRequest.resetCopy(range.startingLba(), entry.startingLba() + request.stepBlocks(), blocks)
            .forceUnitAccess(forceUnitAccess);
        request.step(index + 1);
        request.stepBlocks(request.stepBlocks() + blocks);
        return true;
    }

    private void wrap(final Request request)
    {
        view.wrap(request.bufferAddress(), count(request.entry()) * CopyRange.SIZE_BYTES);
    }

    private int blocks(final int index)
    {
        range.wrap(view, index * CopyRange.SIZE_BYTES);
        return range.blocks() + 1;
    }
}

package io.millrace.nvmf;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.nvme.NvmeStatus;

/**
 * NVMe status of a failed block request (NVM Express Base 2.0, section 3.3.3.2.1). Without the do-not-retry bit a host
 * tries again, here or on another path. Stateless.
 */
final class StatusMap
{
    private StatusMap()
    {
    }

    /**
     * {@return NVMe status}
     *
     * @param status    of the block request.
     * @param operation it did.
     */
    static int of(final BlockStatus status, final BlockOperation operation)
    {
        return switch (status)
        {
            case SUCCESS -> NvmeStatus.SUCCESS;
            case MEDIA_ERROR -> isRead(operation) ?
                NvmeStatus.UNRECOVERED_READ_ERROR | NvmeStatus.DO_NOT_RETRY :
                NvmeStatus.WRITE_FAULT | NvmeStatus.DO_NOT_RETRY;
            case DEVICE_ERROR -> NvmeStatus.INTERNAL_ERROR;
            case CAPACITY_EXCEEDED -> NvmeStatus.CAPACITY_EXCEEDED | NvmeStatus.DO_NOT_RETRY;
            case COMPARE_FAILURE -> NvmeStatus.COMPARE_FAILURE | NvmeStatus.DO_NOT_RETRY;
            case NOT_SUPPORTED -> NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY;
            case WRITE_PROTECTED -> NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY;
            case OUT_OF_RANGE -> NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY;
            case ABORTED -> NvmeStatus.ABORT_REQUESTED;
        };
    }

    private static boolean isRead(final BlockOperation operation)
    {
        return BlockOperation.READ == operation || BlockOperation.VERIFY == operation ||
            BlockOperation.COMPARE == operation;
    }
}

package io.millrace.block.status;

import io.millrace.block.BlockStatus;
import io.millrace.nvme.NvmeStatus;

/**
 * Maps a command's status (NVM Express Base 2.0, section 3.3.3.2.1; NVM Command Set 1.0, section 3.1.2) to a block
 * status. Stateless.
 */
public final class CommandStatus
{
    /** Write to a read-only range; fabrics use the number for something else. */
    private static final int ATTEMPTED_WRITE_TO_READ_ONLY_RANGE = 0x182;

    private CommandStatus()
    {
    }

    /**
     * {@return how the block request ended}
     *
     * @param status of the command, without phase tag.
     */
    public static BlockStatus of(final int status)
    {
        return switch (NvmeStatus.code(status))
        {
            case NvmeStatus.SUCCESS -> BlockStatus.SUCCESS;
            case NvmeStatus.COMPARE_FAILURE -> BlockStatus.COMPARE_FAILURE;
            case NvmeStatus.WRITE_FAULT, NvmeStatus.UNRECOVERED_READ_ERROR, NvmeStatus.GUARD_CHECK_ERROR,
                NvmeStatus.APPLICATION_TAG_CHECK_ERROR, NvmeStatus.REFERENCE_TAG_CHECK_ERROR,
                NvmeStatus.DEALLOCATED_BLOCK -> BlockStatus.MEDIA_ERROR;
            case NvmeStatus.CAPACITY_EXCEEDED -> BlockStatus.CAPACITY_EXCEEDED;
            case NvmeStatus.LBA_OUT_OF_RANGE -> BlockStatus.OUT_OF_RANGE;
            case NvmeStatus.INVALID_OPCODE -> BlockStatus.NOT_SUPPORTED;
            case NvmeStatus.NAMESPACE_WRITE_PROTECTED, ATTEMPTED_WRITE_TO_READ_ONLY_RANGE ->
                BlockStatus.WRITE_PROTECTED;
            default -> BlockStatus.DEVICE_ERROR;
        };
    }

    /**
     * {@return whether a driver retries the command: the device does not forbid it, and a retry can succeed}
     *
     * @param status of the command, without phase tag.
     */
    public static boolean isWorthRetry(final int status)
    {
        if (!NvmeStatus.isRetryable(status))
        {
            return false;
        }
        final BlockStatus result = of(status);
        return BlockStatus.DEVICE_ERROR == result || BlockStatus.MEDIA_ERROR == result;
    }
}

package io.millrace.remote;

import io.millrace.block.BlockGeometry;
import io.millrace.nvme.IdentifyController;
import io.millrace.nvme.IdentifyNvmController;
import io.millrace.nvmf.initiator.ControllerInfo;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Limits of one command through a controller. Immutable.
 *
 * @param transferBlocks   of a command with payload.
 * @param zeroesBlocks     of a Write Zeroes; 0 when the controller does not offer it.
 * @param verifyBlocks     of a Verify; 0 when the controller does not offer it.
 * @param deallocateBlocks of a Dataset Management range; 0 when the controller does not offer it.
 * @param offersCompare    whether the controller offers Compare.
 */
record PathLimits(
    int transferBlocks, int zeroesBlocks, int verifyBlocks, int deallocateBlocks, boolean offersCompare)
{
    /** Number of logical blocks, 16 bits, 0 for 1. */
    private static final int COMMAND_BLOCKS_MAX = 1 << 16;
    private static final int SHIFT_MAX = 40;

    /**
     * Computes the limits.
     *
     * @param controller     of the path.
     * @param identify       its I/O command set specific data; null when it has none.
     * @param blockSizeBytes of the namespace.
     * @return the limits.
     */
    static PathLimits of(final ControllerInfo controller, final byte[] identify, final int blockSizeBytes)
    {
        final IdentifyNvmController sizes = new IdentifyNvmController();
        sizes.wrap(new UnsafeBuffer(null == identify ? new byte[IdentifyNvmController.SIZE_BYTES] : identify), 0);
        final long transferBytes = Math.min(controller.maxTransferBytes(), BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT);
        return new PathLimits(
            commandBlocks(transferBytes, blockSizeBytes),
            controller.offers(IdentifyController.NVM_WRITE_ZEROES) ?
                commandBlocks(bytes(controller, sizes.writeZeroesSizeLimit()), blockSizeBytes) : 0,
            controller.offers(IdentifyController.NVM_VERIFY) ?
                commandBlocks(bytes(controller, sizes.verifySizeLimit()), blockSizeBytes) : 0,
            controller.offers(IdentifyController.NVM_DATASET_MANAGEMENT) ? rangeBlocks(sizes) : 0,
            controller.offers(IdentifyController.NVM_COMPARE));
    }

    /** A controller that reports no limit for commands without payload has that of commands with payload. */
    private static long bytes(final ControllerInfo controller, final int limitShift)
    {
        return 0 == limitShift ? controller.maxTransferBytes() :
            1L << Math.min(SHIFT_MAX, limitShift + controller.memoryPageShift());
    }

    private static int commandBlocks(final long bytes, final int blockSizeBytes)
    {
        return Math.clamp(bytes / blockSizeBytes, 1, COMMAND_BLOCKS_MAX);
    }

    private static int rangeBlocks(final IdentifyNvmController sizes)
    {
        final long range = Integer.toUnsignedLong(sizes.datasetRangeSizeLimit());
        final long all = sizes.datasetSizeLimit();
        return (int)Math.min(Integer.MAX_VALUE,
            Math.min(0 == range ? Integer.MAX_VALUE : range, all <= 0 ? Integer.MAX_VALUE : all));
    }
}

package io.millrace.remote;

import io.millrace.block.BlockGeometry;
import io.millrace.nvme.identify.CommandLimits;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyControllerIo;

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
    /**
     * Computes the limits.
     *
     * @param controller     of the path.
     * @param commands       limits of its commands without payload.
     * @param blockSizeBytes of the namespace.
     * @return the limits.
     */
    static PathLimits of(final ControllerInfo controller, final CommandLimits commands, final int blockSizeBytes)
    {
        final long transferBytes = Math.min(controller.maxTransferBytes(), BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT);
        // A Verify without a limit could take longer than a command may.
        final long verifyBytes = Long.MAX_VALUE == commands.verifyBytesMax() ?
            controller.maxTransferBytes() : commands.verifyBytesMax();
        return new PathLimits(
            CommandLimits.blocks(transferBytes, blockSizeBytes),
            CommandLimits.blocks(commands.zeroesBytesMax(), blockSizeBytes),
            CommandLimits.blocks(verifyBytes, blockSizeBytes),
            commands.datasetBlocksMax(),
            controller.offers(IdentifyControllerIo.NVM_COMPARE));
    }
}

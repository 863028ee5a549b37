package io.millrace.block.nvme;

import io.millrace.block.BlockGeometry;
import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.nvme.identify.CommandLimits;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.NamespaceInfo;

/**
 * Limits of one command to a namespace. Immutable.
 *
 * @param pageShift        log2 of the controller's memory page.
 * @param blocksMax        of a command with payload.
 * @param zeroesBlocksMax  of a Write Zeroes; 0 when the drive does not offer it.
 * @param verifyBlocksMax  of a Verify; 0 when the drive does not offer it.
 * @param datasetBlocksMax of a Dataset Management range; 0 when the drive does not offer it.
 * @param boundaryBlocks   that commands with payload do not cross a multiple of, or 0.
 * @param isSglSupported   whether scatter gather lists are taken.
 * @param copyBlocksMax    of a Copy; 0 when it cannot be used.
 */
record TransferLimits(
    int pageShift,
    int blocksMax,
    int zeroesBlocksMax,
    int verifyBlocksMax,
    int datasetBlocksMax,
    int boundaryBlocks,
    boolean isSglSupported,
    int copyBlocksMax)
{
    /**
     * Computes the limits.
     *
     * @param controller of the namespace.
     * @param commands   limits of the controller's commands without payload.
     * @param namespace  of the commands.
     * @return the limits.
     * @throws ControllerFailure when not even a block can be transferred.
     */
    static TransferLimits of(
        final ControllerInfo controller, final CommandLimits commands, final DriveNamespace namespace)
    {
        final NamespaceInfo info = namespace.info();
        final int transferBytes =
            (int)Math.min(BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT, controller.maxTransferBytes());
        final int blocks = Math.min(CommandLimits.COMMAND_BLOCKS_MAX, transferBytes >>> info.blockShift());
        if (0 == blocks)
        {
            throw new ControllerFailure("has a largest transfer of " + transferBytes +
                " bytes, less than a block of namespace " + info.nsid() + ": its Identify data are invalid");
        }
        // Metadata behind a block's data count too in a Verify, unless the controller says that they do not (MEM).
        final int verifiedBytes = info.blockSizeBytes() +
            (MetadataMode.PROTECTION == namespace.metadata() ? info.metadataBytes() : 0);
        return new TransferLimits(
            controller.memoryPageShift(),
            blocks,
            CommandLimits.blocks(commands.zeroesBytesMax(), info.blockSizeBytes()),
            CommandLimits.blocks(commands.verifyBytesMax(), verifiedBytes),
            commands.datasetBlocksMax(),
            info.boundaryBlocks(),
            0 != (controller.sglSupport() & IdentifyControllerIo.SGL_SUPPORTED_MASK),
            namespace.copyBlocksMax(controller));
    }
}

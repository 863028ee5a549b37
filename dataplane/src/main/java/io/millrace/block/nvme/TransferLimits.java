package io.millrace.block.nvme;

import io.millrace.block.BlockGeometry;
import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.nvme.IdentifyController;

/**
 * Limits of one command to a namespace. Immutable.
 *
 * @param pageShift        log2 of the controller's memory page.
 * @param blocksMax        of a command with payload.
 * @param zeroesBlocksMax  of a Write Zeroes; 0 when the drive does not offer it.
 * @param verifyBlocksMax  of a Verify; 0 when the drive does not offer it.
 * @param datasetBlocksMax of a Dataset Management range.
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
    /** Number of logical blocks, 16 bits, 0 for 1. */
    private static final int COMMAND_BLOCKS_MAX = 1 << 16;

    /**
     * Computes the limits.
     *
     * @param controller of the namespace.
     * @param namespace  of the commands.
     * @param pageShift  log2 of the controller's memory page.
     * @return the limits.
     * @throws ControllerFailure when not even a block can be transferred.
     */
    static TransferLimits of(final ControllerInfo controller, final NamespaceInfo namespace, final int pageShift)
    {
        final int transferBytes = Math.min(BlockGeometry.MAX_TRANSFER_BYTES_DEFAULT, controller.transferBytesMax());
        final int blocks = Math.min(COMMAND_BLOCKS_MAX, transferBytes >>> namespace.blockShift());
        if (0 == blocks)
        {
            throw new ControllerFailure("has a largest transfer of " + transferBytes +
                " bytes, less than a block of namespace " + namespace.nsid() + ": its Identify data make no sense");
        }
        final boolean offersZeroes = controller.offers(IdentifyController.NVM_WRITE_ZEROES);
        return new TransferLimits(
            pageShift,
            blocks,
            offersZeroes ? Math.clamp(
                controller.zeroesBytesMax() >>> namespace.blockShift(), 1, COMMAND_BLOCKS_MAX) : 0,
            verifyBlocksMax(controller, namespace),
            (int)Math.min(Integer.MAX_VALUE, controller.datasetBlocksMax()),
            namespace.boundaryBlocks(),
            controller.isSglSupported(),
            controller.offers(IdentifyController.NVM_COPY) ? namespace.copyBlocksMax() : 0);
    }

    private static int verifyBlocksMax(final ControllerInfo controller, final NamespaceInfo namespace)
    {
        if (0 == controller.verifyBytesMax())
        {
            return 0;
        }
        // Metadata behind a block's data count too, unless the controller says that they do not (MEM).
        final int blockBytes = namespace.blockBytes() +
            (MetadataMode.PROTECTION == namespace.metadata() ? namespace.metadataBytes() : 0);
        return (int)Math.clamp(controller.verifyBytesMax() / blockBytes, 1L, COMMAND_BLOCKS_MAX);
    }
}

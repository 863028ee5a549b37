package io.millrace.nvme.identify;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Limits of commands that transfer no blocks, decoded from the I/O Command Set specific Identify Controller data
 * structure of the NVM command set (NVM Command Set 1.0, section 4.1.5.4). Immutable.
 *
 * @param zeroesBytesMax   of one Write Zeroes; 0 when the controller does not offer it.
 * @param verifyBytesMax   of one Verify; 0 when the controller does not offer it, {@link Long#MAX_VALUE} for no limit.
 * @param datasetBlocksMax of one range of Dataset Management; 0 when the controller does not offer it.
 */
public record CommandLimits(long zeroesBytesMax, long verifyBytesMax, int datasetBlocksMax)
{
    /** Number of logical blocks of a command, 16 bits, 0 for 1. */
    public static final int COMMAND_BLOCKS_MAX = 1 << 16;
    private static final int SHIFT_MAX = Long.SIZE - 2;

    /**
     * Decodes the limits.
     *
     * @param controller of the commands.
     * @param data       {@value IdentifyNvmController#SIZE_BYTES} bytes; null when the controller has none, as those
     *                   before 2.0.
     * @return the limits.
     */
    public static CommandLimits of(final ControllerInfo controller, final DirectBuffer data)
    {
        final IdentifyNvmController limits = new IdentifyNvmController();
        limits.wrap(null == data ? new UnsafeBuffer(new byte[IdentifyNvmController.SIZE_BYTES]) :
            new UnsafeBuffer(data, 0, IdentifyNvmController.SIZE_BYTES), 0);
        return new CommandLimits(
            zeroesBytes(controller, limits.writeZeroesSizeLimit()),
            verifyBytes(controller, limits.verifySizeLimit()),
            controller.offers(IdentifyControllerIo.NVM_DATASET_MANAGEMENT) ? datasetBlocks(limits) : 0);
    }

    /** Before WZSL was specified, the largest transfer bounded Write Zeroes too. */
    private static long zeroesBytes(final ControllerInfo controller, final int shift)
    {
        if (!controller.offers(IdentifyControllerIo.NVM_WRITE_ZEROES))
        {
            return 0;
        }
        return 0 == shift ? controller.maxTransferBytes() : bytes(controller, shift);
    }

    /**
     * Verify is there when its bit of ONCS is set, or else when there is a limit, which then is a hard one. What a
     * command may transfer does not bound it: nothing is transferred.
     */
    private static long verifyBytes(final ControllerInfo controller, final int shift)
    {
        if (0 != shift)
        {
            return bytes(controller, shift);
        }
        return controller.offers(IdentifyControllerIo.NVM_VERIFY) ? Long.MAX_VALUE : 0;
    }

    private static long bytes(final ControllerInfo controller, final int shift)
    {
        return 1L << Math.min(SHIFT_MAX, shift + controller.memoryPageShift());
    }

    private static int datasetBlocks(final IdentifyNvmController limits)
    {
        final long range = Integer.toUnsignedLong(limits.datasetRangeSizeLimit());
        final long all = limits.datasetSizeLimit();
        return (int)Math.min(
            0 == range ? Integer.MAX_VALUE : Math.min(range, Integer.MAX_VALUE),
            all <= 0 ? Integer.MAX_VALUE : Math.min(all, Integer.MAX_VALUE));
    }

    /**
     * {@return blocks of a command that covers at most so many bytes: at least 1, at most
     * {@value #COMMAND_BLOCKS_MAX}; 0 for a limit of 0}
     *
     * @param bytesMax   limit of the command.
     * @param blockBytes of a block, with its metadata where they count.
     */
    public static int blocks(final long bytesMax, final int blockBytes)
    {
        return 0 == bytesMax ? 0 : Math.clamp(bytesMax / blockBytes, 1, COMMAND_BLOCKS_MAX);
    }
}

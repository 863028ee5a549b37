package io.millrace.block.nvme;

import io.millrace.block.nvme.queue.ControllerFailure;
import io.millrace.nvme.IdentifyController;
import io.millrace.nvme.IdentifyNvmController;

/**
 * Validated properties of a controller (NVM Express Base 2.0, section 5.17.2.1; NVM Command Set 1.0, section 4.1.5.4).
 * Immutable.
 *
 * @param model              of the drive.
 * @param serial             number of the drive.
 * @param firmware           revision.
 * @param transferBytesMax   of one command (MDTS).
 * @param zeroesBytesMax     of one Write Zeroes.
 * @param verifyBytesMax     of one Verify; 0 when the drive does not offer it.
 * @param datasetBlocksMax   of one range of Dataset Management.
 * @param optionalCommands   of the NVM command set (ONCS), without Copy where its descriptors are others than format 0.
 * @param isCachePresent     whether there is a volatile write cache.
 * @param isSglSupported     whether scatter gather lists are taken.
 * @param isShadowSupported  whether shadow doorbells are taken.
 * @param hasLogOffsets      whether log pages can be read from an offset.
 * @param eventRequests      Asynchronous Event Requests that are taken at once.
 * @param optionalEvents     asynchronous events (OAES).
 * @param atomicWriteBlocks  that are written whole or not at all at power failure, where a namespace says nothing else
 *                           (AWUPF).
 * @param shutdownTimeoutNs  that a normal shutdown may take.
 */
record ControllerInfo(
    String model,
    String serial,
    String firmware,
    int transferBytesMax,
    long zeroesBytesMax,
    long verifyBytesMax,
    long datasetBlocksMax,
    int optionalCommands,
    boolean isCachePresent,
    boolean isSglSupported,
    boolean isShadowSupported,
    boolean hasLogOffsets,
    int eventRequests,
    int optionalEvents,
    int atomicWriteBlocks,
    long shutdownTimeoutNs)
{
    /** More than the driver sends in one command anyway. */
    private static final int TRANSFER_SHIFT_MAX = 26;
    private static final int VERIFY_SHIFT_MAX = Long.SIZE - 2;
    private static final int SUBMISSION_ENTRY_SHIFT = 6;
    private static final int COMPLETION_ENTRY_SHIFT = 4;
    private static final long SHUTDOWN_TIMEOUT_NS_MIN = 5_000_000_000L;
    private static final long SHUTDOWN_TIMEOUT_NS_MAX = 60_000_000_000L;
    private static final long DATASET_BLOCKS_MAX = 0xFFFF_FFFFL;
    private static final int NIBBLE = 0xF;

    /**
     * Reads and checks.
     *
     * @param controller   Identify data.
     * @param nvm          Identify data of the NVM command set; zeroes where there is none.
     * @param pageShiftMin log2 of the controller's smallest memory page, the unit of limits.
     * @return its properties.
     * @throws ControllerFailure naming an invalid property.
     */
    static ControllerInfo of(
        final IdentifyController controller, final IdentifyNvmController nvm, final int pageShiftMin)
    {
        checkEntrySize("submission", controller.submissionEntrySize(), SUBMISSION_ENTRY_SHIFT);
        checkEntrySize("completion", controller.completionEntrySize(), COMPLETION_ENTRY_SHIFT);
        if (0 == controller.namespaces())
        {
            throw new ControllerFailure("says that it can have no namespaces (NN 0): its Identify data make no sense");
        }
        final int type = controller.controllerType();
        if (IdentifyController.TYPE_DISCOVERY == type || IdentifyController.TYPE_ADMINISTRATIVE == type)
        {
            throw new ControllerFailure("is not an I/O controller: its controller type is " + type);
        }
        final int transferShift = shift(controller.maxDataTransferSize(), pageShiftMin);
        final int zeroesShift = shift(nvm.writeZeroesSizeLimit(), pageShiftMin);
        final int rangeLimit = nvm.datasetRangeSizeLimit();
        final long sizeLimit = nvm.datasetSizeLimit();
        return new ControllerInfo(
            printable(controller.modelNumber()),
            printable(controller.serialNumber()),
            printable(controller.firmwareRevision()),
            1 << transferShift,
            // Before WZSL was specified, the largest transfer bounded Write Zeroes too.
            1L << (0 == nvm.writeZeroesSizeLimit() ? transferShift : zeroesShift),
            verifyBytesMax(controller, nvm, pageShiftMin),
            Math.min(0 == rangeLimit ? DATASET_BLOCKS_MAX : rangeLimit & DATASET_BLOCKS_MAX,
                sizeLimit <= 0 ? DATASET_BLOCKS_MAX : sizeLimit),
            0 != (controller.copyFormats() & IdentifyController.COPY_FORMAT_0) ? controller.optionalNvmCommands() :
                controller.optionalNvmCommands() & ~IdentifyController.NVM_COPY,
            0 != (controller.volatileWriteCache() & IdentifyController.CACHE_PRESENT),
            0 != (controller.sglSupport() & IdentifyController.SGL_SUPPORTED_MASK),
            0 != (controller.optionalAdminCommands() & IdentifyController.ADMIN_DOORBELL_BUFFER_CONFIG),
            0 != (controller.logPageAttributes() & IdentifyController.LOG_EXTENDED_DATA),
            controller.asyncEventRequestLimit() + 1,
            controller.optionalAsyncEvents(),
            controller.atomicWriteUnitPowerFail() + 1,
            Math.clamp((controller.entryLatencyUs() & 0xFFFF_FFFFL) * 1000, SHUTDOWN_TIMEOUT_NS_MIN,
                SHUTDOWN_TIMEOUT_NS_MAX));
    }

    /**
     * {@return whether the drive offers a command}
     *
     * @param command bit of ONCS, see {@link IdentifyController#NVM_COMPARE} and its like.
     */
    boolean offers(final int command)
    {
        return 0 != (optionalCommands & command);
    }

    /**
     * {@return model, serial number and firmware, for people}
     */
    String description()
    {
        return model + ", serial " + serial + ", firmware " + firmware;
    }

    private static void checkEntrySize(final String queue, final int sizes, final int wantedShift)
    {
        final int least = sizes & NIBBLE;
        final int most = sizes >>> 4 & NIBBLE;
        if (least > wantedShift || most < wantedShift)
        {
            throw new ControllerFailure("takes " + queue + " queue entries of 2^" + least + " to 2^" + most +
                " bytes, not of 2^" + wantedShift + ": its Identify data make no sense");
        }
    }

    /**
     * Verify is there when its bit of ONCS is set, or else when there is a limit, which then is a hard one. What a
     * command may transfer does not bound it: nothing is transferred.
     */
    private static long verifyBytesMax(
        final IdentifyController controller, final IdentifyNvmController nvm, final int pageShiftMin)
    {
        if (0 != nvm.verifySizeLimit())
        {
            return 1L << Math.min(VERIFY_SHIFT_MAX, nvm.verifySizeLimit() + pageShiftMin);
        }
        return 0 != (controller.optionalNvmCommands() & IdentifyController.NVM_VERIFY) ? Long.MAX_VALUE : 0;
    }

    /** Zero is no limit. */
    private static int shift(final int limit, final int pageShiftMin)
    {
        return 0 == limit ? TRANSFER_SHIFT_MAX : Math.min(TRANSFER_SHIFT_MAX, limit + pageShiftMin);
    }

    /** Text of a drive for output, without characters that would garble a terminal. */
    private static String printable(final String text)
    {
        final StringBuilder printable = new StringBuilder(text.strip());
        for (int i = 0; i < printable.length(); i++)
        {
            if (printable.charAt(i) < ' ' || printable.charAt(i) > '~')
            {
                printable.setCharAt(i, '?');
            }
        }
        return printable.toString();
    }
}

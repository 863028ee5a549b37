package io.millrace.block.nvme;

import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerIo;

/**
 * What a {@link ModelController} is. Set before it is started, or taken by a test as it is.
 */
final class ModelOptions
{
    int timeoutUnits = 20;
    int queueEntriesMax = 512;
    int doorbellStrideBytes = 4;
    int pageShiftMin = 12;
    /** Log2 of memory pages; 0 is no limit. */
    int transferLimit = 5;
    int optionalCommands = IdentifyControllerIo.NVM_COMPARE | IdentifyControllerIo.NVM_DATASET_MANAGEMENT |
        IdentifyControllerIo.NVM_WRITE_ZEROES | IdentifyControllerIo.NVM_VERIFY |
        IdentifyControllerIo.NVM_COPY;
    int copyFormats = IdentifyControllerIo.COPY_FORMAT_0;
    int writeZeroesLimit;
    int verifyLimit;
    int datasetRangeLimit;
    boolean isCachePresent = true;
    boolean isSglSupported;
    boolean isShadowSupported;
    boolean hasInterrupts;
    boolean hasFunctionReset = true;
    boolean doAbortsWork = true;
    int queuePairs = 16;
    /** Interrupt vectors, that of the admin queue among them. */
    int vectors = 32;
    int eventRequestLimit = 3;
    int submissionEntrySizes = 0x66;
    int controllerType = IdentifyController.TYPE_IO;
    String serial = "MODEL-1";

    // Misbehaviour that lasts.
    volatile boolean neverReady;
    volatile boolean neverStops;
    volatile boolean failsToEnable;
    volatile boolean isSilent;
    volatile byte[] garbage;

    ModelOptions with(final java.util.function.Consumer<ModelOptions> change)
    {
        change.accept(this);
        return this;
    }
}

package io.millrace.block.file;

import io.millrace.block.BlockDevice;
import io.millrace.block.DurabilityContractTest;
import io.millrace.memory.MemoryRegistry;

/** With the file system's own zeroed ranges and holes. */
class FileDurabilityTest extends DurabilityContractTest
{
    private static final int BLOCK = 4096;
    // What is in flight when power is lost never completes.
    private static final CloseTimeouts AT_ONCE = new CloseTimeouts(1_000_000L, 2_000_000L, 10_000_000_000L);

    private final ModelFile file = new ModelFile(BLOCK_COUNT * BLOCK, BLOCK, random);

    /** {@return capabilities in the place of those found} */
    FileCapabilities capabilities(final FileCapabilities found)
    {
        return new FileCapabilities(true, 0, ZeroStrategy.ZERO_RANGE, DeallocateStrategy.PUNCH_HOLE);
    }

    @Override
    protected BlockDevice openDevice(final MemoryRegistry registry)
    {
        file.faults(faults());
        final FileDevice device = file.device("volume", directory, registry, this::capabilities);
        device.closeTimeouts(AT_ONCE);
        return device;
    }

    /** {@return how the file departs from an ideal one} */
    ModelFaults faults()
    {
        return ModelFaults.SLOW;
    }

    @Override
    protected void losePower()
    {
        file.losePower();
    }
}

package io.millrace.block.fault;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.OwningDevice;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.memory.DmaMemory;

/** With a write cache of less than a transfer of the largest size, so that many writes pass it. */
class WriteCacheOverFileTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final BlockDevice file = FileDevice.open(
            FileDeviceConfig.of("file", directory.resolve("volume.img"), SIZE_BYTES, 512));
        return new OwningDevice(
            FaultDevice.wrapBorrowed("fault", file, FaultPlan.NONE, 700 << 10), file::close);
    }

    @Override
    protected void shouldAllocateNothingWhenWarm()
    {
        // The cache is for tests, and has an object for each block.
    }
}

package io.millrace.block.fault;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.memory.DmaMemory;

/** With a rule that never matches, so that each request is asked about. */
class PassingFaultOverFileTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        return FaultDevice.wrap(
            FileDevice.open(FileDeviceConfig.of("file", directory.resolve("volume.img"), SIZE_BYTES, 4096)),
            FaultPlan.of(seed, FaultRule.hang().withRange(1L << 40, 1L << 41).withOperations(java.util.Set.of(
                io.millrace.block.BlockOperation.READ, io.millrace.block.BlockOperation.WRITE))));
    }
}

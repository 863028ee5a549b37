package io.millrace.block.fault;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.DmaMemory;

class PassingFaultDeviceTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        return FaultDevice.wrap(MemoryDevice.create("memory", SIZE_BYTES, 4096), FaultPlan.NONE);
    }
}

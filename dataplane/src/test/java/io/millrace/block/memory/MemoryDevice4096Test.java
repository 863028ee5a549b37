package io.millrace.block.memory;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.memory.DmaMemory;

class MemoryDevice4096Test extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        return MemoryDevice.create("memory", SIZE_BYTES, 4096);
    }
}

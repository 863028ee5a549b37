package io.millrace.block.file;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;

class DirectFile512Test extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        return FileDevice.open(
            FileDeviceConfig.of("file", directory.resolve("volume.img"), SIZE_BYTES, 512),
            MemoryRegistry.of(registered));
    }
}

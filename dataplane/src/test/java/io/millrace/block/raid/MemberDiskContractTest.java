package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.memory.DmaMemory;

class MemberDiskContractTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        return MemberDisk.create("member", SIZE_BYTES, 4096, new PowerSupply(seed));
    }

    @Override
    protected void shouldAllocateNothingWhenWarm()
    {
        // A device for tests, with an object for each request.
    }
}

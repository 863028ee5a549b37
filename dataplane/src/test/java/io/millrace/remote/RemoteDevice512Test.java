package io.millrace.remote;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.OwningDevice;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.memory.DmaMemory;

/** A namespace of the project's own target with blocks of 512 bytes. */
class RemoteDevice512Test extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final InnerTarget target = new InnerTarget(1, DeviceConfig.memory("inner", SIZE_BYTES, 512));
        return new OwningDevice(target.connect(), target::close);
    }
}

package io.millrace.block.nvme;

import io.millrace.block.BlockDevice;
import io.millrace.block.OwningDevice;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.memory.MemoryRegistry;

/** Through a write cache that is lost with the drive's own. */
class WriteCacheNvmeDurabilityTest extends NvmeDurabilityTest
{
    private static final int CACHE_BYTES = 16 * 4096;

    private FaultDevice device;

    @Override
    protected BlockDevice openDevice(final MemoryRegistry registry)
    {
        final BlockDevice drive = super.openDevice(registry);
        device = FaultDevice.wrapBorrowed("fault", drive, FaultPlan.NONE, CACHE_BYTES);
        return new OwningDevice(device, drive::close);
    }

    @Override
    protected void losePower()
    {
        super.losePower();
        device.losePower(random.nextLong());
    }
}

package io.millrace.block.nvme;

import io.millrace.block.BlockDevice;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.memory.MemoryRegistry;

/** Through a fault device without rules. */
class FaultNvmeDurabilityTest extends NvmeDurabilityTest
{
    @Override
    protected BlockDevice openDevice(final MemoryRegistry registry)
    {
        return FaultDevice.wrap(super.openDevice(registry), FaultPlan.NONE);
    }
}

package io.millrace.block.fault;

import io.millrace.block.BlockDevice;
import io.millrace.block.DurabilityContractTest;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.MemoryRegistry;
import org.junit.jupiter.api.AfterEach;

/** With a write cache that has room for every block. */
class WriteCacheDurabilityTest extends DurabilityContractTest
{
    static final int BLOCK = 4096;

    private final MemoryDevice memory = MemoryDevice.create("memory", (long)BLOCK_COUNT * BLOCK, BLOCK);
    private FaultDevice device;

    @Override
    protected BlockDevice openDevice(final MemoryRegistry registry)
    {
        device = FaultDevice.wrapBorrowed("fault", memory, FaultPlan.NONE, cacheBytes());
        return device;
    }

    long cacheBytes()
    {
        return (long)BLOCK_COUNT * BLOCK;
    }

    @Override
    protected void losePower()
    {
        device.losePower(random.nextLong());
    }

    @AfterEach
    void closeMemory()
    {
        memory.close();
    }
}

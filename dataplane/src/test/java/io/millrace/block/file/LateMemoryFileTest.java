package io.millrace.block.file;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import org.junit.jupiter.api.BeforeEach;

/** Memory that is announced when the ring is there. */
class LateMemoryFileTest extends BlockDeviceContractTest
{
    private final MemoryRegistry registry = new MemoryRegistry();

    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        return FileDevice.open(
            FileDeviceConfig.of("late", directory.resolve("volume.img"), SIZE_BYTES, 4096), registry);
    }

    @BeforeEach
    void announce()
    {
        registry.add(arena, MemoryRole.BUFFERS);
    }
}

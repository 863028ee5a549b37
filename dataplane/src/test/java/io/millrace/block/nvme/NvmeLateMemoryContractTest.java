package io.millrace.block.nvme;

import io.millrace.block.BlockDevice;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import org.junit.jupiter.api.BeforeEach;

/**
 * Memory that comes when the channel is there, mapped in pieces that lie apart for the controller, so that a buffer may
 * cross from one to the next. Without scatter gather lists, as most drives.
 */
class NvmeLateMemoryContractTest extends NvmeContractTest
{
    private final MemoryRegistry registry = new MemoryRegistry();

    @Override
    protected BlockDevice open(final ModelController model, final DmaMemory registered)
    {
        model.dma.rangeBytesMax(2 << 20);
        return NvmeFixture.open(model, registry, config());
    }

    @BeforeEach
    void announce()
    {
        registry.add(arena, MemoryRole.BUFFERS);
    }
}

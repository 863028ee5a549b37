package io.millrace.block.file;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import java.util.function.UnaryOperator;

/** The model of io_uring does what the kernel does: late, out of order, short and repeated. */
class ModelRingFileTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final ModelFile file = new ModelFile(SIZE_BYTES, 512, random);
        file.faults(ModelFaults.SLOW);
        return file.device("model", directory, MemoryRegistry.of(registered), UnaryOperator.identity());
    }

    @Override
    protected void shouldAllocateNothingWhenWarm()
    {
        // No test here: the model allocates.
    }
}

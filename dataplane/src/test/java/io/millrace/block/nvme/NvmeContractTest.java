package io.millrace.block.nvme;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.memory.DmaMemory;

/** The contract on a controller that completes at once; subclasses have others. */
class NvmeContractTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final ModelOptions options = options();
        final ModelController model = new ModelController(NvmeFixture.ADDRESS, options, seed);
        model.with(1, namespace());
        model.script = script();
        return open(model, registered);
    }

    protected BlockDevice open(final ModelController model, final DmaMemory registered)
    {
        return NvmeFixture.open(model, registered, config());
    }

    protected ModelOptions options()
    {
        return new ModelOptions();
    }

    protected ModelNamespace namespace()
    {
        return ModelNamespace.of(SIZE_BYTES, 512);
    }

    protected NvmeDeviceConfig config()
    {
        return NvmeFixture.config();
    }

    protected ModelScript script()
    {
        return ModelScript.GOOD;
    }
}

package io.millrace.block.nvme;

/** Shadow doorbells, wide doorbell stride, 4 KiB blocks, completions in any order. */
class NvmeShadowContractTest extends NvmeContractTest
{
    @Override
    protected ModelOptions options()
    {
        return new ModelOptions().with((options) ->
        {
            options.isShadowSupported = true;
            options.doorbellStrideBytes = 16;
            options.isSglSupported = true;
        });
    }

    @Override
    protected ModelNamespace namespace()
    {
        return ModelNamespace.of(SIZE_BYTES, 4096);
    }

    @Override
    protected ModelScript script()
    {
        return (command) -> command.isIo() ? ModelScript.Action.LATER : ModelScript.Action.COMPLETE;
    }
}

package io.millrace.block.nvme;

/** Separate metadata, and limits on every command. */
class NvmeMetadataContractTest extends NvmeContractTest
{
    @Override
    protected ModelOptions options()
    {
        return new ModelOptions().with((options) ->
        {
            options.writeZeroesLimit = 3;
            options.datasetRangeLimit = 100;
            options.isSglSupported = true;
        });
    }

    @Override
    protected ModelNamespace namespace()
    {
        return new ModelNamespace(SIZE_BYTES, 512, 16, false, 0, 0, false);
    }
}

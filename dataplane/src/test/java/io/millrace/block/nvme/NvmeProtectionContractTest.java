package io.millrace.block.nvme;

/** Protection information behind the data of each block, which the controller makes. */
class NvmeProtectionContractTest extends NvmeContractTest
{
    @Override
    protected ModelNamespace namespace()
    {
        return new ModelNamespace(SIZE_BYTES, 4096, 8, true, 1, 0, false);
    }
}

package io.millrace.block.nvme;

/** Reactors that sleep until an interrupt wakes them. */
class NvmeInterruptContractTest extends NvmeContractTest
{
    @Override
    protected ModelOptions options()
    {
        return new ModelOptions().with((options) -> options.hasInterrupts = true);
    }

    @Override
    protected NvmeDeviceConfig config()
    {
        return super.config().withInterrupts(true);
    }
}

package io.millrace.block.file;

/** With errors: what a failed flush should have made stable is not promised by the next one. */
class FailingFileDurabilityTest extends FileDurabilityTest
{
    @Override
    ModelFaults faults()
    {
        return new ModelFaults(5, 100, 50, 50);
    }

    @Override
    protected int failurePercent()
    {
        return 5;
    }
}

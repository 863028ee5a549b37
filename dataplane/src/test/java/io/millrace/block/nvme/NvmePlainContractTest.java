package io.millrace.block.nvme;

import io.millrace.seed.TestSeeds;
import java.util.Random;

/**
 * A drive that offers no optional command and no cache, takes short transfers and small queues, and errs now and then.
 */
class NvmePlainContractTest extends NvmeContractTest
{
    @Override
    protected ModelOptions options()
    {
        return new ModelOptions().with((options) ->
        {
            options.optionalCommands = 0;
            options.isCachePresent = false;
            options.transferLimit = 2;
            options.queueEntriesMax = 8;
            options.pageShiftMin = 13;
        });
    }

    @Override
    protected ModelNamespace namespace()
    {
        return new ModelNamespace(SIZE_BYTES, 512, 0, false, 0, 24, false);
    }

    @Override
    protected ModelScript script()
    {
        final Random errors = TestSeeds.fixed(seed);
        return (command) -> command.isIo() && 0 == errors.nextInt(64) ?
            ModelScript.Action.ERROR : ModelScript.Action.COMPLETE;
    }
}

package io.millrace.block.nvme;

import io.millrace.block.BlockDevice;
import io.millrace.block.DurabilityContractTest;
import io.millrace.block.OwningDevice;
import io.millrace.memory.MemoryRegistry;
import org.junit.jupiter.api.AfterEach;

/** Over a drive with a volatile cache that a loss of power empties; commands are split, and complete out of order. */
class NvmeDurabilityTest extends DurabilityContractTest
{
    private static final int BLOCK = 4096;
    private static final long SILENCE_NS = 1_000_000L;

    private final ModelNamespace namespace = ModelNamespace.of(BLOCK_COUNT * BLOCK, BLOCK);
    private ModelController model;

    @Override
    protected BlockDevice openDevice(final MemoryRegistry registry)
    {
        // The driver may have repeated commands when power came back.
        namespace.flush();
        final ModelOptions options = new ModelOptions();
        // Two pages a command.
        options.transferLimit = 1;
        model = new ModelController(NvmeFixture.ADDRESS, options, random.nextLong());
        model.with(1, namespace);
        model.script = (command) -> command.isIo() ? ModelScript.Action.LATER : ModelScript.Action.COMPLETE;
        model.start();
        final NvmeController controller =
            NvmeController.start(model, registry, NvmeFixture.settings(), NvmeListener.NONE);
        final ModelController drive = model;
        return new OwningDevice(NvmeDevice.open(NvmeFixture.config(), controller), () ->
        {
            controller.close();
            // The namespace stays what it was written to when the host lets go of the drive.
            drive.namespaces.clear();
            drive.end();
        });
    }

    @Override
    protected boolean deallocatesToZero()
    {
        return true;
    }

    @Override
    protected void losePower()
    {
        model.losePower(SILENCE_NS);
    }

    @AfterEach
    void closeNamespace()
    {
        namespace.close();
    }
}

package io.millrace.dataplane.device;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.spdk.SpdkMemory;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkRuntime;
import java.util.function.Function;

/**
 * SPDK for the devices of a data plane, which starts in this process with the first of them. Set-up thread.
 */
final class SpdkAccess
{
    /** Null before the first device whose payload drives or RDMA devices of SPDK access. */
    private SpdkMemory memory;

    /**
     * Does something with SPDK.
     *
     * @param name         of the device that needs it.
     * @param dependencies of the device.
     * @param action       to do.
     * @param <T>          of its result.
     * @return its result.
     * @throws BlockDeviceException if SPDK cannot be used, or as the action does.
     */
    <T> T use(final String name, final DeviceDependencies dependencies, final Function<SpdkRuntime, T> action)
    {
        try
        {
            final SpdkRuntime spdk = dependencies.spdk().get();
            if (!spdk.config().pciAllowed().isEmpty())
            {
                register(dependencies, spdk);
            }
            return action.apply(spdk);
        }
        catch (final IllegalStateException | SpdkException e)
        {
            throw new BlockDeviceException("device " + name + ": " + e.getMessage(), e);
        }
    }

    /**
     * Has SPDK register the memory of the data plane, where payload lies, if it has not.
     *
     * @param dependencies of a device of SPDK.
     * @param spdk         which runs.
     */
    void register(final DeviceDependencies dependencies, final SpdkRuntime spdk)
    {
        if (null == memory)
        {
            final SpdkMemory registered = new SpdkMemory(spdk.memory());
            dependencies.memory().addListener(registered);
            memory = registered;
        }
    }
}

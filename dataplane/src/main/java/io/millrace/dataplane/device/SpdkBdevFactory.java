package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.block.spdk.SpdkDevice;
import io.millrace.block.spdk.SpdkMemory;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkRuntime;

/**
 * Bdevs of SPDK, which starts in this process with the first of them.
 */
final class SpdkBdevFactory implements DeviceFactory
{
    private static final String BDEV = "bdev";

    /** Null before the first device of an SPDK that has drives. */
    private SpdkMemory memory;

    @Override
    public String type()
    {
        return "spdk-bdev";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        return "bdev " + properties.text(BDEV) + " of SPDK";
    }

    /** Two names may be of one bdev, its name and an alias: SPDK knows. */
    @Override
    public String location(final DeviceProperties properties)
    {
        return "bdev " + properties.text(BDEV);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        try
        {
            final SpdkRuntime spdk = dependencies.spdk().get();
            if (null == memory && !spdk.config().pciAllowed().isEmpty())
            {
                final SpdkMemory registered = new SpdkMemory();
                dependencies.memory().addListener(registered);
                memory = registered;
            }
            return SpdkDevice.open(name, properties.text(BDEV), spdk);
        }
        catch (final IllegalStateException e)
        {
            throw new BlockDeviceException("device " + name + ": " + e.getMessage(), e);
        }
        catch (final SpdkException e)
        {
            throw new BlockDeviceException("device " + name + ": " + e.getMessage(), e);
        }
    }
}

package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.block.spdk.SpdkDevice;
import io.millrace.spdk.SpdkException;

/**
 * Bdevs of SPDK, which starts in this process with the first of them.
 */
final class SpdkBdevFactory implements DeviceFactory
{
    private static final String BDEV = "bdev";

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
            return SpdkDevice.open(name, properties.text(BDEV), dependencies.spdk().get());
        }
        catch (final SpdkException e)
        {
            throw new BlockDeviceException("device " + name + ": " + e.getMessage(), e);
        }
    }
}

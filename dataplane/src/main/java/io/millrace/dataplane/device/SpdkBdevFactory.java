package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.block.spdk.SpdkDevice;

/**
 * Bdevs of SPDK.
 */
final class SpdkBdevFactory implements DeviceFactory
{
    private static final String BDEV = "bdev";

    private final SpdkAccess access;

    /**
     * @param access to SPDK, of all its devices.
     */
    SpdkBdevFactory(final SpdkAccess access)
    {
        this.access = access;
    }

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
        return access.use(name, dependencies, (spdk) -> SpdkDevice.open(name, properties.text(BDEV), spdk));
    }
}

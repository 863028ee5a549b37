package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.block.spdk.NvmeControllerConfig;
import io.millrace.block.spdk.NvmeControllers;
import io.millrace.block.spdk.NvmeNamespace;
import io.millrace.block.spdk.NvmePath;
import io.millrace.block.spdk.SpdkDevice;
import io.millrace.spdk.SpdkRuntime;
import java.util.List;

/**
 * Namespaces of drives and targets that SPDK's NVMe driver has.
 */
final class SpdkNvmeFactory implements DeviceFactory
{
    private static final String CONTROLLER = "controller";
    private static final String ADDRESSES = "addresses";
    private static final String NSID = "nsid";
    private static final String HOST_NQN = "host-nqn";
    private static final String CONTROLLER_LOSS_TIMEOUT = "controller-loss-timeout";
    private static final long LOSS_NS_DEFAULT = 600_000_000_000L;
    private static final long NS_PER_S = 1_000_000_000L;

    private final SpdkAccess access;
    private final NvmeControllers controllers = new NvmeControllers();

    /**
     * @param access to SPDK, of all its devices.
     */
    SpdkNvmeFactory(final SpdkAccess access)
    {
        this.access = access;
    }

    @Override
    public String type()
    {
        return "spdk-nvme";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        return "namespace " + place(properties) + " by SPDK";
    }

    /** As of the types nvme and remote: two drivers of one namespace do not know of each other. */
    @Override
    public String location(final DeviceProperties properties)
    {
        return "namespace " + place(properties);
    }

    private static String place(final DeviceProperties properties)
    {
        return properties.text(CONTROLLER) + '/' + properties.integer(NSID, 1);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        return access.use(name, dependencies, (spdk) -> open(name, properties, dependencies, spdk));
    }

    private BlockDevice open(
        final String name,
        final DeviceProperties properties,
        final DeviceDependencies dependencies,
        final SpdkRuntime spdk)
    {
        final String controller = properties.text(CONTROLLER);
        final boolean isDrive = properties.texts(ADDRESSES).isEmpty();
        if (isDrive && !spdk.config().pciAllowed().contains(controller))
        {
            throw new BlockDeviceException("device " + name + ": controller " + controller + " is not in spdk.pci (" +
                spdk.config().pciAllowed() + "), and SPDK uses no other drives: add it there, with hugepages: true, " +
                "and start the data plane again");
        }
        access.register(dependencies, spdk);
        final NvmeNamespace namespace;
        try
        {
            namespace = controllers.acquire(spdk, config(properties, controller, isDrive), properties.integer(NSID, 1),
                (warning) -> dependencies.onWarning().accept("device " + name + ": " + warning));
        }
        catch (final BlockDeviceException e)
        {
            throw new BlockDeviceException("device " + name + ": " + e.getMessage(), e);
        }
        return SpdkDevice.open(name, namespace, spdk);
    }

    private static NvmeControllerConfig config(
        final DeviceProperties properties, final String controller, final boolean isDrive)
    {
        final List<NvmePath> paths = isDrive ? List.of(NvmePath.pcie(controller)) :
            properties.texts(ADDRESSES).stream().map(NvmePath::listener).toList();
        return new NvmeControllerConfig(paths, isDrive ? "" : controller, properties.text(HOST_NQN, ""),
            properties.number(CONTROLLER_LOSS_TIMEOUT, LOSS_NS_DEFAULT) / NS_PER_S);
    }
}

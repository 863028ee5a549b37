package io.millrace.dataplane.device;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProperties;
import io.millrace.block.nvme.ControllerSettings;
import io.millrace.block.nvme.NvmeDevice;
import io.millrace.block.nvme.NvmeDeviceConfig;
import io.millrace.block.nvme.NvmeDrives;
import io.millrace.pci.IommuMode;
import io.millrace.pci.VfioFunction;
import java.util.List;

/**
 * Namespaces of NVMe drives that this process drives itself, through VFIO.
 */
final class NvmeFactory implements DeviceFactory
{
    private NvmeDrives drives;

    @Override
    public String type()
    {
        return "nvme";
    }

    @Override
    public String description(final DeviceProperties properties)
    {
        return "nvme " + place(properties);
    }

    @Override
    public String location(final DeviceProperties properties)
    {
        return "namespace " + place(properties);
    }

    private static String place(final DeviceProperties properties)
    {
        return NvmeDeviceConfig.canonical(properties.text(NvmeDeviceConfig.ADDRESS)) + '/' +
            properties.integer(NvmeDeviceConfig.NSID, NvmeDeviceConfig.NSID_DEFAULT);
    }

    @Override
    public BlockDevice open(final String name, final DeviceProperties properties, final DeviceDependencies dependencies)
    {
        if (null == drives)
        {
            // One for all devices of the data plane: they share the controllers of drives.
            drives = new NvmeDrives(dependencies.memory(), ControllerSettings.defaults(),
                (address, sentence) -> dependencies.onWarning().accept(sentence));
        }
        final IommuMode mode = properties.flag(NvmeDeviceConfig.UNSAFE_NOIOMMU, false) ?
            IommuMode.UNSAFE_NO_IOMMU : IommuMode.REQUIRED;
        return drives.open(
            NvmeDeviceConfig.of(name, properties), (address) -> VfioFunction.open(address, mode));
    }

    @Override
    public List<String> notes(final BlockDevice device)
    {
        return ((NvmeDevice)device).notes();
    }
}

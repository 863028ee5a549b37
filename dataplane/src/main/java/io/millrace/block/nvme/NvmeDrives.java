package io.millrace.block.nvme;

import io.millrace.block.BlockDeviceException;
import io.millrace.memory.MemoryRegistry;
import io.millrace.pci.PciException;
import io.millrace.pci.PciFunction;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The drives of a process: a controller is taken with its first device and released with its last. Any thread but the
 * reactors'.
 */
public final class NvmeDrives
{
    private final MemoryRegistry registry;
    private final ControllerSettings settings;
    private final NvmeListener listener;
    private final Map<String, Drive> drives = new HashMap<>();

    /** A controller and how many devices it has. */
    private static final class Drive
    {
        private final NvmeController controller;
        private int devices;

        Drive(final NvmeController controller)
        {
            this.controller = controller;
        }
    }

    /**
     * Creates an instance without drives.
     *
     * @param registry of the memory that payload lies in.
     * @param settings of each controller.
     * @param listener notified of their events.
     */
    public NvmeDrives(
        final MemoryRegistry registry, final ControllerSettings settings, final NvmeListener listener)
    {
        this.registry = registry;
        this.settings = settings;
        this.listener = listener;
    }

    /**
     * Opens a namespace as a device.
     *
     * @param config    configuration.
     * @param functions how a PCI function is taken, by its address; throws {@link PciException}. Not asked when the
     *                  drive was taken before.
     * @return the device; closing it gives the drive back when it was the last.
     * @throws BlockDeviceException saying in one sentence why it is unavailable.
     */
    public synchronized NvmeDevice open(
        final NvmeDeviceConfig config, final Function<String, PciFunction> functions)
    {
        final Drive known = drives.get(config.address());
        final Drive drive = null == known ? take(config, functions) : known;
        try
        {
            final NvmeDevice device = NvmeDevice.open(config, drive.controller);
            drive.devices++;
            drives.put(config.address(), drive);
            device.onClose(() -> release(config.address(), drive));
            return device;
        }
        catch (final BlockDeviceException e)
        {
            if (0 == drive.devices)
            {
                drive.controller.close();
            }
            throw named(config, e);
        }
    }

    private Drive take(final NvmeDeviceConfig config, final Function<String, PciFunction> functions)
    {
        try
        {
            return new Drive(NvmeController.start(functions.apply(config.address()), registry, settings, listener));
        }
        catch (final PciException e)
        {
            throw new BlockDeviceException("device " + config.name() + ": " + e.getMessage(), e);
        }
        catch (final BlockDeviceException e)
        {
            throw named(config, e);
        }
    }

    private static BlockDeviceException named(final NvmeDeviceConfig config, final BlockDeviceException e)
    {
        return new BlockDeviceException("device " + config.name() + ": " + e.getMessage(), e);
    }

    private synchronized void release(final String address, final Drive drive)
    {
        drive.devices--;
        if (0 == drive.devices)
        {
            drives.remove(address, drive);
            drive.controller.close();
        }
    }
}

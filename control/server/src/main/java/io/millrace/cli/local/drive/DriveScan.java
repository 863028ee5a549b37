package io.millrace.cli.local.drive;

import io.millrace.cli.local.drive.Drive.DriveNamespace;
import io.millrace.pci.OpenFiles;
import io.millrace.pci.PciAddress;
import io.millrace.pci.PciBus;
import io.millrace.pci.PciDevice;
import io.millrace.pci.PciException;
import io.millrace.pci.Sysfs;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the NVMe drives of this machine. Scans at each call.
 */
final class DriveScan
{
    private static final int SECTOR_BYTES = 512;
    /** With multipathing in the kernel, a path's name has its controller's number within. */
    private static final Pattern NAMESPACE = Pattern.compile("nvme(\\d+)(?:c\\d+)?n(\\d+)");

    private static final Pattern KERNEL_NAME = Pattern.compile("(?:/dev/)?(nvme\\d+(?:n\\d+)?)(?:p\\d+)?");
    private static final String DEVICES = "/sys/bus/pci/devices/";

    private final Sysfs files;
    private final PciBus bus;

    DriveScan(final Path root)
    {
        files = new Sysfs(root);
        bus = new PciBus(root);
    }

    PciBus bus()
    {
        return bus;
    }

    /** All drives, in order of their addresses. */
    List<Drive> list()
    {
        final OpenFiles openFiles = openFiles();
        return bus.list().stream().filter(PciDevice::isNvme).map((device) -> read(device, openFiles)).toList();
    }

    /** Whether a text is the kernel's name of a drive, of one of its namespaces or partitions. */
    static boolean isKernelName(final String text)
    {
        return KERNEL_NAME.matcher(text).matches();
    }

    /**
     * The drive of a name: its address, or what {@link #isKernelName} takes.
     *
     * @throws PciException if there is none, or the device is not an NVMe drive.
     */
    Drive find(final String name)
    {
        final Matcher kernelName = KERNEL_NAME.matcher(name);
        final PciDevice device = kernelName.matches() ? named(kernelName.group(1)) : bus.find(PciAddress.parse(name));
        if (!device.isNvme())
        {
            throw new PciException(device.address() + " is not an NVMe drive: its class is " + device.classText() +
                ", not 01:08:02; 'millrace drive list' shows the NVMe drives");
        }
        return read(device);
    }

    private PciDevice named(final String name)
    {
        return bus.list().stream().filter(PciDevice::isNvme)
            .filter((device) -> name.equals(controller(device)) || disks(controller(device)).contains(name))
            .findFirst().orElseThrow(() -> new PciException(name +
                " is not an NVMe drive of this machine's PCI buses: 'millrace drive list' shows those that are"));
    }

    Drive read(final PciDevice device)
    {
        return read(device, openFiles());
    }

    private OpenFiles openFiles()
    {
        return OpenFiles.below(files.at("/dev"));
    }

    private Drive read(final PciDevice device, final OpenFiles openFiles)
    {
        final String controller = controller(device);
        final BlockUses blockUses = new BlockUses(files, openFiles);
        final List<DriveNamespace> namespaces = new ArrayList<>();
        final List<String> uses = new ArrayList<>();
        for (final String disk : disks(controller))
        {
            namespaces.add(namespace(disk));
            uses.addAll(blockUses.of(disk));
        }
        if (device.isVfio())
        {
            final String own = bus.vfioDeviceFile(device);
            final String holder = openFiles.holder(files.at(bus.vfioFile(device)).toString(),
                own.isEmpty() ? "" : files.at(own).toString());
            if (!holder.isEmpty())
            {
                uses.add("in use" + holder);
            }
        }
        final String path = path(controller);
        return new Drive(device, controller, identity(path, "model"), identity(path, "serial"),
            identity(path, "firmware_rev"), List.copyOf(namespaces), List.copyOf(uses));
    }

    /** The kernel's name of a controller, empty when the kernel does not drive it. */
    private String controller(final PciDevice device)
    {
        final List<String> controllers = files.list(DEVICES + device.address() + "/nvme");
        return controllers.isEmpty() ? "" : controllers.getFirst();
    }

    private static String path(final String controller)
    {
        return "/sys/class/nvme/" + controller + "/";
    }

    private List<String> disks(final String controller)
    {
        return controller.isEmpty() ? List.of() : files.list(path(controller)).stream().map(NAMESPACE::matcher)
            .filter(Matcher::matches).map((name) -> "nvme" + name.group(1) + "n" + name.group(2)).toList();
    }

    /** Whether the kernel shows a namespace of a drive. */
    boolean hasNamespace(final PciDevice device)
    {
        return !disks(controller(device)).isEmpty();
    }

    /** What the kernel says of a controller that it drives, {@code live} when it is well. */
    String state(final String controller)
    {
        return files.read(path(controller) + "state");
    }

    private String identity(final String path, final String name)
    {
        return DriveView.printable(files.read(path + name));
    }

    private DriveNamespace namespace(final String disk)
    {
        final String path = "/sys/class/block/" + disk + "/";
        return new DriveNamespace(disk, files.number(path + "size", 0) * SECTOR_BYTES,
            (int)files.number(path + "queue/logical_block_size", SECTOR_BYTES));
    }
}

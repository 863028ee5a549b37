package io.millrace.drive;

import io.millrace.drive.Drive.DriveNamespace;
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
 * Finds the NVMe drives of this machine. Asks anew at each call.
 */
final class DriveScan
{
    private static final int SECTOR_BYTES = 512;
    /** With multipathing in the kernel, a path's name has its controller's number within. */
    private static final Pattern NAMESPACE = Pattern.compile("nvme(\\d+)(?:c\\d+)?n(\\d+)");

    private final Sysfs files;
    private final PciBus bus;
    private final BlockUses blockUses;

    DriveScan(final Path root)
    {
        files = new Sysfs(root);
        bus = new PciBus(root);
        blockUses = new BlockUses(files);
    }

    PciBus bus()
    {
        return bus;
    }

    /** All drives, in order of their addresses. */
    List<Drive> list()
    {
        return bus.list().stream().filter(PciDevice::isNvme).map(this::read).toList();
    }

    /**
     * The drive at an address.
     *
     * @throws PciException when there is none, or something else.
     */
    Drive find(final String address)
    {
        final PciDevice device = bus.find(PciAddress.parse(address));
        if (!device.isNvme())
        {
            throw new PciException(device.address() + " is no NVMe drive: its class is " + device.classText() +
                ", not 01:08:02; 'millrace drive list' shows the NVMe drives");
        }
        return read(device);
    }

    Drive read(final PciDevice device)
    {
        final List<String> controllers = files.list("/sys/bus/pci/devices/" + device.address() + "/nvme");
        final String controller = controllers.isEmpty() ? "" : controllers.getFirst();
        final String path = "/sys/class/nvme/" + controller + "/";
        final List<DriveNamespace> namespaces = new ArrayList<>();
        final List<String> uses = new ArrayList<>();
        if (!controller.isEmpty())
        {
            for (final String name : files.list(path))
            {
                final Matcher matcher = NAMESPACE.matcher(name);
                if (matcher.matches())
                {
                    final String disk = "nvme" + matcher.group(1) + "n" + matcher.group(2);
                    namespaces.add(namespace(disk));
                    uses.addAll(blockUses.of(disk));
                }
            }
        }
        if (device.isVfio())
        {
            final String holder = OpenFiles.holder(files.at(bus.vfioFile(device)).toString());
            if (!holder.isEmpty())
            {
                uses.add("in use" + holder);
            }
        }
        return new Drive(device, controller, identity(path, "model"), identity(path, "serial"),
            identity(path, "firmware_rev"), List.copyOf(namespaces), List.copyOf(uses));
    }

    private String identity(final String path, final String name)
    {
        return files.read(path + name);
    }

    private DriveNamespace namespace(final String disk)
    {
        final String path = "/sys/class/block/" + disk + "/";
        return new DriveNamespace(disk, files.number(path + "size", 0) * SECTOR_BYTES,
            (int)files.number(path + "queue/logical_block_size", SECTOR_BYTES));
    }
}

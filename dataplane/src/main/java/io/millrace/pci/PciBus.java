package io.millrace.pci;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The PCI functions of this machine, as sysfs shows them ({@code Documentation/ABI/testing/sysfs-bus-pci}), and which
 * driver each has. Reads sysfs at each call. Set-up only; any thread but a reactor's.
 */
public final class PciBus
{
    /** The driver that gives processes access to functions. */
    public static final String VFIO_DRIVER = "vfio-pci";
    private static final String DEVICES = "/sys/bus/pci/devices/";
    private static final String DRIVERS = "/sys/bus/pci/drivers/";
    private static final String GROUPS = "/sys/kernel/iommu_groups/";
    private static final PciBus SYSTEM = new PciBus(Path.of("/"));
    private static final int BAR_COUNT = 6;

    private final Sysfs files;

    /**
     * Made over another root in tests.
     *
     * @param root under which the kernel's files are.
     */
    public PciBus(final Path root)
    {
        files = new Sysfs(root);
    }

    /**
     * {@return the bus of this machine}
     */
    public static PciBus system()
    {
        return SYSTEM;
    }

    /**
     * {@return all functions, in order of their addresses; none where there is no PCI bus}
     */
    public List<PciDevice> list()
    {
        final List<PciDevice> devices = new ArrayList<>();
        for (final String name : files.list(DEVICES))
        {
            devices.add(read(PciAddress.parse(name)));
        }
        devices.sort(null);
        return devices;
    }

    /**
     * Reads the properties of one function.
     *
     * @param address where it is.
     * @return its properties.
     * @throws PciException when there is none.
     */
    public PciDevice find(final PciAddress address)
    {
        if (!files.exists(DEVICES + address))
        {
            throw new PciException("no PCI function is at " + address +
                ": 'millrace drive list' shows the NVMe drives and their addresses");
        }
        return read(address);
    }

    /**
     * {@return the others of a function's IOMMU group, in order; none when it is alone or has no group}
     *
     * @param device whose group it is.
     */
    public List<PciDevice> groupOthers(final PciDevice device)
    {
        final List<PciDevice> others = new ArrayList<>();
        for (final String name : files.list(GROUPS + device.iommuGroup() + "/devices"))
        {
            if (!name.equals(device.address().toString()))
            {
                others.add(read(PciAddress.parse(name)));
            }
        }
        others.sort(null);
        return others;
    }

    /**
     * Whether a function's group has no IOMMU: VFIO creates such groups in its unsafe mode.
     *
     * @param device whose group it is.
     * @return whether nothing stops the function from reaching all memory.
     */
    public boolean isGroupWithoutIommu(final PciDevice device)
    {
        return "vfio-noiommu".equals(files.read(GROUPS + device.iommuGroup() + "/name"));
    }

    /**
     * {@return the file that a process opens to take a function that is bound to VFIO}
     *
     * @param device to take.
     */
    public String vfioFile(final PciDevice device)
    {
        return "/dev/vfio/" + (isGroupWithoutIommu(device) ? "noiommu-" : "") + device.iommuGroup();
    }

    /**
     * {@return the file of a function alone, which goes with {@code /dev/iommu}; empty where this kernel has none}
     *
     * @param device that is bound to VFIO.
     */
    public String vfioDeviceFile(final PciDevice device)
    {
        // Linux 6.1 has the name already, but no file.
        final List<String> names = files.list(DEVICES + device.address() + "/vfio-dev");
        final String file = names.isEmpty() ? "" : "/dev/vfio/devices/" + names.getFirst();
        return !file.isEmpty() && files.exists(file) ? file : "";
    }

    /**
     * {@return whether this machine has an IOMMU that is on: functions are in groups then}
     */
    public boolean hasIommu()
    {
        for (final String group : files.list(GROUPS))
        {
            if (!"vfio-noiommu".equals(files.read(GROUPS + group + "/name")))
            {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return whether a driver is loaded}
     *
     * @param driver its name.
     */
    public boolean hasDriver(final String driver)
    {
        return files.exists(DRIVERS + driver);
    }

    /**
     * Binds a function to a driver, exclusively until {@link #release}. Needs root. When that fails, it is bound to the
     * former driver again.
     *
     * @param address where it is.
     * @param driver  loaded before.
     * @throws PciException when the function or the driver is missing, or the kernel refuses.
     */
    public void bind(final PciAddress address, final String driver)
    {
        final PciDevice before = find(address);
        if (!hasDriver(driver))
        {
            throw new PciException("driver " + driver + " is not loaded: as root, modprobe " + driver);
        }
        if (before.driver().equals(driver))
        {
            return;
        }
        write(before, DEVICES + address + "/driver_override", driver);
        try
        {
            rebind(before);
            final PciDevice after = find(address);
            if (!after.driver().equals(driver))
            {
                throw new PciException(driver + " did not take " + address +
                    ": the kernel's log says why (dmesg), " + (before.driver().isEmpty() ? "no driver has it" :
                    before.driver() + " gets it back"));
            }
        }
        catch (final PciException e)
        {
            takeBack(before, e);
            throw e;
        }
    }

    /**
     * Lets the kernel choose the driver of a function again, as it does at boot. Needs root.
     *
     * @param address where it is.
     * @return its present properties; it may be without a driver.
     * @throws PciException when there is no such function, or the kernel refuses.
     */
    public PciDevice release(final PciAddress address)
    {
        final PciDevice before = find(address);
        write(before, DEVICES + address + "/driver_override", "\n");
        rebind(before);
        return find(address);
    }

    private void rebind(final PciDevice device)
    {
        if (!device.driver().isEmpty())
        {
            write(device, DEVICES + device.address() + "/driver/unbind", device.address().toString());
        }
        write(device, "/sys/bus/pci/drivers_probe", device.address().toString());
    }

    private void takeBack(final PciDevice before, final PciException reason)
    {
        try
        {
            final String override = before.driverOverride().isEmpty() ? "\n" : before.driverOverride();
            write(before, DEVICES + before.address() + "/driver_override", override);
            if (find(before.address()).driver().isEmpty())
            {
                write(before, "/sys/bus/pci/drivers_probe", before.address().toString());
            }
        }
        catch (final PciException e)
        {
            reason.addSuppressed(e);
        }
    }

    private void write(final PciDevice device, final String path, final String text)
    {
        try
        {
            files.write(path, text);
        }
        catch (final IOException e)
        {
            final String what = "driver of " + device.address() + " cannot be changed";
            if (e instanceof java.nio.file.AccessDeniedException)
            {
                throw new PciException(what + ", " + path + " may not be written: it takes root", e);
            }
            final String message = String.valueOf(e.getMessage());
            throw new PciException(what + ", " + path + ": " +
                (message.startsWith(path) ? message.substring(path.length() + 2) : message) +
                "; the kernel's log says more (dmesg)", e);
        }
    }

    private PciDevice read(final PciAddress address)
    {
        final String path = DEVICES + address + "/";
        final String override = files.read(path + "driver_override");
        final String group = files.linkName(path + "iommu_group");
        return new PciDevice(
            address,
            (int)files.number(path + "vendor", 0),
            (int)files.number(path + "device", 0),
            (int)files.number(path + "class", 0),
            files.linkName(path + "driver"),
            "(null)".equals(override) ? "" : override,
            group.isEmpty() ? -1 : Integer.parseInt(group),
            (int)files.number(path + "numa_node", -1),
            barBytes(files.read(path + "resource")));
    }

    /** Each line has first and last address and flags, in hexadecimal; all zero when there is none. */
    private static List<Long> barBytes(final String resources)
    {
        final List<Long> lengths = new ArrayList<>();
        for (final String line : resources.lines().limit(BAR_COUNT).toList())
        {
            final String[] words = line.split(" ");
            final long first = Long.decode(words[0]);
            final long last = Long.decode(words[1]);
            lengths.add(0 == last ? 0 : last - first + 1);
        }
        return List.copyOf(lengths);
    }
}

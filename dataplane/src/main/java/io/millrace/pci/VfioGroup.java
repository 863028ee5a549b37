package io.millrace.pci;

import io.millrace.bindings.Errno;
import io.millrace.bindings.vfio.Vfio;
import io.millrace.bindings.vfio.VfioGroupStatus;
import io.millrace.bindings.vfio.VfioIommuInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An IOMMU group that this process has taken, in a container of its own, and the addresses of that container. The
 * kernel lets a group be opened once, so functions of one group share it: it is let go with the last of them. Set-up
 * only; any thread but a reactor's.
 */
final class VfioGroup
{
    private static final String CONTAINER = "/dev/vfio/vfio";
    /** Before Linux 5.4 the kernel does not say; IOMMUs of that time reach at least so far. */
    private static final long LAST_IOVA_OLD = (1L << 39) - 1;
    private static final long MSI_FIRST = 0xFEE0_0000L;
    private static final long MSI_LAST = 0xFEEF_FFFFL;
    private static final long PAGE_BYTES_MIN = 4096;
    private static final Map<Integer, VfioGroup> OPEN = new HashMap<>();

    private final int number;
    private final DeviceFile container;
    private final DeviceFile group;
    private final boolean hasIommu;
    private final IovaSpace addresses = new IovaSpace();
    private long pageBytes = PAGE_BYTES_MIN;
    private final Set<PciAddress> taken = new HashSet<>();

    private VfioGroup(final int number, final DeviceFile container, final DeviceFile group, final boolean hasIommu)
    {
        this.number = number;
        this.container = container;
        this.group = group;
        this.hasIommu = hasIommu;
    }

    /**
     * Takes the group of a function, or joins in when this process has it already.
     *
     * @param bus    to name the other members from.
     * @param device whose group it is.
     * @return the group, to be given back with {@link #release}.
     * @throws PciException when it cannot be had.
     */
    static VfioGroup take(final PciBus bus, final PciDevice device)
    {
        synchronized (OPEN)
        {
            VfioGroup group = OPEN.get(device.iommuGroup());
            if (null == group)
            {
                group = open(bus, device);
                OPEN.put(device.iommuGroup(), group);
            }
            if (!group.taken.add(device.address()))
            {
                throw new PciException(device.address() + " is in use by this process already: name it once");
            }
            return group;
        }
    }

    private static VfioGroup open(final PciBus bus, final PciDevice device)
    {
        final boolean hasIommu = !bus.isGroupWithoutIommu(device);
        final DeviceFile container = new DeviceFile(CONTAINER, openContainer());
        DeviceFile group = null;
        try
        {
            final String path = bus.vfioFile(device);
            group = new DeviceFile(path, openGroup(path, device));
            final VfioGroup opened = new VfioGroup(device.iommuGroup(), container, group, hasIommu);
            opened.join(bus, device);
            return opened;
        }
        catch (final RuntimeException e)
        {
            if (null != group)
            {
                group.close();
            }
            container.close();
            throw e;
        }
    }

    private static int openContainer()
    {
        final int fd = DeviceFile.open(CONTAINER);
        return switch (-fd)
        {
            case Errno.ENOENT, Errno.ENODEV -> throw new PciException(
                CONTAINER + " is missing, the VFIO module is not loaded: as root, modprobe vfio-pci");
            case Errno.EACCES, Errno.EPERM -> throw new PciException(
                CONTAINER + " may not be opened by this user: as root, chmod 666 " + CONTAINER);
            default -> DeviceFile.check(CONTAINER + " cannot be opened", fd);
        };
    }

    private static int openGroup(final String path, final PciDevice device)
    {
        final int fd = DeviceFile.open(path);
        return switch (-fd)
        {
            case Errno.ENOENT -> throw new PciException(path + " is missing though " + device.address() +
                " is bound to " + device.driver() + ": give the container or jail of this process that file");
            case Errno.EACCES -> throw new PciException(path + " of " + device.address() +
                " may not be opened by this user: as root, chown " + System.getProperty("user.name") + " " + path +
                ", or the udev rule in docs/nvme-driver.md");
            case Errno.EPERM -> throw new PciException(path + " of " + device.address() +
                " may be opened by root alone: without an IOMMU it takes CAP_SYS_RAWIO");
            case Errno.EBUSY -> throw new PciException(device.address() + " is in use" + OpenFiles.holder(path) +
                ": stop that process first");
            default -> DeviceFile.check(path + " cannot be opened", fd);
        };
    }

    private void join(final PciBus bus, final PciDevice device)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final int version = container.require("asking for the version", Vfio.VFIO_GET_API_VERSION, 0);
            final int kind = hasIommu ? Vfio.VFIO_TYPE1V2_IOMMU : Vfio.VFIO_NOIOMMU_IOMMU;
            if (Vfio.VFIO_API_VERSION != version || container.call(Vfio.VFIO_CHECK_EXTENSION, kind) <= 0)
            {
                throw new PciException("VFIO of this kernel, version " + version + ", does not offer IOMMUs of " +
                    (hasIommu ? "type 1 v2: modprobe vfio_iommu_type1" : "no kind at all: load vfio with " +
                    "enable_unsafe_noiommu_mode=1"));
            }
            checkViable(bus, device, arena);
            final MemorySegment descriptor = arena.allocate(Integer.BYTES, Integer.BYTES);
            descriptor.set(ValueLayout.JAVA_INT, 0, container.fd());
            group.require("taking the group", Vfio.VFIO_GROUP_SET_CONTAINER, descriptor.address());
            final int chosen = container.call(Vfio.VFIO_SET_IOMMU, kind);
            if (-Errno.EPERM == chosen)
            {
                throw new PciException("IOMMU refused for " + device.address() + ": interrupts of functions are not " +
                    "remapped, so one could forge another's; turn on interrupt remapping in the firmware, or boot " +
                    "with vfio_iommu_type1.allow_unsafe_interrupts=1");
            }
            DeviceFile.check("IOMMU refused for " + device.address(), chosen);
            if (hasIommu)
            {
                findAddresses(arena);
            }
        }
    }

    private void checkViable(final PciBus bus, final PciDevice device, final Arena arena)
    {
        final long status = arena.allocate(VfioGroupStatus.SIZE_BYTES, Long.BYTES).address();
        VfioGroupStatus.init(status);
        group.require("asking for the group's state", Vfio.VFIO_GROUP_GET_STATUS, status);
        if (0 == (VfioGroupStatus.flags(status) & Vfio.VFIO_GROUP_FLAGS_VIABLE))
        {
            final List<PciDevice> others = bus.groupOthers(device).stream()
                .filter((other) -> !other.isBridge() && !other.isVfio() && !other.driver().isEmpty()).toList();
            throw new PciException(device.address() + " shares IOMMU group " + number + " with " + others.stream()
                .map((other) -> other.address() + " (" + other.driver() + ")").collect(Collectors.joining(", ")) +
                ": the kernel must drive none of them; bind them to " + PciBus.VFIO_DRIVER +
                " as well, or put the drive into another slot");
        }
    }

    private void findAddresses(final Arena arena)
    {
        final MemorySegment answer = container.answer("asking for the IOMMU's addresses", Vfio.VFIO_IOMMU_GET_INFO,
            arena, VfioIommuInfo.SIZE_BYTES, VfioIommuInfo::init);
        final long info = answer.address();
        final int lengthBytes = (int)answer.byteSize();
        final long sizes = VfioIommuInfo.pageSizes(info);
        pageBytes = Math.max(PAGE_BYTES_MIN, Long.lowestOneBit(sizes));
        final int count = VfioIommuInfo.rangeCount(info, lengthBytes);
        if (count < 0)
        {
            addresses.add(0, MSI_FIRST - 1);
            addresses.add(MSI_LAST + 1, LAST_IOVA_OLD);
        }
        for (int i = 0; i < count; i++)
        {
            addresses.add(
                VfioIommuInfo.rangeStart(info, lengthBytes, i), VfioIommuInfo.rangeLast(info, lengthBytes, i));
        }
    }

    /**
     * Opens a member.
     *
     * @param device of this group.
     * @return the device's descriptor, the caller's.
     * @throws PciException when the kernel refuses.
     */
    DeviceFile openDevice(final PciDevice device)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final String name = device.address().toString();
            final int fd = group.require("opening " + name, Vfio.VFIO_GROUP_GET_DEVICE_FD,
                arena.allocateFrom(name).address());
            return new DeviceFile(name, fd);
        }
    }

    DeviceFile container()
    {
        return container;
    }

    boolean hasIommu()
    {
        return hasIommu;
    }

    long pageBytes()
    {
        return pageBytes;
    }

    /** The addresses that are not taken; shared by the group's functions, so locked. */
    IovaSpace addresses()
    {
        return addresses;
    }

    /**
     * Gives the group back; the last user closes it, and with it all that was mapped.
     *
     * @param device it was taken for.
     */
    void release(final PciAddress device)
    {
        synchronized (OPEN)
        {
            taken.remove(device);
            if (taken.isEmpty())
            {
                OPEN.remove(number);
                group.close();
                container.close();
            }
        }
    }
}

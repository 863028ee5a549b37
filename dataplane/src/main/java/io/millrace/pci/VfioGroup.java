package io.millrace.pci;

import io.millrace.bindings.Errno;
import io.millrace.bindings.vfio.Vfio;
import io.millrace.bindings.vfio.VfioDmaRange;
import io.millrace.bindings.vfio.VfioGroupStatus;
import io.millrace.bindings.vfio.VfioIommuInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An IOMMU group that this process has opened by the group's file, in a container of its own: the type 1 interface, and
 * the mode without an IOMMU.
 */
final class VfioGroup implements IommuContext
{
    /** Where files of groups and functions are. */
    static final Path FOLDER = Path.of("/dev/vfio");
    private static final int FLAGS = Vfio.VFIO_DMA_MAP_FLAG_READ | Vfio.VFIO_DMA_MAP_FLAG_WRITE;
    private static final String CONTAINER = "/dev/vfio/vfio";
    /** Before Linux 5.4 the kernel does not report the ranges; IOMMUs support at least this address. */
    private static final long LAST_IOVA_OLD = (1L << 39) - 1;
    private static final long MSI_FIRST = 0xFEE0_0000L;
    private static final long MSI_LAST = 0xFEEF_FFFFL;
    private static final long PAGE_BYTES_MIN = 4096;

    private final int number;
    private final DeviceFile container;
    private final DeviceFile group;
    private final boolean hasIommu;
    private final IovaSpace addresses = new IovaSpace();
    private long pageBytes = PAGE_BYTES_MIN;

    private VfioGroup(final int number, final DeviceFile container, final DeviceFile group, final boolean hasIommu)
    {
        this.number = number;
        this.container = container;
        this.group = group;
        this.hasIommu = hasIommu;
    }

    /**
     * Takes the group of a function.
     *
     * @param bus    to name the other members from.
     * @param device whose group it is.
     * @return the group.
     * @throws PciException when it is unavailable.
     */
    static VfioGroup open(final PciBus bus, final PciDevice device)
    {
        final boolean hasIommu = !bus.isGroupWithoutIommu(device);
        final DeviceFile container = new DeviceFile(CONTAINER, openContainer());
        DeviceFile group = null;
        try
        {
            final String path = bus.vfioFile(device);
            group = new DeviceFile(path, openGroup(bus, path, device));
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

    private static int openGroup(final PciBus bus, final String path, final PciDevice device)
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
            case Errno.EBUSY -> throw new PciException(device.address() + " is in use" +
                OpenFiles.below(FOLDER).holder(path, bus.vfioDeviceFile(device)) + ": stop that process first");
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
                throw new PciException(notRemapped(device, "vfio_iommu_type1"));
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
            checkOthers(bus, device);
            throw new PciException("IOMMU group " + number + " of " + device.address() +
                " cannot be taken: the kernel uses part of it, see 'dmesg'");
        }
    }

    /**
     * Checks that the kernel drives no other function of a function's group.
     *
     * @param bus    to look at.
     * @param device whose group it is.
     * @throws PciException naming them.
     */
    static void checkOthers(final PciBus bus, final PciDevice device)
    {
        final List<PciDevice> others = bus.groupOthers(device).stream()
            .filter((other) -> !other.isBridge() && !other.isVfio() && !other.driver().isEmpty()).toList();
        if (!others.isEmpty())
        {
            throw new PciException(device.address() + " shares IOMMU group " + device.iommuGroup() + " with " +
                others.stream().map((other) -> other.address() + " (" + other.driver() + ")")
                    .collect(Collectors.joining(", ")) +
                ": the kernel must drive none of them; bind them to " + PciBus.VFIO_DRIVER +
                " as well, or put the drive into another slot");
        }
    }

    /** Message for missing interrupt remapping. */
    static String notRemapped(final PciDevice device, final String module)
    {
        return "IOMMU refused for " + device.address() + ": interrupts of functions are not remapped, so one could " +
            "forge another's; turn on interrupt remapping in the firmware, or boot with " + module +
            ".allow_unsafe_interrupts=1";
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

    @Override
    public DeviceFile openDevice(final PciDevice device)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final String name = device.address().toString();
            final int fd = group.require("opening " + name, Vfio.VFIO_GROUP_GET_DEVICE_FD,
                arena.allocateFrom(name).address());
            return new DeviceFile(name, fd);
        }
    }

    @Override
    public boolean hasIommu()
    {
        return hasIommu;
    }

    @Override
    public long pageBytes()
    {
        return pageBytes;
    }

    @Override
    public IovaSpace addresses()
    {
        return addresses;
    }

    @Override
    public int map(final long address, final long iova, final long lengthBytes)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long range = arena.allocate(VfioDmaRange.SIZE_BYTES, Long.BYTES).address();
            VfioDmaRange.map(range, FLAGS, address, iova, lengthBytes);
            return container.call(Vfio.VFIO_IOMMU_MAP_DMA, range);
        }
    }

    @Override
    public int unmap(final long iova, final long lengthBytes)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long range = arena.allocate(VfioDmaRange.SIZE_BYTES, Long.BYTES).address();
            VfioDmaRange.unmap(range, iova, lengthBytes);
            final int result = container.call(Vfio.VFIO_IOMMU_UNMAP_DMA, range);
            // The kernel answers success and 0 bytes for what is not mapped.
            return 0 == result && VfioDmaRange.unmappedBytes(range) != lengthBytes ? -Errno.ENOENT : result;
        }
    }

    @Override
    public String mappingLimit()
    {
        return "dma_entry_limit of the module vfio_iommu_type1";
    }

    @Override
    public void close()
    {
        group.close();
        container.close();
    }
}

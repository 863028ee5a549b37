package io.millrace.pci;

import io.millrace.bindings.Errno;
import io.millrace.bindings.vfio.IommuAddressSpace;
import io.millrace.bindings.vfio.Vfio;
import io.millrace.bindings.vfio.VfioAttachment;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An address space of {@code /dev/iommu} for the functions of one group, each opened by its own file
 * ({@code Documentation/userspace-api/iommufd.rst}; Linux 6.6). The kernel counts what is mapped as the user's.
 */
final class Iommufd implements IommuContext
{
    private static final Path IOMMU = Path.of("/dev/iommu");
    private static final long PAGE_BYTES_MIN = 4096;
    private static final int RANGES_FIRST = 16;

    private final PciBus bus;
    private final DeviceFile iommu;
    private final int space;
    private final IovaSpace addresses = new IovaSpace();
    private long pageBytes;

    private Iommufd(final PciBus bus, final DeviceFile iommu, final int space)
    {
        this.bus = bus;
        this.iommu = iommu;
        this.space = space;
    }

    /**
     * {@return whether this kernel offers iommufd for a function, and this process may use it}
     *
     * @param bus    to look at.
     * @param device to take.
     */
    static boolean isOffered(final PciBus bus, final PciDevice device)
    {
        final String file = bus.vfioDeviceFile(device);
        return !file.isEmpty() && !bus.isGroupWithoutIommu(device) && mayOpen(IOMMU) && mayOpen(Path.of(file));
    }

    private static boolean mayOpen(final Path file)
    {
        return Files.isReadable(file) && Files.isWritable(file);
    }

    /**
     * Makes an address space; nothing is in it yet.
     *
     * @param bus    to name functions from.
     * @param device that is to be opened first.
     * @return the space.
     * @throws PciException when the kernel refuses.
     */
    static Iommufd open(final PciBus bus, final PciDevice device)
    {
        final int fd = DeviceFile.check(IOMMU + " cannot be opened", DeviceFile.open(IOMMU.toString()));
        final DeviceFile iommu = new DeviceFile(IOMMU.toString(), fd);
        try (Arena arena = Arena.ofConfined())
        {
            final long request = arena.allocate(IommuAddressSpace.SIZE_BYTES, Long.BYTES).address();
            IommuAddressSpace.make(request);
            iommu.require("making an address space for " + device.address(), Vfio.IOMMU_IOAS_ALLOC, request);
            return new Iommufd(bus, iommu, IommuAddressSpace.madeId(request));
        }
        catch (final RuntimeException e)
        {
            iommu.close();
            throw e;
        }
    }

    @Override
    public DeviceFile openDevice(final PciDevice device)
    {
        final String path = bus.vfioDeviceFile(device);
        final DeviceFile file = new DeviceFile(
            device.address().toString(), DeviceFile.check(path + " cannot be opened", DeviceFile.open(path)));
        try (Arena arena = Arena.ofConfined())
        {
            final long request = arena.allocate(VfioAttachment.SIZE_BYTES, Long.BYTES).address();
            VfioAttachment.bind(request, iommu.fd());
            check(device, path, file.call(Vfio.VFIO_DEVICE_BIND_IOMMUFD, request));
            VfioAttachment.attach(request, space);
            check(device, path, file.call(Vfio.VFIO_DEVICE_ATTACH_IOMMUFD_PT, request));
            if (0 == pageBytes)
            {
                findAddresses(arena);
            }
            return file;
        }
        catch (final RuntimeException e)
        {
            file.close();
            throw e;
        }
    }

    private void check(final PciDevice device, final String path, final int result)
    {
        switch (-result)
        {
            case Errno.EPERM -> throw new PciException(VfioGroup.notRemapped(device, "iommufd"));
            case Errno.EBUSY, Errno.EINVAL ->
            {
                // A function whose file is open in another process is an invalid argument.
                VfioGroup.checkOthers(bus, device);
                throw new PciException(device.address() + " is in use" +
                    OpenFiles.below(VfioGroup.FOLDER).holder(bus.vfioFile(device), path) + ": stop that process first");
            }
            default -> DeviceFile.check("IOMMU refused for " + device.address(), result);
        }
    }

    /** The kernel knows the addresses of the IOMMU only after a function was attached. */
    private void findAddresses(final Arena arena)
    {
        final long request = arena.allocate(IommuAddressSpace.SIZE_BYTES, Long.BYTES).address();
        int room = RANGES_FIRST;
        while (true)
        {
            final long ranges = arena.allocate((long)room * IommuAddressSpace.RANGE_BYTES, Long.BYTES).address();
            IommuAddressSpace.ranges(request, space, ranges, room);
            final int result = iommu.call(Vfio.IOMMU_IOAS_IOVA_RANGES, request);
            final int count = IommuAddressSpace.rangeCount(request);
            if (result < 0 && count <= room)
            {
                DeviceFile.check(IOMMU + ": asking for the IOMMU's addresses failed", result);
            }
            if (result >= 0)
            {
                for (int i = 0; i < count; i++)
                {
                    addresses.add(
                        IommuAddressSpace.rangeStart(ranges, i), IommuAddressSpace.rangeLast(ranges, i));
                }
                pageBytes = Math.max(PAGE_BYTES_MIN, IommuAddressSpace.alignmentBytes(request));
                return;
            }
            room = count;
        }
    }

    @Override
    public boolean hasIommu()
    {
        return true;
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
            final long request = arena.allocate(IommuAddressSpace.SIZE_BYTES, Long.BYTES).address();
            IommuAddressSpace.map(request, space, address, iova, lengthBytes);
            return iommu.call(Vfio.IOMMU_IOAS_MAP, request);
        }
    }

    @Override
    public int unmap(final long iova, final long lengthBytes)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long request = arena.allocate(IommuAddressSpace.SIZE_BYTES, Long.BYTES).address();
            IommuAddressSpace.unmap(request, space, iova, lengthBytes);
            final int result = iommu.call(Vfio.IOMMU_IOAS_UNMAP, request);
            return 0 == result && IommuAddressSpace.unmappedBytes(request) != lengthBytes ? -Errno.ENOENT : result;
        }
    }

    @Override
    public String mappingLimit()
    {
        return "the memory of the kernel";
    }

    @Override
    public void close()
    {
        iommu.close();
    }
}

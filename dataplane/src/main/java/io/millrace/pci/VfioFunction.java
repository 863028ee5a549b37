package io.millrace.pci;

import io.millrace.bindings.Architecture;
import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.Mappings;
import io.millrace.bindings.vfio.Vfio;
import io.millrace.bindings.vfio.VfioDeviceInfo;
import java.lang.foreign.Arena;

/**
 * An NVMe controller's PCI function, taken from the kernel through VFIO ({@code Documentation/driver-api/vfio.rst}): by
 * its own file and iommufd, or by its group's and the type 1 interface. When this process ends without closing it, the
 * kernel resets the function before it takes the mappings away.
 */
public final class VfioFunction implements PciFunction
{
    // PCI Local Bus Specification 3.0, 6.2.2: the command register.
    private static final int COMMAND = 4;
    private static final int COMMAND_MEMORY = 1 << 1;
    private static final int COMMAND_BUS_MASTER = 1 << 2;

    private final PciDevice found;
    private final String address;
    private final DeviceFile device;
    private final VfioDmaMap mappings;
    private final DmaMap dma;
    private final VfioRegion configuration;
    private final boolean canReset;
    private final VfioInterrupts vectors;
    private final VfioInterrupts requests;
    private final Arena arena;
    private final long counter;
    /** Null until the registers are mapped. */
    private MappedBar bar0;
    private volatile boolean isGone;
    private boolean isClosed;

    private VfioFunction(final PciDevice found, final IommuContext context, final DeviceFile device)
    {
        this.found = found;
        address = found.address().toString();
        this.device = device;
        mappings = new VfioDmaMap(address, context);
        dma = context.hasIommu() ? mappings : new PhysicalDmaMap(address);
        canReset = canReset(device);
        configuration = VfioRegion.of(device, Vfio.VFIO_PCI_CONFIG_REGION_INDEX);
        vectors = new VfioInterrupts(
            device, Vfio.VFIO_PCI_MSIX_IRQ_INDEX, 1 + Runtime.getRuntime().availableProcessors());
        requests = new VfioInterrupts(device, Vfio.VFIO_PCI_REQ_IRQ_INDEX, 1);
        // Last, since nothing closes it when a statement before it throws.
        arena = Arena.ofShared();
        counter = arena.allocate(Long.BYTES, Long.BYTES).address();
    }

    /**
     * Takes the function of an NVMe drive that was bound to {@code vfio-pci} before.
     *
     * @param address where it is, such as {@code 0000:01:00.0}.
     * @param mode    whether it may be taken without an IOMMU.
     * @return the function; bus mastering is off.
     * @throws PciException when it is not an NVMe drive, not bound to VFIO, not accessible to this user, in use, shares
     *     its group with functions that the kernel drives, has no IOMMU, or this processor is no x86-64.
     */
    public static VfioFunction open(final String address, final IommuMode mode)
    {
        checkProcessor(Architecture.current());
        final PciBus bus = PciBus.system();
        final PciDevice found = bus.find(PciAddress.parse(address));
        check(bus, found, mode);
        LockedMemory.raiseLimit();
        final IommuContext context = IommuContexts.take(bus, found);
        DeviceFile device = null;
        final VfioFunction function;
        try
        {
            device = context.openDevice(found);
            function = new VfioFunction(found, context, device);
        }
        catch (final RuntimeException e)
        {
            if (null != device)
            {
                device.close();
            }
            IommuContexts.release(found);
            throw e;
        }
        try
        {
            function.takeRegisters();
            return function;
        }
        catch (final RuntimeException e)
        {
            function.close();
            throw e;
        }
    }

    private void takeRegisters()
    {
        enableBusMaster(false);
        bar0 = VfioRegion.of(device, Vfio.VFIO_PCI_BAR0_REGION_INDEX).map(address);
        requests.fd(0);
    }

    /**
     * Java has barriers between processors, and on Arm those do not order a write of memory before the write of a
     * doorbell for a device outside of the processors' own shareability domain ({@code dmb oshst} does, and Java emits
     * {@code dmb ish}). A drive could fetch an entry that is not written yet. On x86-64 stores reach devices in order.
     *
     * @param processor that this process runs on.
     * @throws PciException when drives cannot be driven safely on it.
     */
    static void checkProcessor(final Architecture processor)
    {
        final Capability capability = capability(processor);
        if (!capability.isAvailable())
        {
            throw new PciException(capability.reason() + "; " + capability.remedy());
        }
    }

    /**
     * {@return whether drives can be driven through VFIO on a processor, with the reason and the remedy when not}
     *
     * @param processor that the process runs on.
     */
    public static Capability capability(final Architecture processor)
    {
        final String name = "doorbell order";
        return switch (processor)
        {
            case X86_64 -> Capability.on(name, "stores reach devices in order on x86-64");
            case AARCH64 -> Capability.off(name, "drives from user space work on x86-64 only: on aarch64 Java has no " +
                "barrier that orders memory before a doorbell for devices",
                "leave the drive to the kernel and serve its block device, type file");
        };
    }

    /** Checks before anything is opened. */
    static void check(final PciBus bus, final PciDevice device, final IommuMode mode)
    {
        if (!device.isNvme())
        {
            throw new PciException(device.address() + " is not an NVMe drive: its class is " + device.classText() +
                ", not 01:08:02; 'millrace drive list' shows the NVMe drives");
        }
        final boolean isNoIommu = device.iommuGroup() < 0 || bus.isGroupWithoutIommu(device);
        if (isNoIommu && IommuMode.REQUIRED == mode)
        {
            throw new PciException(device.address() +
                " has no IOMMU to stop it from writing where it must not: turn one on (VT-d or AMD-Vi in " +
                "the firmware, intel_iommu=on on the kernel's command line), or take the risk and say unsafe-noiommu");
        }
        if (!device.isVfio())
        {
            throw new PciException(device.address() + " is driven by " +
                (device.driver().isEmpty() ? "no driver" : "the kernel's " + device.driver()) +
                ", not by " + PciBus.VFIO_DRIVER + ": as root, millrace drive bind " + device.address());
        }
    }

    private static boolean canReset(final DeviceFile device)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long info = arena.allocate(VfioDeviceInfo.SIZE_BYTES, Long.BYTES).address();
            VfioDeviceInfo.init(info);
            device.require("asking for its abilities", Vfio.VFIO_DEVICE_GET_INFO, info);
            return 0 != (VfioDeviceInfo.flags(info) & Vfio.VFIO_DEVICE_FLAGS_RESET);
        }
    }

    @Override
    public String address()
    {
        return address;
    }

    @Override
    public MappedBar bar0()
    {
        return bar0;
    }

    @Override
    public DmaMap dma()
    {
        return dma;
    }

    @Override
    public void enableBusMaster(final boolean enabled)
    {
        final int result = setBusMaster(enabled);
        if (result < 0)
        {
            throw new PciException(
                "the configuration of " + address + " cannot be written: " + Errno.describe(-result));
        }
    }

    private int setBusMaster(final boolean enabled)
    {
        try (Arena memory = Arena.ofConfined())
        {
            final long buffer = memory.allocate(Short.BYTES, Short.BYTES).address();
            final long read = configuration.read(COMMAND, buffer, Short.BYTES);
            if (Short.BYTES != read)
            {
                return read < 0 ? (int)read : -Errno.EIO;
            }
            final int command = Short.toUnsignedInt(NativeMemory.getShort(buffer)) & ~COMMAND_BUS_MASTER;
            NativeMemory.putShort(buffer, (short)(command | COMMAND_MEMORY | (enabled ? COMMAND_BUS_MASTER : 0)));
            final long written = configuration.write(COMMAND, buffer, Short.BYTES);
            return Short.BYTES == written ? 0 : written < 0 ? (int)written : -Errno.EIO;
        }
    }

    @Override
    public boolean reset()
    {
        // Before, since the kernel restores what it finds.
        return canReset && 0 == setBusMaster(false) && 0 == device.call(Vfio.VFIO_DEVICE_RESET, 0);
    }

    @Override
    public int interruptFd(final int vector)
    {
        return vectors.fd(vector);
    }

    @Override
    public boolean isGone()
    {
        if (!isGone)
        {
            checkRemoval();
        }
        return isGone;
    }

    private synchronized void checkRemoval()
    {
        if (!isClosed)
        {
            final int fd = requests.fd(0);
            isGone = isGone || fd >= 0 && Files.read(fd, counter, Long.BYTES) > 0;
        }
    }

    @Override
    public synchronized void close()
    {
        if (isClosed)
        {
            return;
        }
        isClosed = true;
        // Failures here mean that the function was removed.
        setBusMaster(false);
        vectors.close();
        requests.close();
        if (null != bar0)
        {
            Mappings.munmap(bar0.address(), bar0.lengthBytes());
        }
        device.close();
        mappings.unmapAll();
        IommuContexts.release(found);
        arena.close();
    }
}

package io.millrace.rdma;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.DeviceAttributes;
import io.millrace.bindings.verbs.GidEntry;
import io.millrace.bindings.verbs.PortAttributes;
import io.millrace.bindings.verbs.VerbsCalls;
import io.millrace.bindings.verbs.VerbsDevice;
import io.millrace.pci.PciAddress;
import io.millrace.pci.PciException;
import io.millrace.pci.Sysfs;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads the RDMA devices of this machine: opens each, asks for its attributes and closes it again. Set-up only, may
 * block; any thread but a reactor's.
 */
public final class RdmaScan
{
    private static final String DEVICES = "/sys/class/infiniband/";
    private static final String FILES = "/dev/infiniband/";

    private final Sysfs sysfs = new Sysfs(Path.of("/"));
    private final Arena arena;

    private RdmaScan(final Arena arena)
    {
        this.arena = arena;
    }

    /**
     * Reads all devices.
     *
     * @return what there is; none of either kind on a machine without RDMA.
     * @throws RdmaException when libibverbs cannot be used.
     */
    public static RdmaDevices run()
    {
        final Capability verbs = VerbsCalls.capability();
        if (!verbs.isAvailable())
        {
            throw new RdmaException("libibverbs cannot be used: " + verbs.reason() + "; " + verbs.remedy());
        }
        try (Arena arena = Arena.ofConfined())
        {
            return new RdmaScan(arena).read();
        }
    }

    private RdmaDevices read()
    {
        final List<RdmaDevice> usable = new ArrayList<>();
        final List<RdmaDevices.Unusable> unusable = new ArrayList<>();
        final long countAddress = arena.allocate(Integer.BYTES, Integer.BYTES).address();
        final long list = VerbsCalls.getDeviceList(countAddress);
        String missing = "libibverbs has no provider for it: install ibverbs-providers (Debian) or libibverbs " +
            "(Fedora) of a release that knows the device";
        if (list < 0)
        {
            missing = "devices cannot be listed (" + Errno.describe((int)-list) +
                "): load the kernel's module ib_uverbs, as root: modprobe ib_uverbs";
        }
        else
        {
            final int count = NativeMemory.getInt(countAddress);
            for (int i = 0; i < count; i++)
            {
                read(NativeMemory.getLong(list + (long)i * Long.BYTES), usable, unusable);
            }
            VerbsCalls.freeDeviceList(list);
        }
        addOthers(usable, unusable, missing);
        usable.sort(Comparator.comparing(RdmaDevice::name));
        unusable.sort(Comparator.comparing(RdmaDevices.Unusable::name));
        return new RdmaDevices(usable, unusable);
    }

    /** What the kernel has and libibverbs does not. */
    private void addOthers(
        final List<RdmaDevice> usable, final List<RdmaDevices.Unusable> unusable, final String reason)
    {
        final Set<String> known = usable.stream().map(RdmaDevice::name).collect(Collectors.toSet());
        unusable.forEach((device) -> known.add(device.name()));
        sysfs.list(DEVICES).stream().filter((name) -> !known.contains(name))
            .forEach((name) -> unusable.add(new RdmaDevices.Unusable(name, reason)));
    }

    private void read(
        final long device, final List<RdmaDevice> usable, final List<RdmaDevices.Unusable> unusable)
    {
        final String name = VerbsDevice.name(device);
        final String file = FILES + VerbsDevice.fileName(device);
        final long context = VerbsCalls.openDevice(device);
        if (context < 0)
        {
            final Path path = Path.of(file);
            unusable.add(new RdmaDevices.Unusable(name, notOpened(file, cause((int)-context,
                Files.exists(path) && !(Files.isReadable(path) && Files.isWritable(path))))));
            return;
        }
        try
        {
            usable.add(read(device, context, name, file));
        }
        catch (final RdmaException e)
        {
            unusable.add(new RdmaDevices.Unusable(name, e.getMessage()));
        }
        finally
        {
            VerbsCalls.closeDevice(context);
        }
    }

    private RdmaDevice read(final long device, final long context, final String name, final String file)
    {
        final long attributes = arena.allocate(DeviceAttributes.SIZE_BYTES, Long.BYTES).address();
        check("ibv_query_device", VerbsCalls.queryDevice(context, attributes));
        final Optional<PciAddress> pciAddress = pciAddress(sysfs, name);
        return new RdmaDevice(
            name,
            file,
            NodeType.of(VerbsDevice.nodeType(device)),
            DeviceAttributes.firmwareVersion(attributes),
            DeviceAttributes.nodeGuid(attributes),
            DeviceAttributes.systemImageGuid(attributes),
            DeviceAttributes.vendorId(attributes),
            DeviceAttributes.vendorPartId(attributes),
            pciAddress,
            pciAddress.isEmpty() ? -1 : (int)sysfs.number(DEVICES + name + "/device/numa_node", -1),
            limits(attributes),
            AtomicCapability.of(DeviceAttributes.atomicCapability(attributes)),
            OnDemandPaging.of(DeviceAttributes.onDemandPaging(attributes),
                DeviceAttributes.onDemandPagingOfReliableConnections(attributes)),
            ports(device, context, name, DeviceAttributes.portCount(attributes)));
    }

    private static RdmaLimits limits(final long attributes)
    {
        return new RdmaLimits(
            DeviceAttributes.maxQueuePairs(attributes),
            DeviceAttributes.maxQueuePairRequests(attributes),
            DeviceAttributes.maxSegments(attributes),
            DeviceAttributes.maxReadSegments(attributes),
            DeviceAttributes.maxCompletionQueues(attributes),
            DeviceAttributes.maxCompletions(attributes),
            DeviceAttributes.maxMemoryRegions(attributes),
            DeviceAttributes.maxMemoryRegionBytes(attributes),
            DeviceAttributes.maxReadsAsTarget(attributes),
            DeviceAttributes.maxReadsAsInitiator(attributes),
            DeviceAttributes.maxSharedReceiveQueues(attributes),
            DeviceAttributes.maxSharedReceiveRequests(attributes));
    }

    private List<RdmaPort> ports(final long device, final long context, final String name, final int count)
    {
        final long[] attributes = new long[count + 1];
        int gidsMax = 0;
        for (int port = 1; port <= count; port++)
        {
            attributes[port] = arena.allocate(PortAttributes.SIZE_BYTES, Long.BYTES).address();
            check("ibv_query_port of port " + port, VerbsCalls.queryPort(context, port, attributes[port]));
            gidsMax += PortAttributes.gidTableLength(attributes[port]);
        }
        final long entries = arena.allocate((long)gidsMax * GidEntry.SIZE_BYTES, Long.BYTES).address();
        final int gidCount = check("ibv_query_gid_table", VerbsCalls.queryGidTable(context, entries, gidsMax));
        final List<RdmaPort> ports = new ArrayList<>();
        for (int port = 1; port <= count; port++)
        {
            final List<RdmaGid> gids = new ArrayList<>();
            for (int i = 0; i < gidCount; i++)
            {
                final long entry = entries + (long)i * GidEntry.SIZE_BYTES;
                if (port == GidEntry.port(entry))
                {
                    gids.add(gid(entry, DEVICES + name + "/ports/" + port));
                }
            }
            gids.sort(Comparator.comparingInt(RdmaGid::index));
            ports.add(port(port, VerbsDevice.transportType(device), attributes[port], gids,
                partitionKeys(context, port, PortAttributes.pkeyTableLength(attributes[port]))));
        }
        return ports;
    }

    private RdmaGid gid(final long entry, final String portDirectory)
    {
        final int index = GidEntry.index(entry);
        return new RdmaGid(index, GidType.of(GidEntry.type(entry)), GidEntry.gidHigh(entry), GidEntry.gidLow(entry),
            sysfs.read(portDirectory + "/gid_attrs/ndevs/" + index));
    }

    private List<PartitionKey> partitionKeys(final long context, final int port, final int length)
    {
        final List<PartitionKey> keys = new ArrayList<>();
        final long key = arena.allocate(Short.BYTES, Short.BYTES).address();
        for (int index = 0; index < length; index++)
        {
            check("ibv_query_pkey of port " + port, VerbsCalls.queryPkey(context, port, index, key));
            final int value = Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(key)));
            if (0 != value)
            {
                keys.add(new PartitionKey(index, value));
            }
        }
        return keys;
    }

    /**
     * A port by its attributes.
     *
     * @param number        from 1.
     * @param transportType of the device, {@code IBV_TRANSPORT_*}.
     * @param attributes    address of {@link PortAttributes}.
     * @param gids          of the port.
     * @param partitionKeys of the port.
     * @return the port.
     */
    static RdmaPort port(
        final int number,
        final int transportType,
        final long attributes,
        final List<RdmaGid> gids,
        final List<PartitionKey> partitionKeys)
    {
        final int linkLayer = PortAttributes.linkLayer(attributes);
        return new RdmaPort(
            number,
            RdmaTransport.of(transportType, linkLayer),
            PortState.of(PortAttributes.state(attributes)),
            PhysicalState.of(PortAttributes.physicalState(attributes)),
            LinkLayer.of(linkLayer),
            PortAttributes.lid(attributes),
            LinkRate.mtuBytes(PortAttributes.maxMtu(attributes)),
            LinkRate.mtuBytes(PortAttributes.activeMtu(attributes)),
            LinkRate.lanes(PortAttributes.activeWidth(attributes)),
            LinkRate.laneMegabits(PortAttributes.activeSpeed(attributes)),
            Integer.toUnsignedLong(PortAttributes.maxMessageBytes(attributes)),
            gids,
            partitionKeys);
    }

    /**
     * {@return the adapter of a device; empty for one in software, which has no parent or one that is not of PCI}
     *
     * @param sysfs of the kernel.
     * @param name  of the device.
     */
    static Optional<PciAddress> pciAddress(final Sysfs sysfs, final String name)
    {
        try
        {
            return Optional.of(PciAddress.parse(sysfs.linkName(DEVICES + name + "/device")));
        }
        catch (final PciException e)
        {
            return Optional.empty();
        }
    }

    /**
     * {@return the reason why a device could not be opened, as errno} libibverbs tries a second time, by
     * {@code /dev/char}, and reports only that: where no udev has made it, as in containers, a device that is forbidden
     * seems to be missing.
     *
     * @param errno       of the attempt, positive.
     * @param isForbidden whether the file is there, and may not be read and written.
     */
    static int cause(final int errno, final boolean isForbidden)
    {
        return Errno.ENOENT == errno && isForbidden ? Errno.EACCES : errno;
    }

    /**
     * {@return why a device could not be opened, and what to check}
     *
     * @param file  of the device.
     * @param errno of the attempt, positive.
     */
    static String notOpened(final String file, final int errno)
    {
        return file + " cannot be opened (" + Errno.describe(errno) + "): " + switch (errno)
        {
            case Errno.EACCES -> "allow this user to read and write it, as root: chmod 0666 " + file +
                ", or a udev rule (rdma-core has one)";
            case Errno.EPERM -> "allow the device in the container or service, such as docker run --device " + file;
            case Errno.ENOENT, Errno.ENXIO -> "it is missing: load the module ib_uverbs, and give " + file +
                " to the container if this is one";
            case Errno.ENOMEM -> "raise the locked memory limit: ulimit -l, or LimitMEMLOCK= of the service";
            case Errno.EMFILE -> "raise the limit of open files: ulimit -n";
            default -> "see the kernel's log: dmesg";
        };
    }

    private static int check(final String function, final int result)
    {
        if (result < 0)
        {
            throw new RdmaException(function + " failed (" + Errno.describe(-result) + "): " +
                (-Errno.ENODEV == result || -Errno.EIO == result ? "the device is gone or is being reset: see dmesg" :
                    "update rdma-core and the kernel, and see dmesg"));
        }
        return result;
    }
}

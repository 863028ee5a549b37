package io.millrace.dataplane;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.GrowableDevice;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.file.FileDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.nullblock.NullDevice;
import io.millrace.block.nvme.ControllerSettings;
import io.millrace.block.nvme.NvmeDevice;
import io.millrace.block.nvme.NvmeDrives;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.memory.DmaMemory;
import io.millrace.pci.IommuMode;
import io.millrace.pci.VfioFunction;
import io.millrace.validation.ResourceValidation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The devices of a running data plane. Any thread but the reactors'; futures may complete on a reactor, so dependent
 * actions must not block.
 */
public final class Devices
{
    private final Operations operations;
    private final DmaMemory arena;
    private final Map<String, ManagedDevice> devices = new LinkedHashMap<>();
    private final Map<Path, String> paths = new HashMap<>();
    private final Map<String, String> places = new HashMap<>();
    private final NvmeDrives drives;

    Devices(final Operations operations, final DmaMemory arena)
    {
        this.operations = operations;
        this.arena = arena;
        drives = new NvmeDrives(
            List.of(arena), ControllerSettings.defaults(), (address, sentence) -> operations.onError(sentence));
    }

    /**
     * Creates a device. A file is opened, created or grown as configured, which may take a while.
     *
     * @param config configuration.
     * @throws OperationException when the name is taken, the wrapped device is not there or in use, or the device is
     *     unavailable.
     */
    public void create(final DeviceConfig config)
    {
        create(config, this::open);
    }

    /** With another factory of the device. */
    void create(final DeviceConfig config, final Function<DeviceConfig, BlockDevice> opener)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            checkName(config.name());
            checkValues(config);
            if (devices.containsKey(config.name()))
            {
                throw new OperationException(Reason.EXISTS, subject(config.name()), "already exists",
                    "choose another name");
            }
            final ManagedDevice created;
            try
            {
                created = new ManagedDevice(config, opener.apply(config));
            }
            catch (final BlockDeviceException e)
            {
                throw refused(config.name(), e);
            }
            devices.put(config.name(), created);
            if (config instanceof final DeviceConfig.Fault fault)
            {
                devices.get(fault.device()).user(new ManagedDevice.User(created, null, 0));
            }
            operations.publish(ResourceKind.DEVICE, ResourceChange.CREATED, config.name(), config.description());
        }
    }

    /**
     * {@return done when a namespace that is being removed, and used the device so far, has released it; done already
     * when there is none, or no such device}
     *
     * @param name of the device.
     */
    public CompletableFuture<Void> free(final String name)
    {
        synchronized (operations)
        {
            final ManagedDevice device = devices.get(name);
            return null == device ? CompletableFuture.completedFuture(null) : device.leaving();
        }
    }

    /**
     * Closes an unused device. Data in memory is lost; files stay.
     *
     * @param name name.
     * @throws OperationException when it is not there or in use, or still waits for memory that it lent.
     */
    public void delete(final String name)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final ManagedDevice device = require(name);
            checkUnused(device, "remove that first");
            close(device);
            devices.remove(name);
            operations.publish(ResourceKind.DEVICE, ResourceChange.DELETED, name);
        }
    }

    /**
     * Makes a device larger; connected hosts are notified. Devices that wrap it grow with it.
     *
     * @param name      of a memory, null, file or nvme device; the namespace of the last has grown before.
     * @param sizeBytes new size: a multiple of the block size, not below the present one.
     * @return done when every reactor takes the new size and hosts have been told.
     * @throws OperationException when it does not exist or cannot have that size.
     */
    public CompletableFuture<Void> resize(final String name, final long sizeBytes)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final ManagedDevice device = require(name);
            checkSize(subject(name), sizeBytes);
            if (!(device.device() instanceof final GrowableDevice growable))
            {
                throw new OperationException(Reason.UNSUPPORTED, subject(name),
                    "size " + sizeBytes + " cannot be set, it is " + device.config().description(),
                    "resize the device that it wraps");
            }
            try
            {
                growable.grow(sizeBytes);
            }
            catch (final BlockDeviceException e)
            {
                throw refused(name, e);
            }
            operations.publish(ResourceKind.DEVICE, ResourceChange.CHANGED, name, "has " + sizeBytes + " bytes");
            ManagedDevice.User user = device.user();
            while (null != user && null != user.wrapper())
            {
                user = user.wrapper().user();
            }
            return null == user ? CompletableFuture.completedFuture(null) :
                user.subsystem().onDeviceGrown(user.nsid());
        }
    }

    /**
     * Replaces the rules of a fault device. Requests that hang by former rules are ended.
     *
     * @param name name.
     * @param plan from now on.
     * @return done when every reactor applies it.
     * @throws OperationException when it is not there or no fault device.
     */
    public CompletableFuture<Void> setFaults(final String name, final FaultPlan plan)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final ManagedDevice device = require(name);
            if (!(device.device() instanceof final FaultDevice fault))
            {
                throw new OperationException(Reason.INVALID, subject(name),
                    "is " + device.config().description() + ", which has no fault rules", "wrap it in a fault device");
            }
            final CompletableFuture<Void> done = fault.plan(plan);
            device.config(new DeviceConfig.Fault(name, fault.inner().name(), plan));
            operations.publish(ResourceKind.DEVICE, ResourceChange.CHANGED, name,
                "has " + plan.rules().size() + " fault rules");
            return done;
        }
    }

    /**
     * {@return the devices in the order they were made}
     */
    public List<DeviceSnapshot> list()
    {
        synchronized (operations)
        {
            return devices.values().stream().map(ManagedDevice::snapshot).toList();
        }
    }

    /**
     * {@return a device}
     *
     * @param name name.
     * @throws OperationException when it is not there.
     */
    public DeviceSnapshot get(final String name)
    {
        synchronized (operations)
        {
            return require(name).snapshot();
        }
    }

    /**
     * {@return notes for the operator about the devices, a sentence each}
     */
    List<String> notes()
    {
        synchronized (operations)
        {
            // Several devices may be of one drive.
            final Set<String> notes = new LinkedHashSet<>();
            for (final ManagedDevice each : devices.values())
            {
                switch (each.device())
                {
                    case final FileDevice file -> notes.addAll(file.notes());
                    case final NvmeDevice nvme -> notes.addAll(nvme.notes());
                    default ->
                    {
                    }
                }
            }
            return new ArrayList<>(notes);
        }
    }

    /**
     * {@return a device; the lock is held}
     *
     * @param name name.
     */
    ManagedDevice require(final String name)
    {
        final ManagedDevice device = devices.get(name);
        if (null == device)
        {
            throw new OperationException(Reason.NOT_FOUND, subject(name), "does not exist", "create it first");
        }
        return device;
    }

    /**
     * Refuses a device that has a user; the lock is held.
     */
    static void checkUnused(final ManagedDevice device, final String remedy)
    {
        final ManagedDevice.User user = device.user();
        if (null != user)
        {
            final boolean isLeaving = !device.leaving().isDone();
            throw new OperationException(Reason.IN_USE, subject(device.name()), "is used by " + user.describe() +
                (isLeaving ? ", which is being removed" : ""),
                isLeaving ? "try again when the last commands on it have ended" : remedy);
        }
    }

    /**
     * Closes all, those that wrap others first. No reactor has a channel any more.
     */
    void closeAll()
    {
        final List<ManagedDevice> open = new ArrayList<>(devices.values());
        devices.clear();
        RuntimeException failure = null;
        for (final ManagedDevice device : open.reversed())
        {
            try
            {
                device.device().close();
            }
            catch (final RuntimeException e)
            {
                if (null != failure)
                {
                    e.addSuppressed(failure);
                }
                failure = e;
            }
        }
        if (null != failure)
        {
            throw failure;
        }
    }

    private static String subject(final String name)
    {
        return "device " + name;
    }

    private static void checkName(final String name)
    {
        refuse("device name '" + name + "'", "", ResourceValidation.ofName(name));
    }

    /** Limits of a device are left to the device. */
    private static void checkValues(final DeviceConfig config)
    {
        final String subject = subject(config.name());
        switch (config)
        {
            case final DeviceConfig.Memory memory -> checkSize(subject, memory.sizeBytes());
            case final DeviceConfig.Null nothing -> checkSize(subject, nothing.sizeBytes());
            case final DeviceConfig.File file ->
            {
                checkSize(subject, file.settings().sizeBytes());
                final String path = file.settings().path().toString();
                refuse(subject, "path '" + path + "' ", ResourceValidation.ofPath(path));
            }
            case final DeviceConfig.Nvme nvme ->
            {
            }
            case final DeviceConfig.Fault fault ->
            {
            }
        }
    }

    private static void checkSize(final String subject, final long sizeBytes)
    {
        if (sizeBytes > ResourceValidation.SIZE_BYTES_MAX)
        {
            refuse(subject, "size " + sizeBytes + " ", ResourceValidation.ofSize(sizeBytes, 512));
        }
    }

    private static void refuse(
        final String subject, final String value, final ResourceValidation.Problem problem)
    {
        if (null != problem)
        {
            throw new OperationException(
                Reason.INVALID, subject, value + "is " + problem.bound(), problem.remedy());
        }
    }

    private BlockDevice open(final DeviceConfig config)
    {
        return switch (config)
        {
            case final DeviceConfig.Memory m -> MemoryDevice.create(m.name(), m.sizeBytes(), m.blockSize());
            case final DeviceConfig.Null n -> NullDevice.create(n.name(), n.sizeBytes(), n.blockSize());
            case final DeviceConfig.File f -> openFile(f);
            case final DeviceConfig.Nvme n -> openNvme(n);
            case final DeviceConfig.Fault f ->
            {
                final ManagedDevice wrapped = require(f.device());
                checkUnused(wrapped, "a device has one user: wrap another");
                yield FaultDevice.wrapBorrowed(f.name(), wrapped.device(), f.plan());
            }
        };
    }

    private BlockDevice openFile(final DeviceConfig.File config)
    {
        final Path path = config.settings().path().toAbsolutePath().normalize();
        final String other = paths.get(path);
        if (null != other)
        {
            throw new OperationException(Reason.IN_USE, subject(config.name()),
                "path " + path + " is used by device " + other, "name another file");
        }
        final BlockDevice opened = FileDevice.open(config.settings().withRegisteredMemory(List.of(arena)));
        paths.put(path, config.name());
        return opened;
    }

    private BlockDevice openNvme(final DeviceConfig.Nvme config)
    {
        final String other = places.get(config.location());
        if (null != other)
        {
            throw new OperationException(Reason.IN_USE, subject(config.name()),
                "namespace " + config.settings().nsid() + " of drive " + config.settings().address() +
                " is used by device " + other, "name another namespace");
        }
        final IommuMode mode = config.unsafeNoIommu() ? IommuMode.UNSAFE_NO_IOMMU : IommuMode.REQUIRED;
        final BlockDevice opened =
            drives.open(config.settings(), (address) -> VfioFunction.open(address, mode));
        places.put(config.location(), config.name());
        return opened;
    }

    private void close(final ManagedDevice device)
    {
        try
        {
            device.device().close();
        }
        catch (final IllegalStateException e)
        {
            throw new OperationException(Reason.IN_USE, "", e.getMessage(), "try again", e);
        }
        switch (device.config())
        {
            case final DeviceConfig.Fault fault -> devices.get(fault.device()).user(null);
            case final DeviceConfig.File file ->
                paths.remove(file.settings().path().toAbsolutePath().normalize());
            case final DeviceConfig.Nvme nvme -> places.remove(nvme.location());
            case final DeviceConfig.Memory memory ->
            {
            }
            case final DeviceConfig.Null nothing ->
            {
            }
        }
    }

    private static OperationException refused(final String name, final BlockDeviceException e)
    {
        final String prefix = subject(name) + ": ";
        final String problem = e.getMessage().startsWith(prefix) ?
            e.getMessage().substring(prefix.length()) : e.getMessage();
        return new OperationException(null == e.getCause() ? Reason.INVALID : Reason.FAILED, subject(name), problem,
            "", e);
    }
}

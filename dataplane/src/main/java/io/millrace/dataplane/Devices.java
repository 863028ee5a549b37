package io.millrace.dataplane;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.DeviceProperties;
import io.millrace.block.GrowableDevice;
import io.millrace.block.raid.MemberSuperblocks;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.device.DeviceDependencies;
import io.millrace.dataplane.device.DeviceFactories;
import io.millrace.dataplane.device.DeviceFactory;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryException;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.nvmf.initiator.rdma.HostBuffers;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import io.millrace.spdk.SpdkRuntime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * The devices of a running data plane. Any thread but the reactors'; futures may complete on a reactor, so dependent
 * actions must not block.
 */
public final class Devices
{
    private final Operations operations;
    private final MemoryRegistry registry;
    private final DeviceTable devices = new DeviceTable();
    private final Map<String, String> locations = new HashMap<>();
    /** Devices that others are made of. Reactors remove from it. */
    private final Map<BlockDevice, ManagedDevice> bases = new ConcurrentHashMap<>();
    private final DeviceFactories factories = new DeviceFactories();
    private final HostBuffers hostBuffers;
    private final HostPollGroups hosts;
    private final Supplier<SpdkRuntime> spdk;
    private final SharedSpares sharedSpares;
    /** Null before the reactors run. */
    private BackgroundTasks background;

    /**
     * @param operations of the data plane.
     * @param registry   of memory that payload lies in.
     * @param rdmaCore   of the initiator.
     * @param spdk       starts SPDK when it does not run yet.
     */
    Devices(
        final Operations operations,
        final MemoryRegistry registry,
        final RdmaCore rdmaCore,
        final Supplier<SpdkRuntime> spdk)
    {
        this.operations = operations;
        this.registry = registry;
        this.spdk = spdk;
        hostBuffers = new HostBuffers(registry, rdmaCore);
        hosts = HostTransports.pollGroups(hostBuffers);
        sharedSpares = new SharedSpares(
            operations, registry, devices::all, this::use, this::release);
        operations.deviceStatus().onGrowable(this::growLater);
    }

    /**
     * Creates a device. A file is opened, created or grown as configured, which may take a while.
     *
     * @param config configuration.
     * @throws OperationException when the name is taken, a device below it is in use or missing though it is needed, or
     *     the device is unavailable.
     */
    public void create(final DeviceConfig config)
    {
        create(config, factory(config));
    }

    /**
     * {@return the factory of a device; any thread}
     *
     * @param config of the device.
     * @throws OperationException when its type is unknown.
     */
    DeviceFactory factory(final DeviceConfig config)
    {
        final DeviceFactory factory = factories.find(config.type());
        if (null == factory)
        {
            throw new OperationException(Reason.INVALID, DeviceChecks.subject(config.name()), "type " + config.type() +
                " is unknown to this data plane", "use " + String.join(", ", factories.types()));
        }
        return factory;
    }

    /** With another factory of the device. */
    void create(final DeviceConfig config, final DeviceFactory factory)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            DeviceChecks.checkName(config.name());
            if (devices.isTaken(config.name()))
            {
                throw new OperationException(Reason.EXISTS, DeviceChecks.subject(config.name()), "already exists",
                    "choose another name");
            }
            final ManagedDevice created;
            try
            {
                DeviceChecks.checkValues(config, factory);
                created = open(config, factory);
            }
            catch (final BlockDeviceException e)
            {
                throw DeviceChecks.refused(config.name(), e);
            }
            members(created).forEach((member) -> use(member, created));
            devices.add(created);
            if (null != background)
            {
                start(created);
            }
            operations.publish(ResourceKind.DEVICE, ResourceChange.CREATED, config.name(), created.description());
            wakeSpares(created);
        }
    }

    private ManagedDevice open(final DeviceConfig config, final DeviceFactory factory)
    {
        final List<BlockDevice> bases = new ArrayList<>();
        final boolean mayMiss = factory.toleratesMissingBases(config.properties());
        for (final String name : factory.bases(config.properties()))
        {
            if (mayMiss && null == devices.get(name))
            {
                continue;
            }
            final ManagedDevice base = require(name);
            DeviceChecks.checkUnused(base, "a device has one user: use another");
            bases.add(base.device());
        }
        final String location = factory.location(config.properties());
        final String other = locations.get(location);
        if (null != other)
        {
            throw new OperationException(Reason.IN_USE, DeviceChecks.subject(config.name()),
                location + " is used by device " + other, "choose another");
        }
        final BlockDevice opened =
            announced(factory.open(config.name(), config.properties(), dependencies(config, bases)));
        final String spareProblem = checkSpare(config, opened);
        if (!location.isEmpty())
        {
            locations.put(location, config.name());
        }
        final ManagedDevice created = new ManagedDevice(config, factory, opened);
        created.spareProblem(spareProblem);
        return created;
    }

    private void wakeSpares(final ManagedDevice device)
    {
        // No array lacks one before the reactors run.
        if (device.isSharedSpare() && null != background)
        {
            sharedSpares.wake();
        }
    }

    private String checkSpare(final DeviceConfig config, final BlockDevice opened)
    {
        try
        {
            return config.isSharedSpare() ? sharedSpares.checkCreated(opened) : "";
        }
        catch (final OperationException e)
        {
            opened.close();
            throw e;
        }
    }

    private DeviceDependencies dependencies(final DeviceConfig config, final List<BlockDevice> bases)
    {
        return new DeviceDependencies(
            registry, bases, () -> unused(bases), this::freeSpares, config.files(), hosts, spdk, operations::onError);
    }

    private List<BlockDevice> freeSpares()
    {
        return devices.all().stream()
            .filter((each) -> each.isSharedSpare() && null == each.user() && !each.isDeleting())
            .map(ManagedDevice::device).toList();
    }

    private List<BlockDevice> unused(final List<BlockDevice> named)
    {
        return devices.all().stream().filter((each) -> null == each.user() && !each.isDeleting())
            .map(ManagedDevice::device).filter((each) -> !named.contains(each)).toList();
    }

    private List<ManagedDevice> members(final ManagedDevice device)
    {
        return device.device().members().stream().map((member) -> devices.get(member.name())).toList();
    }

    private void use(final ManagedDevice base, final ManagedDevice device)
    {
        base.user(ManagedDevice.User.of(device));
        // What it held then matters no more when it is free again.
        base.spareProblem("");
        bases.put(base.device(), base);
    }

    /** A device is not made of it any more. Any thread, a reactor too. */
    private void release(final BlockDevice base)
    {
        final ManagedDevice released = bases.remove(base);
        if (null != released)
        {
            released.user(null);
            sharedSpares.onFreed(released);
        }
    }

    private void start(final ManagedDevice device)
    {
        operations.deviceStatus().onCreated(device);
        device.start(new ManagedServices(
            device, operations.deviceStatus(), background, this::release, sharedSpares::wake));
    }

    /**
     * The reactors run: devices may work on their own.
     *
     * @param tasks of the reactors.
     */
    void start(final BackgroundTasks tasks)
    {
        synchronized (operations)
        {
            background = tasks;
            devices.all().forEach(this::start);
        }
    }

    /**
     * Ends the background work of all devices, before the reactors end.
     *
     * @return done when all has ended.
     */
    CompletableFuture<Void> stop()
    {
        synchronized (operations)
        {
            return CompletableFuture.allOf(
                devices.all().stream().map(ManagedDevice::stop).toArray(CompletableFuture[]::new));
        }
    }

    /** Takes in the size of a device that has become larger by itself, on a thread that may wait. Does not block. */
    private void growLater(final ManagedDevice device)
    {
        Thread.ofPlatform().daemon(true).name("millrace-growth").start(() ->
        {
            try
            {
                resize(device.name(), ((GrowableDevice)device.device()).availableBytes());
            }
            catch (final OperationException e)
            {
                // Deleted meanwhile, or the data plane is being closed; else an operator has to know.
                operations.onError("device " + device.name() + " cannot take its larger size in: " + e.getMessage());
            }
        });
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
     * Closes an unused device, when its own work has ended; other operations are executed while that is awaited, at
     * most 10 s. Data in memory is lost; files stay.
     *
     * @param name name.
     * @throws OperationException when it is not there, in use or being deleted, its own work does not end in time, or
     *     it still waits for memory that it lent.
     */
    public void delete(final String name)
    {
        final ManagedDevice device;
        synchronized (operations)
        {
            operations.checkOpen();
            device = require(name);
            DeviceChecks.checkNoUser(device, "remove that first");
            device.transition(ManagedDevice.Transition.DELETING);
        }
        try
        {
            awaitStop(device);
            synchronized (operations)
            {
                // May have been closed with the data plane meanwhile.
                operations.checkOpen();
                close(device);
                devices.remove(name);
                forget(device);
            }
        }
        finally
        {
            device.transition(ManagedDevice.Transition.NONE);
        }
    }

    private void forget(final ManagedDevice device)
    {
        try
        {
            device.factory()
                .onDeleted(device.name(), device.config().properties(), dependencies(device.config(), List.of()));
        }
        catch (final BlockDeviceException e)
        {
            throw new OperationException(Reason.FAILED, DeviceChecks.subject(device.name()),
                "is deleted without its data: " + e.getMessage(), "", e);
        }
        finally
        {
            operations.publish(ResourceKind.DEVICE, ResourceChange.DELETED, device.name());
        }
    }

    /**
     * Makes a device larger; connected hosts are notified. Devices that wrap it grow with it.
     *
     * @param name      of a device with a size of its own; the namespace of an nvme device has grown before.
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
            DeviceChecks.checkNoTransition(device);
            DeviceChecks.checkSize(DeviceChecks.subject(name), sizeBytes);
            if (!(device.device() instanceof final GrowableDevice growable))
            {
                throw new OperationException(Reason.UNSUPPORTED, DeviceChecks.subject(name),
                    "size " + sizeBytes + " cannot be set, it is " + device.description(),
                    "resize the device that it wraps");
            }
            try
            {
                growable.grow(sizeBytes);
            }
            catch (final BlockDeviceException e)
            {
                throw DeviceChecks.refused(name, e);
            }
            operations.publish(ResourceKind.DEVICE, ResourceChange.CHANGED, name, "has " + sizeBytes + " bytes");
            wakeSpares(device);
            ManagedDevice.User user = device.user();
            while (null != user && null != user.wrapper())
            {
                user = user.wrapper().user();
            }
            if (null != user && null != user.export())
            {
                user.export().onGrown();
            }
            return null == user || null == user.subsystem() ? CompletableFuture.completedFuture(null) :
                user.subsystem().onDeviceGrown(user.nsid());
        }
    }

    /**
     * Applies settings of a device while it serves.
     *
     * @param name       of the device.
     * @param properties all its settings, with those that changed.
     * @return done when every reactor applies them.
     * @throws OperationException when it is not there, or has no settings that are applied.
     */
    public CompletableFuture<Void> modify(final String name, final DeviceProperties properties)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final ManagedDevice device = require(name);
            DeviceChecks.checkNoTransition(device);
            final DeviceConfig changed = device.config().with(properties);
            DeviceChecks.checkValues(changed, device.factory());
            final boolean isSpareChange = device.isSharedSpare() != changed.isSharedSpare();
            if (isSpareChange && !device.isSharedSpare())
            {
                sharedSpares.checkSet(device);
            }
            final List<ManagedDevice> added = newBases(device, properties);
            // One user each, from before it is looked at.
            added.forEach((base) -> use(base, device));
            final CompletableFuture<Void> done;
            try
            {
                done = SharedSpares.isOnlyChange(device.config(), changed) ?
                    CompletableFuture.completedFuture(null) :
                    device.factory().apply(device.device(), device.config().properties(), properties,
                    dependencies(changed, added.stream().map(ManagedDevice::device).toList()));
            }
            catch (final BlockDeviceException e)
            {
                throw DeviceChecks.refused(name, e);
            }
            finally
            {
                final List<BlockDevice> members = device.device().members();
                added.stream().map(ManagedDevice::device).filter((base) -> !members.contains(base))
                    .forEach(this::release);
            }
            if (null == done && !isSpareChange)
            {
                throw new OperationException(Reason.INVALID, DeviceChecks.subject(name), "is " + device.description() +
                    ", which has no settings that change while it serves", "delete it and create it again");
            }
            device.config(changed);
            operations.publish(ResourceKind.DEVICE, ResourceChange.CHANGED, name, "has other settings");
            if (isSpareChange)
            {
                sharedSpares.onSet(device);
            }
            return null == done ? CompletableFuture.completedFuture(null) : done;
        }
    }

    /** Devices that it is going to be made of, and was not before. */
    private List<ManagedDevice> newBases(final ManagedDevice device, final DeviceProperties properties)
    {
        final List<String> present = new ArrayList<>(device.factory().bases(device.config().properties()));
        device.device().members().forEach((member) -> present.add(member.name()));
        final List<ManagedDevice> added = new ArrayList<>();
        for (final String name : device.factory().bases(properties))
        {
            if (!present.contains(name))
            {
                final ManagedDevice base = require(name);
                DeviceChecks.checkUnused(base, "a device has one user: use another");
                added.add(base);
            }
        }
        return added;
    }

    /** {@return whether SPDK has a device of a namespace; the lock is held} */
    boolean isAnyShared()
    {
        return devices.all().stream().map(ManagedDevice::user)
            .anyMatch((user) -> null != user && null != user.subsystem() && null != user.export());
    }

    /**
     * {@return the devices of a class, in the order they were made}
     *
     * @param type of the devices.
     * @param <D>  of the devices.
     */
    <D extends BlockDevice> List<D> all(final Class<D> type)
    {
        return devices.all().stream().map(ManagedDevice::device).filter(type::isInstance).map(type::cast).toList();
    }

    /**
     * {@return a device}
     *
     * @param name of the device.
     * @throws OperationException when it is not there.
     */
    BlockDevice device(final String name)
    {
        return require(name).device();
    }

    /**
     * {@return the devices in the order they were made}
     */
    public List<DeviceSnapshot> list()
    {
        return devices.all().stream().map(ManagedDevice::snapshot).toList();
    }

    /**
     * {@return a device}
     *
     * @param name name.
     * @throws OperationException when it is not there.
     */
    public DeviceSnapshot get(final String name)
    {
        return require(name).snapshot();
    }

    /**
     * Runs an action on a device that nothing uses, or may use meanwhile.
     *
     * @param name   of the device.
     * @param action with the device and the memory registry; may wait.
     * @param <T>    of the result.
     * @return its result.
     * @throws OperationException when the device is not there, or has a user.
     */
    <T> T whileUnused(final String name, final BiFunction<BlockDevice, MemoryRegistry, T> action)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            final ManagedDevice device = require(name);
            DeviceChecks.checkNoUser(device, "remove it from that first");
            final T result = action.apply(device.device(), registry);
            sharedSpares.onErased(device);
            return result;
        }
    }

    /** {@return the name of the array that devices hold, see {@link RaidArrays#currentName}} */
    String currentName(final String name, final List<String> members)
    {
        synchronized (operations)
        {
            return MemberSuperblocks.currentName(name, members.stream().map(devices::get).filter(Objects::nonNull)
                .map(ManagedDevice::device).toList(), registry);
        }
    }

    /** {@return what gives arrays other names} */
    ArrayRenaming renaming()
    {
        return new ArrayRenaming(operations, devices, this);
    }

    /**
     * {@return notes for the operator about the devices, a sentence each}
     */
    List<String> notes()
    {
        // Several devices may be of one drive.
        final Set<String> notes = new LinkedHashSet<>();
        for (final ManagedDevice each : devices.all())
        {
            notes.addAll(each.factory().notes(each.device()));
        }
        return new ArrayList<>(notes);
    }

    /**
     * {@return a device}
     *
     * @param name name.
     */
    ManagedDevice require(final String name)
    {
        final ManagedDevice device = devices.get(name);
        if (null == device)
        {
            throw OperationException.missing(DeviceChecks.subject(name), devices.names(), "devices");
        }
        return device;
    }

    /**
     * Closes all in the reverse of the order in which they were made: those that are made of others first. No reactor
     * has a channel any more.
     */
    void closeAll(final boolean isAbandoned)
    {
        final List<ManagedDevice> open = devices.removeAll();
        RuntimeException failure = null;
        for (final ManagedDevice device : open.reversed())
        {
            try
            {
                if (isAbandoned)
                {
                    device.device().abandon();
                }
                else
                {
                    device.device().close();
                }
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
        hostBuffers.close();
        if (null != failure)
        {
            throw failure;
        }
    }

    private static void awaitStop(final ManagedDevice device)
    {
        Reactor.checkMayBlock("the end of a device's own work");
        try
        {
            device.stop().get(DeviceChecks.STOP_WAIT_MS, TimeUnit.MILLISECONDS);
        }
        catch (final TimeoutException e)
        {
            throw new OperationException(Reason.IN_USE, DeviceChecks.subject(device.name()),
                "has work of its own that did not end within " + DeviceChecks.STOP_WAIT_MS / 1000 + " s", "try again",
                e);
        }
        catch (final InterruptedException e)
        {
            Thread.currentThread().interrupt();
            throw new OperationException(Reason.FAILED, DeviceChecks.subject(device.name()),
                "was not deleted: interrupted", "try again", e);
        }
        catch (final ExecutionException e)
        {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Announces memory that a device lends; on refusal the device is closed. */
    private BlockDevice announced(final BlockDevice device)
    {
        try
        {
            for (final DmaMemory memory : device.lentMemory())
            {
                registry.add(memory, MemoryRole.LENT);
            }
            return device;
        }
        catch (final MemoryException e)
        {
            device.close();
            throw new BlockDeviceException("device " + device.name() + ": " + e.getMessage(), e);
        }
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
        List.copyOf(bases.values()).stream().filter((base) -> isUsedBy(base, device))
            .forEach((base) -> release(base.device()));
        locations.remove(device.factory().location(device.config().properties()));
    }

    private static boolean isUsedBy(final ManagedDevice base, final ManagedDevice device)
    {
        final ManagedDevice.User user = base.user();
        return null != user && device == user.wrapper();
    }
}

package io.millrace.remote;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceServices;
import io.millrace.block.DeviceStatus;
import io.millrace.block.GrowableDevice;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A namespace of another NVMe-oF target, over one path or several. The package says which requests are sent again when
 * a path is lost.
 * <p>
 * The device is the namespace that it found first: one with other identifiers or another block size that is found in
 * its place later gets no I/O. A namespace without identifiers is used over one path only, and is another one when
 * anything that is reported of its place or its size has changed. A namespace that is not there any more is waited for,
 * as a path is. What the target acknowledged and had not flushed is as safe as the target keeps it: the device does not
 * write it again.
 * <p>
 * The size only grows: to what every path that is in use reports, when {@link #grow} takes it in. A path that reports
 * less than the device has gets no I/O, nor does one with a smaller atomic write unit than hosts were told.
 */
public final class RemoteDevice implements GrowableDevice
{
    /** Beginning of the problem of a path on which another namespace was found. */
    static final String FOREIGN = "another namespace: ";

    private static final long CLOSE_TIMEOUT_MS = 15_000;

    private final RemoteDeviceConfig config;
    private final HostPollGroups groups;
    private final List<HostPollGroup> pathGroups = new ArrayList<>();
    private final List<RemotePath> paths = new ArrayList<>();
    private final AtomicLong heldCount = new AtomicLong();
    private final AtomicLong retriedCount = new AtomicLong();
    private final AtomicLong failedCount = new AtomicLong();
    private volatile DeviceServices services = DeviceServices.NONE;
    private Runnable onClose = RemoteDevice::nothing;
    private volatile BlockGeometry geometry;
    /** As it was found first. */
    private FoundNamespace original;
    private boolean isConnected;

    private RemoteDevice(final RemoteDeviceConfig config, final HostPollGroups groups, final List<Reactor> reactors)
    {
        this.config = config;
        this.groups = groups;
        for (int i = 0; i < config.addresses().size(); i++)
        {
            final HostPollGroup group = groups.acquire(reactors.get(i % reactors.size()));
            pathGroups.add(group);
            paths.add(new RemotePath(this, group, config.addresses().get(i)));
        }
    }

    /**
     * Connects to the namespace. Any thread but a reactor's; waits until every path has answered or timed out.
     *
     * @param config   of the device.
     * @param groups   poll groups of the reactors.
     * @param reactors that the admin queues of its paths live on, in turn; they run until the device is closed.
     * @return the device. Paths that were unavailable are tried again.
     * @throws BlockDeviceException when no path leads to the namespace, or it cannot be used.
     */
    public static RemoteDevice connect(
        final RemoteDeviceConfig config, final HostPollGroups groups, final List<Reactor> reactors)
    {
        final RemoteDevice device = of(config, groups, reactors);
        device.finish(device.begin());
        return device;
    }

    /**
     * Makes a device that is not connected: {@link #begin} and {@link #finish} have to follow.
     *
     * @param config   of the device.
     * @param groups   poll groups of the reactors.
     * @param reactors that the admin queues of its paths live on.
     * @return the device.
     */
    static RemoteDevice of(
        final RemoteDeviceConfig config, final HostPollGroups groups, final List<Reactor> reactors)
    {
        try
        {
            return new RemoteDevice(config, groups, reactors);
        }
        catch (final InitiatorException e)
        {
            throw new BlockDeviceException("device " + config.name() + ": " + e.getMessage(), e);
        }
    }

    /**
     * {@return an attempt to connect for each path, done when it has answered or timed out}
     */
    List<CompletableFuture<Void>> begin()
    {
        return paths.stream().map(RemotePath::begin).toList();
    }

    /**
     * Takes the geometry that paths have found. Waits for them, so not on a reactor.
     *
     * @param attempts of {@link #begin}.
     */
    void finish(final List<CompletableFuture<Void>> attempts)
    {
        Reactor.checkMayBlock("the connecting of a remote device");
        final List<String> reasons = new ArrayList<>();
        for (final CompletableFuture<Void> attempt : attempts)
        {
            try
            {
                attempt.join();
            }
            catch (final CompletionException e)
            {
                reasons.add(e.getCause().getMessage());
            }
        }
        synchronized (this)
        {
            isConnected = null != geometry;
        }
        if (null == geometry)
        {
            close();
            throw new BlockDeviceException("device " + config.name() + ": " + String.join("; ", reasons));
        }
    }

    /**
     * A path found a namespace. On the path's reactor. An accepted path counts from then on for {@link #grow}.
     *
     * @param path       that found it.
     * @param controller that it was found at.
     * @param namespace  that was found.
     * @param limits     of the path.
     * @param state      of its asymmetric access; null when it is unknown.
     * @return why the path must not be used; null when it was accepted.
     */
    synchronized String adopt(
        final RemotePath path,
        final ControllerInfo controller,
        final NamespaceInfo namespace,
        final PathLimits limits,
        final AnaState state)
    {
        final String refusal = refusal(controller, namespace, limits);
        if (null == refusal)
        {
            path.accept(namespace, limits, state);
        }
        return refusal;
    }

    private String refusal(final ControllerInfo controller, final NamespaceInfo namespace, final PathLimits limits)
    {
        final FoundNamespace found = FoundNamespace.of(controller, namespace);
        if (null != original && !original.isSame(found))
        {
            return FOREIGN + config.namespace() + " has " + found + ", and that of the device has " + original +
                ": delete the device and create it again to use what is there now";
        }
        if (!found.isUnique() && paths.size() > 1)
        {
            return config.namespace() + " has no UUID, NGUID or EUI-64, so that " + paths.size() +
                " paths cannot be known to lead to one namespace: give it an identifier at its target, or name one " +
                "address";
        }
        final BlockGeometry ofPath;
        try
        {
            ofPath = geometry(controller, namespace, limits);
        }
        catch (final BlockDeviceException e)
        {
            return config.namespace() + ": " + e.getMessage();
        }
        if (!isConnected)
        {
            original = null == original ? found : original;
            geometry = null == geometry ? ofPath : common(geometry, ofPath);
            return null;
        }
        if (controller.volatileWriteCache() && !geometry.volatileWriteCache())
        {
            return config.namespace() + " has a volatile write cache now, and hosts of the device were told that it " +
                "has none, so that they do not flush: delete the device and create it again";
        }
        // A write of that size is one command, as the path's transfers are not smaller.
        if (ofPath.atomicWriteBytes() < geometry.atomicWriteBytes())
        {
            return config.namespace() + " writes " + ofPath.atomicWriteBytes() + " bytes atomically now, and hosts " +
                "of the device were told " + geometry.atomicWriteBytes() + " bytes: set AWUPF and MDTS of its target " +
                "as they were, or delete the device and create it again";
        }
        if (namespace.blockCount() < geometry.blockCount())
        {
            return config.namespace() + " has " + namespace.blockCount() + " blocks, and the device has " +
                geometry.blockCount() + ": make the namespace that large, or delete the device and create it again";
        }
        return null;
    }

    private static BlockGeometry geometry(
        final ControllerInfo controller, final NamespaceInfo namespace, final PathLimits limits)
    {
        final int block = namespace.blockSizeBytes();
        final int transferBytes = limits.transferBlocks() * block;
        final int atomicBlocks = 0 == namespace.atomicWriteBlocks() ?
            controller.atomicWriteBlocks() : namespace.atomicWriteBlocks();
        return BlockGeometry.builder(block, namespace.blockCount())
            .maxTransferBytes(transferBytes)
            .volatileWriteCache(controller.volatileWriteCache())
            .supportsWriteZeroes(limits.zeroesBlocks() > 0)
            .supportsVerify(limits.verifyBlocks() > 0)
            .supportsCompare(limits.offersCompare())
            .supportsDeallocate(limits.deallocateBlocks() > 0)
            .readOnly(namespace.writeProtected())
            .optimalWriteBytes(Math.clamp((long)namespace.optimalWriteBlocks() * block, block, transferBytes))
            .atomicWriteBytes(Integer.highestOneBit((int)Math.min(transferBytes, (long)atomicBlocks * block)))
            .build();
    }

    /** Paths differ in nothing but what their controllers offer. */
    private static BlockGeometry common(final BlockGeometry one, final BlockGeometry other)
    {
        final int transferBytes = Math.min(one.maxTransferBytes(), other.maxTransferBytes());
        return (one.blockCount() <= other.blockCount() ? one : other).toBuilder()
            .maxTransferBytes(transferBytes)
            .volatileWriteCache(one.volatileWriteCache() || other.volatileWriteCache())
            .supportsWriteZeroes(one.supportsWriteZeroes() && other.supportsWriteZeroes())
            .supportsVerify(one.supportsVerify() && other.supportsVerify())
            .supportsCompare(one.supportsCompare() && other.supportsCompare())
            .supportsDeallocate(one.supportsDeallocate() && other.supportsDeallocate())
            .optimalWriteBytes(Math.min(one.optimalWriteBytes(), transferBytes))
            .atomicWriteBytes(Math.min(one.atomicWriteBytes(), other.atomicWriteBytes()))
            .build();
    }

    @Override
    public String name()
    {
        return config.name();
    }

    @Override
    public String location()
    {
        return config.addresses().getFirst() + " " + config.namespace();
    }

    @Override
    public BlockGeometry geometry()
    {
        return geometry;
    }

    RemoteDeviceConfig config()
    {
        return config;
    }

    HostPollGroups groups()
    {
        return groups;
    }

    @Override
    public DeviceStatus status()
    {
        String problem = "";
        boolean isAnyUsable = false;
        boolean isAllForeign = true;
        for (final RemotePath path : paths)
        {
            problem = problem.isEmpty() ? path.problem() : problem;
            isAnyUsable |= path.access().isUsable();
            isAllForeign &= PathAccess.FOREIGN == path.access();
        }
        return problem.isEmpty() ? DeviceStatus.ONLINE : new DeviceStatus(
            isAnyUsable ? DeviceHealth.DEGRADED : isAllForeign ? DeviceHealth.FAILED : DeviceHealth.RECOVERING,
            problem);
    }

    @Override
    public void start(final DeviceServices newServices)
    {
        services = newServices;
    }

    /** The state of a path has changed. Any thread. */
    void onPathChanged()
    {
        services.onStatusChanged();
    }

    @Override
    public long availableBytes()
    {
        long leastBlocks = Long.MAX_VALUE;
        for (final RemotePath path : paths)
        {
            leastBlocks = path.access().isUsable() ? Math.min(leastBlocks, path.blockCount()) : leastBlocks;
        }
        final BlockGeometry present = geometry;
        return Long.MAX_VALUE == leastBlocks ? present.sizeBytes() :
            Math.max(present.blockCount(), leastBlocks) * present.blockSizeBytes();
    }

    /**
     * Sets an action that runs when the device was closed.
     *
     * @param action to do.
     */
    public void onClose(final Runnable action)
    {
        onClose = action;
    }

    /**
     * {@inheritDoc}
     * A namespace is made larger at its target; this takes the new size in.
     */
    @Override
    public synchronized void grow(final long sizeBytes)
    {
        final BlockGeometry grown = geometry.grown(config.name(), sizeBytes);
        final long availableBytes = availableBytes();
        if (availableBytes < sizeBytes)
        {
            throw new BlockDeviceException("device " + config.name() + ": size " + sizeBytes + " bytes is more than " +
                config.namespace() + " has on every path in use, " + availableBytes +
                ": make the namespace larger first");
        }
        geometry = grown;
    }

    @Override
    public void open(final ReactorContext context, final OpenListener listener)
    {
        final RemoteChannel channel =
            new RemoteChannel(this, context.reactor(), groups.acquire(context.reactor()), paths);
        new Opening(channel, listener).begin();
    }

    /**
     * {@return requests that had to wait since there was no path; any thread}
     */
    public long heldCount()
    {
        return heldCount.get();
    }

    /**
     * {@return requests that were sent again; any thread}
     */
    public long retriedCount()
    {
        return retriedCount.get();
    }

    /**
     * {@return requests that failed since there was no path for too long; any thread}
     */
    public long failedCount()
    {
        return failedCount.get();
    }

    void onHeld()
    {
        heldCount.incrementAndGet();
    }

    void onRetried()
    {
        retriedCount.incrementAndGet();
    }

    void onFailed()
    {
        failedCount.incrementAndGet();
    }

    @Override
    public void close()
    {
        Reactor.checkMayBlock("the end of a remote device");
        try
        {
            disconnect().orTimeout(CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS).join();
        }
        catch (final CompletionException e)
        {
            throw new BlockDeviceException("device " + config.name() + ": its connections did not close within " +
                CLOSE_TIMEOUT_MS + " ms", e);
        }
        finally
        {
            pathGroups.forEach(groups::release);
            onClose.run();
        }
    }

    /**
     * {@return done when its connections are closed}
     */
    CompletableFuture<Void> disconnect()
    {
        return CompletableFuture.allOf(paths.stream().map(RemotePath::close).toArray(CompletableFuture[]::new));
    }

    private static void nothing()
    {
        // Its reactors are its owner's.
    }

    /** Waits until every path has connected the queue of a channel, or has none to connect. */
    private static final class Opening
    {
        private final RemoteChannel channel;
        private final OpenListener listener;
        private int awaited;
        private int refused;
        private String reason;

        Opening(final RemoteChannel channel, final OpenListener listener)
        {
            this.channel = channel;
            this.listener = listener;
        }

        void begin()
        {
            awaited = channel.queues().length;
            for (final PathQueue queue : channel.queues())
            {
                queue.path().attach(queue).whenComplete((done, failure) ->
                    channel.reactor().execute(() -> onAttached(failure)));
            }
        }

        private void onAttached(final Throwable failure)
        {
            if (null != failure)
            {
                refused++;
                reason = (failure instanceof CompletionException ? failure.getCause() : failure).getMessage();
            }
            if (--awaited > 0)
            {
                return;
            }
            if (refused < channel.queues().length)
            {
                listener.onOpened(channel);
            }
            else
            {
                channel.close(this::onFailed);
            }
        }

        private void onFailed(final BlockChannel closed)
        {
            listener.onOpenFailed(new BlockDeviceException(reason));
        }
    }
}

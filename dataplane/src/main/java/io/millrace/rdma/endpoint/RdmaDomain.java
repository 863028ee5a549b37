package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.verbs.DeviceAttributes;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.rdma.OnDemandPaging;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What the connections of a reactor share on a device: a protection domain, of their own or that of a
 * {@link RdmaMemory}, and completion queues. Made and closed by the {@link ConnectionManager}, on the reactor.
 */
public final class RdmaDomain
{
    private final RdmaCore core;
    private final Reactor reactor;
    private final DeviceMemory memory;
    private final long pinAddress;
    private final RegionKeys keys;
    private final int completionsMax;
    private final int completionsLimit;
    private final List<CompletionQueue> queues = new ArrayList<>();
    private final Consumer<DeviceEvents.Event> listener;
    private final DeviceEvents events;
    private final String deviceName;
    private final DeviceCounters counters;
    private final int readsServed;
    private final int readsInitiated;
    private final int requestsMax;
    private final int segmentsMax;
    private final boolean hasWindows;
    private final OnDemandPaging onDemandPaging;
    private final int sharedMax;
    private final int sharedRequestsMax;
    private final int sharedSegmentsMax;
    private final List<SharedReceiveQueue> sharedQueues = new ArrayList<>();

    /**
     * Opened with a first completion queue.
     *
     * @param memory         joined.
     * @param pinAddress     identifier that keeps the device's context open.
     * @param completionsMax entries of a completion queue.
     * @param counting       where a device is counted, by its name.
     * @param onEvent        notified of asynchronous events of the device.
     * @throws NativeException when the device refuses; nothing is left of it then.
     */
    RdmaDomain(
        final RdmaCore core,
        final Reactor reactor,
        final DeviceMemory memory,
        final long pinAddress,
        final int completionsMax,
        final Function<String, DeviceCounters> counting,
        final BiConsumer<RdmaDomain, DeviceEvents.Event> onEvent)
    {
        this.core = core;
        this.reactor = reactor;
        this.memory = memory;
        this.pinAddress = pinAddress;
        this.completionsMax = completionsMax;
        keys = new RegionKeys(memory);
        deviceName = core.deviceName(memory.contextAddress());
        counters = counting.apply(deviceName);
        try (Arena arena = Arena.ofConfined())
        {
            final long attributes = arena.allocate(DeviceAttributes.SIZE_BYTES, Long.BYTES).address();
            NativeException.check("ibv_query_device", core.queryDevice(memory.contextAddress(), attributes));
            readsServed = DeviceAttributes.maxReadsAsTarget(attributes);
            readsInitiated = DeviceAttributes.maxReadsAsInitiator(attributes);
            requestsMax = DeviceAttributes.maxQueuePairRequests(attributes);
            segmentsMax = DeviceAttributes.maxSegments(attributes);
            final int capabilities = DeviceAttributes.capabilities(attributes);
            hasWindows = 0 != DeviceAttributes.maxWindows(attributes) &&
                0 != (capabilities & Verbs.IBV_DEVICE_MEM_WINDOW_TYPE_2B);
            onDemandPaging = OnDemandPaging.of(DeviceAttributes.onDemandPaging(attributes),
                DeviceAttributes.onDemandPagingOfReliableConnections(attributes));
            sharedMax = DeviceAttributes.maxSharedReceiveQueues(attributes);
            sharedRequestsMax = DeviceAttributes.maxSharedReceiveRequests(attributes);
            sharedSegmentsMax = DeviceAttributes.maxSharedReceiveSegments(attributes);
            completionsLimit = DeviceAttributes.maxCompletions(attributes);
        }
        listener = (event) -> onEvent.accept(this, event);
        events = DeviceEvents.join(core, memory.contextAddress(), reactor, listener);
        try
        {
            addQueue(completionsMax);
        }
        catch (final NativeException e)
        {
            events.leave(reactor, listener);
            throw e;
        }
    }

    private CompletionQueue addQueue(final int entries)
    {
        final CompletionQueue queue = CompletionQueue.open(
            core, reactor, counters, events, memory.contextAddress(), Math.min(entries, completionsLimit));
        queues.add(queue);
        return queue;
    }

    /**
     * Gives the device access to memory that is in no registry, such as capsules, whose pages are pinned until the
     * region is closed. Takes milliseconds a gigabyte, so not on a reactor that has I/O. Any thread.
     *
     * @param address     of the memory, which stays mapped.
     * @param lengthBytes of the memory, 64 bits.
     * @param access      what is done with it.
     * @return the region; what is left of a connection manager with a protection domain of its own is closed with that,
     *     what is left of one with a {@link RdmaMemory} with the memory.
     * @throws RdmaException when the kernel or the device refuses, with what to check.
     */
    public RdmaRegion register(final long address, final long lengthBytes, final RegionAccess access)
    {
        return memory.register(address, lengthBytes, access);
    }

    /**
     * {@return the access to register memory with into which RDMA READs of this side bring data: as it is, and with
     *     remote write access on an iWARP device, where READ requests tell the peer the key of the memory. Any thread}
     *
     * @param access what else is done with the memory.
     */
    public RegionAccess forReads(final RegionAccess access)
    {
        return memory.forReads(access);
    }

    /**
     * {@return what the device does with memory that is not pinned}
     */
    public OnDemandPaging onDemandPaging()
    {
        return onDemandPaging;
    }

    /**
     * As {@link #register}, with on-demand paging: no page is pinned, and the device takes each when it needs it, which
     * makes that access slow. Any thread.
     *
     * @param address     of the memory, which stays mapped.
     * @param lengthBytes of the memory, 64 bits.
     * @param access      what is done with it; no windows.
     * @return the region.
     * @throws RdmaException when the device does not offer it for that access, or the kernel or the device refuses.
     */
    public RdmaRegion registerOnDemand(final long address, final long lengthBytes, final RegionAccess access)
    {
        final Set<OnDemandPaging.Operation> missing = EnumSet.copyOf(access.onDemandOperations());
        missing.removeAll(onDemandPaging.operations());
        if (RegionAccess.WINDOWS == access || !missing.isEmpty())
        {
            throw new RdmaException(deviceName + " has no on-demand paging for " + (missing.isEmpty() ?
                "memory windows" : missing) + ": register the memory without, which pins it");
        }
        return memory.registerOnDemand(address, lengthBytes, access);
    }

    /**
     * As {@link #register}, of memory that has a dma-buf, such as another device's. Any thread.
     *
     * @param fd          the dma-buf, open until the region is closed.
     * @param offset      in the dma-buf.
     * @param address     by which requests name the first byte; that of its mapping, where there is one.
     * @param lengthBytes of the memory.
     * @param access      what is done with it.
     * @return the region.
     * @throws RdmaException when rdma-core, the kernel or the device registers no dma-buf, or refuses this one.
     */
    public RdmaRegion registerDmaBuf(
        final int fd, final long offset, final long address, final long lengthBytes, final RegionAccess access)
    {
        return memory.registerDmaBuf(fd, offset, address, lengthBytes, access);
    }

    /**
     * Makes a shared receive queue for connections of this domain, with a completion queue of its own. Reactor's
     * thread.
     *
     * @param depth    outstanding requests, 1 to {@value QueuePairConfig#DEPTH_MAX}.
     * @param segments of a request, 1 to {@value QueuePairConfig#SEGMENTS_MAX}.
     * @param listener owner.
     * @return the queue; what is left is closed with the connection manager, or when the device is removed.
     * @throws RdmaException when the device has none, or fewer requests or segments, with its bound.
     */
    public SharedReceiveQueue sharedReceiveQueue(
        final int depth, final int segments, final SharedReceiveListener listener)
    {
        QueuePairConfig.check("depth of a shared receive queue", depth, 1, QueuePairConfig.DEPTH_MAX);
        QueuePairConfig.check("segments", segments, 1, QueuePairConfig.SEGMENTS_MAX);
        if (0 == sharedMax)
        {
            throw new RdmaException(
                deviceName + " has no shared receive queues: use queue pairs with receive queues of their own");
        }
        if (depth > sharedRequestsMax || segments > sharedSegmentsMax)
        {
            throw new RdmaException("a shared receive queue of " + depth + " requests with " + segments +
                " segments: " + deviceName + " has at most " + sharedRequestsMax + " with " + sharedSegmentsMax);
        }
        final SharedReceiveQueue queue =
            new SharedReceiveQueue(this, core, completions(depth), depth, segments, listener);
        sharedQueues.add(queue);
        return queue;
    }

    /**
     * {@return whether the device has memory windows of type 2B}
     */
    public boolean hasWindows()
    {
        return hasWindows;
    }

    /**
     * Makes a memory window, to give a peer access to a range for the time of a command.
     *
     * @return the window; what is left is closed with the regions.
     * @throws RdmaException when the device has no windows, or no more.
     */
    public MemoryWindow window()
    {
        if (!hasWindows)
        {
            throw new RdmaException(deviceName + " has no memory windows of type 2B: register a region for the peer, " +
                "and close it when its command ends");
        }
        return new MemoryWindow(core, memory, deviceName);
    }

    void remove(final SharedReceiveQueue queue)
    {
        sharedQueues.remove(queue);
    }

    /** A shared receive queue has few requests. */
    void onLimit(final long srqAddress)
    {
        for (final SharedReceiveQueue queue : List.copyOf(sharedQueues))
        {
            if (srqAddress == queue.srqAddress())
            {
                queue.onLimit();
            }
        }
    }

    /** A shared receive queue has failed: its connections end. */
    void onSharedBroken(final long srqAddress)
    {
        for (final SharedReceiveQueue queue : List.copyOf(sharedQueues))
        {
            if (srqAddress == queue.srqAddress())
            {
                queue.onBroken();
            }
        }
    }

    /** {@return events of the device: what makes or destroys its queues goes by them} */
    DeviceEvents events()
    {
        return events;
    }

    DeviceMemory memory()
    {
        return memory;
    }

    long pinAddress()
    {
        return pinAddress;
    }

    RegionKeys keys()
    {
        return keys;
    }

    String deviceName()
    {
        return deviceName;
    }

    DeviceCounters counters()
    {
        return counters;
    }

    /** {@return RDMA READs and atomics of a peer that a queue pair serves at a time} */
    int readsServed()
    {
        return readsServed;
    }

    /** {@return RDMA READs and atomics that a queue pair has under way at a time} */
    int readsInitiated()
    {
        return readsInitiated;
    }

    /** {@return whether the device has queue pairs of such sizes} */
    boolean hasSizes(final QueuePairConfig config)
    {
        return Math.max(config.sendDepth(), config.receiveDepth()) <= requestsMax && config.segments() <= segmentsMax;
    }

    /**
     * Finds a completion queue with room, or makes another one.
     *
     * @param entries that are needed.
     * @return a queue.
     * @throws RdmaException when the device has no more.
     */
    CompletionQueue completions(final int entries)
    {
        for (final CompletionQueue queue : queues)
        {
            if (entries <= queue.room())
            {
                return queue;
            }
        }
        try
        {
            return addQueue(Math.max(entries, completionsMax));
        }
        catch (final NativeException e)
        {
            throw new RdmaException("no more completion queues on " + deviceName + ": " + e.getMessage());
        }
    }

    /** A completion queue has overrun: its connections end. */
    void onOverrun(final long cqAddress)
    {
        for (final CompletionQueue queue : queues)
        {
            if (cqAddress == queue.cqAddress())
            {
                queue.onBroken();
            }
        }
    }

    /**
     * {@return whether the kernel takes commands for the device. Asked by one that does not go on to its driver: a
     * device
     *     that has failed and stays answers {@code EIO} to others, such as ibv_query_device of mlx5, though those that
     *     destroy are carried out}
     */
    boolean isAnswering()
    {
        final long channel = core.createChannel(memory.contextAddress());
        if (channel > 0)
        {
            core.destroyChannel(channel);
        }
        return -Errno.EIO != channel;
    }

    /**
     * No queue pair is left. All of it is closed, whatever a device answers that is gone.
     *
     * @return 0, or negated errno of what was not freed.
     */
    int close()
    {
        List.copyOf(sharedQueues).forEach(SharedReceiveQueue::abandon);
        int failed = 0;
        for (final CompletionQueue queue : queues)
        {
            final int status = queue.close();
            failed = 0 == failed ? status : failed;
        }
        // After the queues: another reactor may take an event about one, which is acknowledged before that is
        // destroyed.
        events.leave(reactor, listener);
        memory.leave();
        return failed;
    }
}

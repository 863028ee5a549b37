package io.millrace.rdma.endpoint;

import io.millrace.bindings.NativeException;
import io.millrace.memory.MemoryListener;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRole;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The memory of a data plane for RDMA: with each device in use, all regions of a
 * {@link io.millrace.memory.MemoryRegistry} are registered, once for all reactors. Add it to the registry, and hand it
 * to the {@link ConnectionManager} of each reactor; connections then find keys by {@link RdmaConnection#keys}.
 * <p>
 * A device is in use from its first connection on. Buffers that it does not take end that connection, with the reason;
 * buffers that a device in use does not take are refused to their owner, with the reason. Memory that a device lends
 * ({@link MemoryRole#LENT}) and that is refused, whose pages may move, or that has no address here, has no keys: its
 * payload is copied.
 * <p>
 * RDMA READs of this side bring data into {@link MemoryRole#BUFFERS} alone. On an iWARP device every peer may write
 * those: one protection domain has them all.
 * <p>
 * Registration pins pages and takes milliseconds a gigabyte, so it is done on set-up threads. {@link RegionKeys} are
 * read by reactors without locks.
 */
public final class RdmaMemory implements MemoryListener, AutoCloseable
{
    /** A range of a region, as it was mapped or added by growth. */
    private record Range(long address, long lengthBytes)
    {
    }

    /** Takes a device when its memory is registered. */
    @FunctionalInterface
    interface DeviceConsumer
    {
        /**
         * On the reactor that asked.
         *
         * @param memory of the device, or null.
         * @param reason why there is none.
         */
        void onDevice(DeviceMemory memory, String reason);
    }

    /** What a connection manager asked for; it keeps an identifier on the device until it has the answer. */
    static final class Opening
    {
        private boolean isCancelled;
        private DeviceMemory memory;
    }

    private final RdmaCore core;
    private final RegionAccess access;
    private final Executor setUp;
    private final Map<MemoryRegion, List<Range>> regions = new LinkedHashMap<>();
    private final Map<Long, DeviceMemory> devices = new ConcurrentHashMap<>();
    private boolean isClosed;

    /**
     * Has no memory and no devices yet. A thread of its own registers memory with a new device.
     *
     * @param core   rdma-core.
     * @param access what is done with the memory besides sending from it.
     */
    public RdmaMemory(final RdmaCore core, final RegionAccess access)
    {
        this(core, access, (task) -> Thread.ofPlatform().daemon().name("millrace-rdma-memory").start(task));
    }

    /**
     * Has no memory and no devices yet.
     *
     * @param core   rdma-core.
     * @param access what is done with the memory besides sending from it.
     * @param setUp  on whose threads memory is registered with a new device; none is a reactor's that has I/O.
     */
    public RdmaMemory(final RdmaCore core, final RegionAccess access, final Executor setUp)
    {
        this.core = core;
        this.access = access;
        this.setUp = setUp;
    }

    RdmaCore core()
    {
        return core;
    }

    /** {@return a device whose memory is registered, or null: {@link #open} it} */
    DeviceMemory device(final long contextAddress)
    {
        final DeviceMemory memory = devices.get(contextAddress);
        return null == memory || memory.isRetired() ? null : memory;
    }

    /**
     * Registers the memory with a device and notifies the reactor that asked, unless it has ended; it has joined the
     * device then. Whatever fails, it is notified: with the reason.
     */
    void open(
        final long contextAddress, final Reactor reactor, final Opening opening, final DeviceConsumer consumer)
    {
        try
        {
            setUp.execute(() ->
            {
                DeviceMemory memory = null;
                String reason = "";
                try
                {
                    memory = open(contextAddress, opening);
                }
                catch (final Throwable t)
                {
                    // Connections wait for an answer without a limit of time.
                    reason = reason(t);
                }
                answer(reactor, opening, consumer, memory, reason);
            });
        }
        catch (final RuntimeException | Error e)
        {
            // Such as that there can be no more threads.
            answer(reactor, opening, consumer, null, reason(e));
        }
    }

    private static String reason(final Throwable failure)
    {
        return failure instanceof RdmaException || failure instanceof NativeException ? failure.getMessage() :
            "the memory cannot be registered with the RDMA device: " + failure;
    }

    /** Later, never before {@link #open} has returned. */
    private void answer(
        final Reactor reactor,
        final Opening opening,
        final DeviceConsumer consumer,
        final DeviceMemory memory,
        final String reason)
    {
        try
        {
            reactor.execute(() -> consumer.onDevice(memory, reason));
        }
        catch (final RejectedExecutionException e)
        {
            cancel(opening);
        }
    }

    private synchronized DeviceMemory open(final long contextAddress, final Opening opening)
    {
        if (opening.isCancelled)
        {
            // There may be no identifier on the device any more, and its context be closed.
            return null;
        }
        if (isClosed)
        {
            throw new RdmaException("the memory for RDMA was closed");
        }
        final DeviceMemory present = devices.get(contextAddress);
        if (null != present && present.join())
        {
            opening.memory = present;
            return present;
        }
        if (null != present)
        {
            // Retired, and not freed yet.
            release(present);
        }
        opening.memory = register(contextAddress);
        opening.memory.join();
        return opening.memory;
    }

    private DeviceMemory register(final long contextAddress)
    {
        final DeviceMemory memory = new DeviceMemory(core, contextAddress);
        try
        {
            regions.forEach((region, ranges) -> ranges.forEach((range) -> add(memory, region, range)));
        }
        catch (final RuntimeException | Error e)
        {
            memory.close();
            throw e;
        }
        devices.put(contextAddress, memory);
        return memory;
    }

    /** Payload of lent memory that a device does not take is copied; buffers are what it is for. */
    private void add(final DeviceMemory memory, final MemoryRegion region, final Range range)
    {
        // Only buffers take what is read at a peer: on iWARP peers can write them.
        final RegionAccess granted = MemoryRole.BUFFERS == region.role() ? memory.forReads(access) : access;
        try
        {
            if (MemoryRegion.NO_FD == region.dmaBufFd())
            {
                memory.add(range.address, range.lengthBytes, granted);
            }
            else
            {
                memory.addDmaBuf(region.dmaBufFd(), region.dmaBufOffsetBytes() + range.address - region.address(),
                    range.address, range.lengthBytes, granted);
            }
        }
        catch (final RdmaException e)
        {
            if (MemoryRole.LENT != region.role())
            {
                throw e;
            }
        }
    }

    /** The connection manager that asked does not wait any more, and may destroy its identifier after this. */
    synchronized void cancel(final Opening opening)
    {
        if (!opening.isCancelled && null != opening.memory)
        {
            opening.memory.leave();
            if (opening.memory.retire())
            {
                release(opening.memory);
            }
        }
        opening.isCancelled = true;
    }

    /** Frees what a device has that nobody uses, and notifies the reactor that asked, unless it has ended. */
    void release(final DeviceMemory memory, final Reactor reactor, final Runnable onReleased)
    {
        setUp.execute(() ->
        {
            release(memory);
            try
            {
                reactor.execute(onReleased);
            }
            catch (final RejectedExecutionException e)
            {
                // The process ends, and its identifiers with it.
                return;
            }
        });
    }

    /** Frees what a device has that nobody uses, on any thread: after this its context may be closed. */
    synchronized void release(final DeviceMemory memory)
    {
        if (devices.remove(memory.contextAddress(), memory))
        {
            memory.close();
        }
    }

    @Override
    public String name()
    {
        return "RDMA";
    }

    @Override
    public synchronized void onMapped(final MemoryRegion region)
    {
        if (!region.isHostAddressable() || !region.hasStablePages())
        {
            return;
        }
        final Range range = new Range(region.address(), region.lengthBytes());
        addToAll(region, range);
        final List<Range> ranges = new ArrayList<>();
        ranges.add(range);
        regions.put(region, ranges);
    }

    private void addToAll(final MemoryRegion region, final Range range)
    {
        try
        {
            devices.values().forEach((memory) -> add(memory, region, range));
        }
        catch (final RdmaException e)
        {
            removeFromAll(range);
            throw e;
        }
    }

    private void removeFromAll(final Range range)
    {
        devices.values().forEach((memory) -> memory.remove(range.address, range.address + range.lengthBytes));
    }

    @Override
    public synchronized void onGrown(final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        final List<Range> ranges = regions.get(region);
        if (null != ranges)
        {
            final Range range = new Range(addedAddress, addedBytes);
            addToAll(region, range);
            ranges.add(range);
        }
    }

    @Override
    public synchronized void onGrowthRevoked(
        final MemoryRegion region, final long addedAddress, final long addedBytes)
    {
        final List<Range> ranges = regions.get(region);
        if (null != ranges)
        {
            final Range range = new Range(addedAddress, addedBytes);
            ranges.remove(range);
            removeFromAll(range);
        }
    }

    @Override
    public synchronized void onUnmapped(final MemoryRegion region)
    {
        final List<Range> ranges = regions.get(region);
        if (null != ranges)
        {
            ranges.forEach(this::removeFromAll);
            regions.remove(region);
        }
    }

    /**
     * Frees what the devices have. The connection managers that use it are closed before, and it is in no registry. A
     * second call does nothing.
     *
     * @throws IllegalStateException when a connection manager still uses a device; nothing is freed then.
     */
    @Override
    public synchronized void close()
    {
        for (final DeviceMemory memory : devices.values())
        {
            if (0 != memory.users())
            {
                throw new IllegalStateException("memory for RDMA cannot be closed: " + memory.users() +
                    " connection managers use it");
            }
        }
        isClosed = true;
        devices.values().forEach(DeviceMemory::close);
        devices.clear();
    }
}

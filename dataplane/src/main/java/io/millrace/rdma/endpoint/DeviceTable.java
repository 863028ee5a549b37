package io.millrace.rdma.endpoint;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.rdmacm.ConnectionId;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Reactor;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The devices of a {@link ConnectionManager} by their contexts. librdmacm closes the context of a removed device with
 * the last identifier on it; so each device in use has an identifier of its own, which is destroyed after all else: the
 * memory of a device is freed before the last one who uses it lets go of the device. Reactor's thread.
 */
final class DeviceTable
{
    /** Connections that wait until memory is registered with a device. */
    private record Opening(
        long pinAddress, RdmaMemory.Opening request, List<RdmaMemory.DeviceConsumer> consumers)
    {
    }

    private final RdmaCore core;
    private final Reactor reactor;
    /** Null when each device has a protection domain for this reactor alone. */
    private final RdmaMemory memory;
    private final int completionsMax;
    private final long channelAddress;
    private final BiConsumer<RdmaDomain, DeviceEvents.Event> onEvent;
    private Function<String, DeviceCounters> counting;
    private final Long2ObjectHashMap<RdmaDomain> domains = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Opening> openings = new Long2ObjectHashMap<>();
    /** Devices whose memory is being freed on another thread, by the identifiers that keep them open. */
    private final Long2ObjectHashMap<DeviceMemory> releasing = new Long2ObjectHashMap<>();

    DeviceTable(
        final RdmaCore core,
        final Reactor reactor,
        final RdmaMemory memory,
        final int completionsMax,
        final long channelAddress,
        final Function<String, DeviceCounters> counting,
        final BiConsumer<RdmaDomain, DeviceEvents.Event> onEvent)
    {
        this.core = core;
        this.reactor = reactor;
        this.memory = memory;
        this.completionsMax = completionsMax;
        this.channelAddress = channelAddress;
        this.counting = counting;
        this.onEvent = onEvent;
    }

    /** Devices that are opened from now on are counted there. */
    void counting(final Function<String, DeviceCounters> byName)
    {
        counting = byName;
    }

    /** {@return whether connections can use a device now; otherwise {@link #open} asks for it} */
    boolean isOpen(final long contextAddress)
    {
        return null == memory || domains.containsKey(contextAddress) || null != memory.device(contextAddress);
    }

    /** Has the memory registered with the device of an identifier. */
    void open(final long idAddress, final RdmaMemory.DeviceConsumer consumer)
    {
        final long contextAddress = ConnectionId.context(idAddress);
        Opening opening = openings.get(contextAddress);
        if (null == opening)
        {
            final Opening begun = new Opening(pin(idAddress), new RdmaMemory.Opening(), new ArrayList<>());
            opening = begun;
            openings.put(contextAddress, begun);
            memory.open(contextAddress, reactor, begun.request,
                (device, why) -> onOpened(contextAddress, begun, device, why));
        }
        opening.consumers.add(consumer);
    }

    private void onOpened(
        final long contextAddress, final Opening opening, final DeviceMemory device, final String why)
    {
        // Otherwise this was closed meanwhile.
        if (openings.remove(contextAddress, opening))
        {
            opening.consumers.forEach((consumer) -> consumer.onDevice(device, why));
            if (null == device)
            {
                core.destroyId(opening.pinAddress);
            }
            else
            {
                device.leave();
                letGo(device, opening.pinAddress);
            }
        }
    }

    /** Destroys an identifier that kept a device open which this has left. */
    private void letGo(final DeviceMemory device, final long pinAddress)
    {
        if (null == memory)
        {
            device.close();
        }
        else if (device.retire())
        {
            releasing.put(pinAddress, device);
            memory.release(device, reactor, () -> onReleased(pinAddress));
            return;
        }
        core.destroyId(pinAddress);
    }

    private void onReleased(final long pinAddress)
    {
        if (null != releasing.remove(pinAddress))
        {
            core.destroyId(pinAddress);
        }
    }

    /** {@return what the connections by the device of an identifier share} */
    RdmaDomain domain(final long idAddress)
    {
        final long contextAddress = ConnectionId.context(idAddress);
        RdmaDomain domain = domains.get(contextAddress);
        if (null == domain)
        {
            final DeviceMemory device =
                null == memory ? new DeviceMemory(core, contextAddress) : memory.device(contextAddress);
            // A set-up thread may have let go of it for another reactor since this one saw it open.
            if (null == device || !device.join())
            {
                throw new RdmaException("the RDMA device was removed");
            }
            domain = openDomain(idAddress, device);
            domains.put(contextAddress, domain);
        }
        return domain;
    }

    private RdmaDomain openDomain(final long idAddress, final DeviceMemory device)
    {
        final long pinAddress;
        try
        {
            pinAddress = pin(idAddress);
        }
        catch (final RdmaException e)
        {
            device.leave();
            if (null == memory)
            {
                device.close();
            }
            throw unusable(e);
        }
        try
        {
            return new RdmaDomain(core, reactor, device, pinAddress, completionsMax, counting, onEvent);
        }
        catch (final RuntimeException e)
        {
            device.leave();
            letGo(device, pinAddress);
            throw unusable(e);
        }
    }

    private static RdmaException unusable(final RuntimeException e)
    {
        return new RdmaException("the RDMA device cannot be used: " +
            (e instanceof RdmaException || e instanceof NativeException ? e.getMessage() : e.toString()));
    }

    /** {@return an identifier on the same device} */
    private long pin(final long idAddress)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long outAddress = arena.allocate(Long.BYTES, Long.BYTES).address();
            check("rdma_create_id", core.createId(channelAddress, outAddress));
            final long pinAddress = NativeMemory.getLong(outAddress);
            final long socketAddress = arena.allocate(SocketAddress.SIZE_BYTES_MAX, Long.BYTES).address();
            final InetSocketAddress local = SocketAddress.read(ConnectionId.localAddress(idAddress));
            SocketAddress.write(socketAddress, new InetSocketAddress(local.getAddress(), 0));
            final int status = core.bind(pinAddress, socketAddress);
            if (status < 0)
            {
                core.destroyId(pinAddress);
                check("rdma_bind_addr", status);
            }
            return pinAddress;
        }
    }

    private static void check(final String function, final int status)
    {
        if (status < 0)
        {
            throw new RdmaException(function + ": " + Errno.describe(-status));
        }
    }

    /** {@return the device that an identifier keeps open; null for another identifier} */
    RdmaDomain pinnedBy(final long idAddress)
    {
        for (final RdmaDomain domain : domains.values())
        {
            if (idAddress == domain.pinAddress())
            {
                return domain;
            }
        }
        return null;
    }

    /** {@return a device in use, or null} */
    RdmaDomain get(final long contextAddress)
    {
        return domains.get(contextAddress);
    }

    /**
     * A device is gone: nothing of it is left before its context is. What it does not free goes with that, so it is no
     * failure of this process.
     */
    void remove(final RdmaDomain domain)
    {
        domains.remove(domain.memory().contextAddress());
        domain.counters().add(DeviceCounters.Value.REMOVALS, 1);
        domain.close();
        letGo(domain.memory(), domain.pinAddress());
    }

    /**
     * No queue pair is left. What another thread frees is freed when this returns: nobody destroys identifiers later.
     *
     * @throws NativeException when a device did not free a queue which is not gone; all else is closed.
     */
    void close()
    {
        openings.values().forEach((opening) ->
        {
            memory.cancel(opening.request);
            core.destroyId(opening.pinAddress);
        });
        openings.clear();
        int failed = 0;
        for (final RdmaDomain domain : domains.values())
        {
            final int status = domain.close();
            // A device may be gone before its event was read.
            failed = 0 == status || -Errno.EIO == status ? failed : status;
            if (null == memory)
            {
                domain.memory().close();
            }
            else if (domain.memory().retire())
            {
                memory.release(domain.memory());
            }
            core.destroyId(domain.pinAddress());
        }
        domains.clear();
        releasing.forEachLong((pinAddress, device) ->
        {
            memory.release(device);
            core.destroyId(pinAddress);
        });
        releasing.clear();
        NativeException.check("ibv_destroy_cq", failed);
    }
}

package io.millrace.nvmf.rdma;

import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryDomain;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.connection.ConnectionAdmission;
import io.millrace.nvmf.connection.ConnectionCounters;
import io.millrace.nvmf.transport.Transport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.RdmaException;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.endpoint.RdmaMemory;
import io.millrace.rdma.endpoint.RegionAccess;
import io.millrace.reactor.Reactor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;

/**
 * Serves a target over NVMe/RDMA (NVMe over RDMA Transport Specification 1.0): listens, accepts, and gives each queue
 * to a reactor, where it stays. RDMA is looked for when the first listener starts: a machine without pays nothing, and
 * learns then what is missing. The memory of the data plane is registered for reading and writing by this machine's
 * devices alone: hosts get no keys, but by iWARP, where that is allowed, to its buffers. Any thread but the reactors'
 * may call it; its reactors must be running until it is
 * closed.
 */
public final class RdmaTransport implements Transport
{
    private static final long PAGE_BYTES = 4096;

    private final Target target;
    private final List<PollGroup> pollGroups;
    private final RdmaTransportConfig config;
    private final MemoryRegistry registry;
    private final RdmaMemory memory;
    private final ConnectionCounters counters = new ConnectionCounters();
    private final ConnectionAdmission admission;
    /** Memory that only this transport needs registered: receive buffers, buffers of admin commands. */
    private final MemoryRegistry ownRegistry = new MemoryRegistry();
    private final List<MemoryRegion> ownRegions = new ArrayList<>();
    private final List<CapsuleBuffers> capsules = new ArrayList<>();
    private final List<RdmaPollGroup> groups = new ArrayList<>();
    private RdmaListeners listeners;
    private final List<TransportAddress> listening = new ArrayList<>();

    /**
     * Prepares nothing yet.
     *
     * @param target     that discovery tells of the listeners.
     * @param pollGroups of the reactors that share the connections, at least one; their reactors run.
     * @param config     of the transport.
     * @param core       rdma-core.
     * @param registry   memory of the data plane: buffers, and what devices lend.
     */
    public RdmaTransport(
        final Target target,
        final List<PollGroup> pollGroups,
        final RdmaTransportConfig config,
        final RdmaCore core,
        final MemoryRegistry registry)
    {
        if (pollGroups.isEmpty())
        {
            throw new IllegalArgumentException("rdma transport has no reactors: configure at least one");
        }
        this.target = target;
        this.pollGroups = List.copyOf(pollGroups);
        this.config = config;
        this.registry = registry;
        memory = new RdmaMemory(core, RegionAccess.LOCAL);
        admission = new ConnectionAdmission(target.config().capacity(), counters, target.listener()::onError);
    }

    @Override
    public synchronized TransportAddress listen(final TransportAddress address)
    {
        final TransportAddress local = open(address);
        target.addListener(local);
        return local;
    }

    @Override
    public synchronized TransportAddress listenForDiscovery(final TransportAddress address)
    {
        final TransportAddress local = open(address);
        target.addDiscoveryListener(local);
        return local;
    }

    private TransportAddress open(final TransportAddress address)
    {
        if (TransportAddress.Type.RDMA != address.transportType())
        {
            throw new IllegalStateException(
                "cannot listen on " + address + ": no address of rdma: give it to the transport of its type");
        }
        Reactor.checkMayBlock("the start of a listener");
        try
        {
            start();
            final InetSocketAddress local =
                on(groups.getFirst().pollGroup(), () -> listeners.listen(address.socketAddress()));
            final TransportAddress taken = TransportAddress.of(TransportAddress.Type.RDMA, local);
            listening.add(taken);
            return taken;
        }
        catch (final RdmaException e)
        {
            throw new IllegalStateException("cannot listen on " + address + ": " + e.reason() +
                (e.remedy().isEmpty() ? "" : "; " + e.remedy()), e);
        }
        catch (final RuntimeException e)
        {
            throw new IllegalStateException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    /** Prepares the reactors, once. */
    private void start()
    {
        if (!groups.isEmpty())
        {
            return;
        }
        try
        {
            registry.addListener(memory);
            ownRegistry.addListener(memory);
            for (final PollGroup pollGroup : pollGroups)
            {
                final DmaMemory reserve = pollGroup.reserveMemory();
                final MemoryRegion region = MemoryRegion.imported(MemoryRole.BUFFERS, MemoryDomain.HOST,
                    reserve.address(), reserve.lengthBytes(), PAGE_BYTES);
                ownRegistry.add(region);
                ownRegions.add(region);
                final CapsuleBuffers buffers =
                    new CapsuleBuffers(ownRegistry, config.capsulesMax(), config.inCapsuleDataBytes());
                capsules.add(buffers);
                groups.add(on(pollGroup,
                    () -> new RdmaPollGroup(pollGroup, config, counters, admission, memory, buffers)));
            }
            final RdmaPollGroup first = groups.getFirst();
            final RdmaPlacement placement = new RdmaPlacement(target, groups, config, counters, admission);
            listeners = on(first.pollGroup(), () -> new RdmaListeners(
                first.reactor(), first.manager(), placement, target.listener()::onError));
        }
        catch (final RuntimeException e)
        {
            stop();
            throw e;
        }
    }

    /** Undoes {@link #start}. */
    private void stop()
    {
        if (null != listeners)
        {
            on(groups.getFirst().pollGroup(), () ->
            {
                listeners.close();
                return null;
            });
            listeners = null;
        }
        // The listening reactor last: a request that it gave away is on its event channel until the other has taken it.
        for (final RdmaPollGroup group : groups.reversed())
        {
            on(group.pollGroup(), () ->
            {
                group.close();
                return null;
            });
        }
        groups.clear();
        capsules.forEach(CapsuleBuffers::close);
        capsules.clear();
        ownRegions.forEach(ownRegistry::remove);
        ownRegions.clear();
        ownRegistry.removeListener(memory);
        registry.removeListener(memory);
    }

    @Override
    public synchronized boolean stopListening(final TransportAddress local)
    {
        Reactor.checkMayBlock("the end of a listener");
        if (!listening.remove(local))
        {
            return false;
        }
        target.removeListener(local);
        return on(groups.getFirst().pollGroup(), () -> listeners.stop(local.socketAddress()));
    }

    @Override
    public synchronized boolean isListening(final TransportAddress local)
    {
        return listening.contains(local) && !listeners.isWaiting(local.socketAddress());
    }

    @Override
    public RdmaTransportConfig config()
    {
        return config;
    }

    @Override
    public synchronized int connectionCount()
    {
        int count = 0;
        for (final RdmaPollGroup group : groups)
        {
            count += group.ioQueues().get() + group.adminQueues().get();
        }
        return count;
    }

    /** Of the 64 addresses that were refused last. */
    @Override
    public Map<String, Long> refusedByAddress()
    {
        return admission.refused();
    }

    @Override
    public ConnectionCounters counters()
    {
        return counters;
    }

    @Override
    public synchronized void close()
    {
        Reactor.checkMayBlock("the end of a transport");
        // Before the groups: what the first of them gives away would reach others that are closed.
        List.copyOf(listening).forEach(this::stopListening);
        if (!groups.isEmpty())
        {
            stop();
        }
        memory.close();
    }

    private static <T> T on(final PollGroup pollGroup, final Callable<T> task)
    {
        Reactor.checkMayBlock("a task of another reactor");
        try
        {
            return pollGroup.reactor().call(task).join();
        }
        catch (final CompletionException e)
        {
            throw e.getCause() instanceof final RuntimeException cause ? cause : e;
        }
    }
}

package io.millrace.simulation;

import io.millrace.block.BlockDevice;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvmf.ControllerSnapshot;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.tcp.SimulatedListener;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A process that serves one namespace over several addresses, on reactors of a simulation.
 */
final class TargetProcess
{
    private static final int POOL_BYTES_MIN = 128 << 10;
    private static final int POOL_TRANSFERS = 4;
    /** One of a reactor, and one of a device with faults. */
    private static final int KEPT_BUFFERS_MAX = 2;
    private static final long CLOSE_NS = 30_000_000_000L;

    private final Simulator simulator;
    private final String nqn;
    private final DeviceSource source;
    private final BlockDevice device;
    private final int process;
    private final int transferBytes;
    private final List<Simulator.Node> nodes = new ArrayList<>();
    private final List<PollGroup> groups = new ArrayList<>();
    private final List<BufferPool> pools = new ArrayList<>();
    private final List<DmaMemory> memories = new ArrayList<>();
    private final Target target;
    private final Subsystem subsystem;
    private final SimulatedListener listener;
    private boolean hasNamespace = true;

    TargetProcess(
        final Simulator simulator,
        final String name,
        final String nqn,
        final DeviceSource source,
        final int reactors,
        final int transferBytes,
        final TcpTransportConfig transport)
    {
        this.simulator = simulator;
        this.nqn = nqn;
        this.source = source;
        this.transferBytes = transferBytes;
        final int poolBytes = Math.max(POOL_BYTES_MIN, POOL_TRANSFERS * transferBytes);
        process = simulator.newProcess();
        for (int i = 0; i < reactors; i++)
        {
            memories.add(DmaMemory.map(poolBytes));
        }
        simulator.kernel().enter(process);
        device = source.open(process, MemoryRegistry.of(memories.toArray(DmaMemory[]::new)));
        target = new Target(new TargetConfig(8, 32, transferBytes, 64).capacity(
            new CapacityLimits(64, 64, 64, 64, 64, 16, 16)), TargetListener.NONE, simulator.kernel());
        subsystem = new Subsystem(SubsystemConfig.open(nqn));
        subsystem.addNamespace(Namespace.of(nqn, 1, device));
        target.addSubsystem(subsystem);
        listener = new SimulatedListener(target, transport);
        for (int i = 0; i < reactors; i++)
        {
            final Simulator.Node node = simulator.add(name + '-' + i, process);
            nodes.add(node);
            final DmaMemory memory = memories.get(i);
            simulator.on(node, () ->
            {
                final BufferPool pool = BufferPool.withFloors(memory.address(), poolBytes, transferBytes);
                pools.add(pool);
                node.reactor().reactor().addPoller(pool);
                final PollGroup group = new PollGroup(node.reactor().reactor(), target, pool);
                groups.add(group);
                listener.add(group);
            });
        }
    }

    void listen(final InetSocketAddress address)
    {
        simulator.on(nodes.getFirst(), () -> listener.listen(address));
    }

    /** Hosts find other addresses than before. */
    void stopListening(final InetSocketAddress address)
    {
        simulator.on(nodes.getFirst(), () -> listener.stopListening(address));
    }

    int process()
    {
        return process;
    }

    Subsystem subsystem()
    {
        return subsystem;
    }

    Target target()
    {
        return target;
    }

    /** {@return whether it has not begun to end} */
    boolean isListening()
    {
        return listener.isListening();
    }

    TransportAddress address(final int index)
    {
        return listener.address(index);
    }

    boolean hasNamespace()
    {
        return hasNamespace;
    }

    /** Ends any association with a host. */
    void disconnectAny(final Draw draw)
    {
        final List<ControllerSnapshot> controllers = subsystem.controllers().snapshots();
        if (!controllers.isEmpty())
        {
            final int id = controllers.get(draw.below(controllers.size())).controllerId();
            simulator.trace().note(simulator.nowNs(), "controller " + id + " is disconnected");
            simulator.kernel().enter(process);
            subsystem.controllers().disconnect(id, "disconnected by the simulation");
        }
    }

    /**
     * Removes the namespace, and adds it again a while after nothing uses it any more.
     *
     * @param absentNs while.
     * @return done when nothing uses it.
     */
    CompletableFuture<Void> removeNamespace(final long absentNs)
    {
        hasNamespace = false;
        simulator.kernel().enter(process);
        return subsystem.removeNamespace(1).thenRun(() -> simulator.after(absentNs, () ->
        {
            if (target.subsystem(nqn) == subsystem)
            {
                simulator.kernel().enter(process);
                subsystem.addNamespace(Namespace.of(nqn, 1, device));
                hasNamespace = true;
                simulator.trace().note(simulator.nowNs(), "namespace is back");
            }
        }));
    }

    /**
     * {@return what is in use although no host is connected; empty for nothing but the buffers that emulated commands
     *     keep}
     */
    String leaks()
    {
        return leaks(KEPT_BUFFERS_MAX);
    }

    private String leaks(final int keptMax)
    {
        final StringBuilder text = new StringBuilder();
        if (0 != listener.connections() || 0 != listener.pending())
        {
            text.append(listener.connections()).append(" connections, ").append(listener.pending()).append(" permits ");
        }
        for (int i = 0; i < nodes.size(); i++)
        {
            final PollGroup group = groups.get(i);
            final long usedBytes = pools.get(i).usedBytes();
            if (0 != usedBytes % transferBytes || usedBytes > (long)keptMax * transferBytes ||
                0 != group.requestsInUse() || 0 != group.queuePairs() || 0 != group.quarantinedBytes())
            {
                text.append("reactor ").append(i).append(": ").append(usedBytes).append(" bytes, ")
                    .append(group.requestsInUse()).append(" requests, ").append(group.queuePairs())
                    .append(" queue pairs, ").append(group.quarantinedBytes()).append(" bytes in quarantine ");
            }
        }
        return text.toString();
    }

    /** Ends an orderly process, or frees what is left of one that was killed: nothing of it is seen outside. */
    void close()
    {
        simulator.on(nodes.getFirst(), listener::stopListening);
        final List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++)
        {
            final int index = i;
            simulator.on(nodes.get(i), () -> listener.close(index));
        }
        for (int i = 0; i < nodes.size(); i++)
        {
            final int index = i;
            simulator.on(nodes.get(i), () -> closing.add(groups.get(index).close()));
        }
        simulator.run("the end of target " + nqn, CLOSE_NS,
            () -> closing.stream().allMatch(CompletableFuture::isDone));
        // A process that ends does not wait for that; what the drive may still use goes with it.
        simulator.run("the end of quarantine", CLOSE_NS, () -> source.isIdle() &&
            groups.stream().allMatch((group) -> 0 == group.quarantinedBytes()));
        final String leaks = leaks(0);
        if (!leaks.isEmpty())
        {
            throw new AssertionError("target " + nqn + " has ended with " + leaks);
        }
        for (int i = 0; i < nodes.size(); i++)
        {
            final Simulator.Node node = nodes.get(i);
            final BufferPool pool = pools.get(i);
            simulator.on(node, () -> node.reactor().reactor().removePoller(pool));
            simulator.remove(node);
        }
        simulator.kernel().enter(process);
        source.close();
        memories.forEach(DmaMemory::close);
        if (0 != simulator.kernel().count(process))
        {
            throw new AssertionError(
                "target " + nqn + " has ended with " + simulator.kernel().count(process) + " descriptors open");
        }
    }
}

package io.millrace.simulation;

import io.millrace.block.fault.FaultDevice;
import io.millrace.dataplane.HostTransports;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.nvmf.initiator.OutagePolicy;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.remote.RemoteDeviceConfig;
import io.millrace.remote.SimulatedRemote;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * One run of hosts, targets and devices, made of a seed: who there is, what they do, and what goes wrong.
 */
final class Simulation
{
    private static final String NQN = "nqn.2026-11.io.millrace:simulated";
    private static final String INNER_NQN = "nqn.2026-11.io.millrace:inner";
    /** After this all is as before a loss of connections. */
    private static final long RECOVERY_NS = 6_000_000_000L;
    private static final long REQUEST_NS = 15_000_000L;
    private static final long SLOW_STEP_NS = 50_000_000L;
    private static final int REQUESTS_BEFORE = 10;
    /** The network takes about so much at a time. */
    private static final int PIECE_BYTES = 1_000;
    private static final long LIMIT_NS = 120_000_000_000L;
    private static final long RUN_NS_MAX = 10 * LIMIT_NS;
    private static final int KEEP_ALIVE_MS = 400;
    private static final int BLOCKS_MAX = 4;
    private static final int LAST_OPERATIONS_MAX = 60;
    private static final int SMALL_BYTES = 8 << 10;
    private static final int LARGE_BYTES = 64 << 10;
    private static final int LARGE_BLOCKS = 160;
    private static final long DISCOVERY_NS = 20_000_000_000L;
    /** A controller that was never enabled ends two minutes after its host. */
    private static final long ASSOCIATION_NS = 150_000_000_000L;

    private final Draw draw;
    private final Trace trace;
    private final Simulator simulator;
    private final History history = new History();
    private final Workload workload;
    private final int blockBytes;
    private final int blocks;
    private final List<HostProcess> hosts = new ArrayList<>();
    private final List<InetSocketAddress> innerAddresses = new ArrayList<>();
    private final InetSocketAddress address = SimulatedKernel.address(0, 4420);
    private final Storage storage;
    private final int transferBytes;
    private long latencyNs;
    private TcpTransportConfig transport;
    private DiscoveryHost discovery;
    private SimulatedRemote remote;
    private Simulator.Node remoteNode;
    private TargetProcess inner;
    private TargetProcess target;
    private boolean isPowered = true;
    private boolean isEnding;

    /**
     * A run of a seed.
     *
     * @param seed      that decides all of it.
     * @param directory for files.
     * @param isVerbose prints what happens.
     */
    Simulation(final long seed, final Path directory, final boolean isVerbose)
    {
        draw = new Draw(seed);
        trace = new Trace(isVerbose);
        simulator = new Simulator(draw, trace);
        blockBytes = draw.of(512, 512, 4096);
        // Large requests go in parts, and straight into memory.
        final boolean isLarge = 512 == blockBytes && draw.oneIn(8);
        transferBytes = isLarge ? LARGE_BYTES : SMALL_BYTES;
        blocks = isLarge ? LARGE_BLOCKS : 512 == blockBytes ? 6 + draw.below(10) : 4 + draw.below(3);
        workload = new Workload(draw, blockBytes, blocks,
            isLarge ? LARGE_BYTES / blockBytes : Math.min(BLOCKS_MAX, SMALL_BYTES / blockBytes),
            40 + draw.below(160));
        storage = new Storage(simulator, history, directory, blockBytes, blocks);
        trace.note(0, "storage is " + storage);
    }

    /**
     * Runs it and checks what came of it.
     *
     * @return its trace.
     * @throws AssertionError with what is wrong.
     */
    Trace run()
    {
        try
        {
            begin();
            new Nemesis(this, simulator).begin();
            simulator.run("the end of all requests", LIMIT_NS, () -> workload.isDone() && isPowered);
            end();
            history.check(blocks);
            trace.note(simulator.nowNs(), history.size() + " requests, " + workload.succeeded() + " succeeded, " +
                simulator.steps() + " steps");
            return trace;
        }
        catch (final Throwable t)
        {
            trace.note(simulator.nowNs(), "failed: " + t);
            throw new AssertionError(t.getMessage() + "\nwhat happened before:\n" + trace.lines(), t);
        }
    }

    Trace trace()
    {
        return trace;
    }

    /** A host will have read what nobody has written, so that the run fails. */
    void falsify()
    {
        history.falsify();
    }

    private void begin()
    {
        latencyNs = draw.of(2_000, 30_000, 400_000);
        simulator.kernel().network().latency(latencyNs);
        transport = new TcpTransportConfig(draw.of(0, 512, 8192), 4096, 64 << 10, draw.oneIn(2), 2_000_000_000L, 64,
            0, 0, 1_000_000_000L, 1_000_000_000L);
        DeviceSource source = storage;
        if (draw.oneIn(3))
        {
            source = beginRemote();
        }
        target = newTarget(source);
        target.listen(address);
        if (storage.longestStepNs() > SLOW_STEP_NS && !workload.isRacing())
        {
            // It exceeds time-outs by itself.
            simulator.deadlines().cause("slow drive", simulator.nowNs() + RUN_NS_MAX, 0);
        }
        if (workload.isRacing() && null == storage.fault())
        {
            workload.expectSuccess();
        }
        final int count = 1 + draw.below(2);
        for (int i = 0; i < count; i++)
        {
            hosts.add(new HostProcess(simulator, history, workload, i, identity(i), hostConfig(address, NQN),
                2 + draw.below(4), requestNs(), losesNs()));
        }
        if (draw.oneIn(5))
        {
            discovery = new DiscoveryHost(
                simulator, identity(10), hostConfig(address, ConnectionConfig.DISCOVERY_NQN));
        }
    }

    /** {@return longest time of a request: others are before it on each connection, and in the drive} */
    private long requestNs()
    {
        final long pieces = Math.max(1, transferBytes / PIECE_BYTES);
        return REQUEST_NS + REQUESTS_BEFORE * (latencyNs * pieces + storage.longestStepNs());
    }

    /** {@return how long after a cause hosts may lose connections, beside the time-out of commands} */
    private long losesNs()
    {
        return null == inner ? requestNs() : RECOVERY_NS;
    }

    private TargetProcess newTarget(final DeviceSource source)
    {
        return new TargetProcess(simulator, "target", NQN, source, 1 + draw.below(2), transferBytes, transport);
    }

    private TargetProcess newInner()
    {
        return new TargetProcess(simulator, "inner", INNER_NQN, storage, 1 + draw.below(2), transferBytes, transport);
    }

    /** The target's device is a namespace of another target, over one path or two. */
    private DeviceSource beginRemote()
    {
        inner = newInner();
        final int paths = 1 + draw.below(2);
        for (int i = 0; i < paths; i++)
        {
            innerAddresses.add(SimulatedKernel.address(10 + i, 4420));
            inner.listen(innerAddresses.get(i));
        }
        final int process = simulator.newProcess();
        remoteNode = simulator.add("remote-admin", process);
        final HostPollGroups groups = HostTransports.pollGroups();
        final RemoteDeviceConfig config = RemoteDeviceConfig.of("remote",
            innerAddresses.stream().map(TransportAddress::tcp).toList(), INNER_NQN, 1, "", identity(20))
            .withQueueDepth(8).withTimeouts(KEEP_ALIVE_MS, 500, commandTimeoutMs()).withReconnect(10, 200, 60_000);
        simulator.kernel().enter(process);
        remote = new SimulatedRemote(config, groups, remoteNode.reactor().reactor());
        simulator.run("the connecting of the remote device", LIMIT_NS, remote::isAnswered);
        return DeviceSource.of(remote.finish());
    }

    private static HostConfig identity(final int number)
    {
        return HostConfig.of(new UUID(0x1234_5678_9ABC_4DEFL, 0x8000_0000_0000_0000L + number));
    }

    /** {@return a time that slow requests of a drive exceed, where hosts may lose their connections} */
    private int commandTimeoutMs()
    {
        return workload.isRacing() ? 100_000 : 3_000;
    }

    private ConnectionConfig hostConfig(final InetSocketAddress to, final String nqn)
    {
        return ConnectionConfig.to(to, nqn)
            .queueDepth(draw.of(2, 4, 16))
            .digests(draw.oneIn(2), draw.oneIn(2))
            .sqFlowControl(draw.oneIn(2))
            .keepAliveMs(KEEP_ALIVE_MS)
            .connectTimeoutMs(500)
            .commandTimeoutMs(commandTimeoutMs())
            .reconnectDelayMs(10, 200)
            .controllerLossTimeoutMs(-1)
            .outagePolicy(draw.oneIn(4) ? OutagePolicy.FAIL : OutagePolicy.WAIT)
            .build();
    }

    private void end()
    {
        isEnding = true;
        simulator.run("what arrives late", LIMIT_NS, () -> !simulator.kernel().network().isHeld());
        // What is there now is read by everyone before it ends.
        workload.extend(Math.min(4 * blocks, LAST_OPERATIONS_MAX));
        hosts.forEach(HostProcess::resume);
        simulator.run("the end of the last requests", LIMIT_NS, workload::isDone);
        if (null != discovery)
        {
            simulator.run("the discovery of all listeners", DISCOVERY_NS, this::isDiscovered);
            discovery.close();
        }
        for (final HostProcess host : hosts)
        {
            host.close();
        }
        awaitFree("hosts have", target);
        target.close();
        if (null != remote)
        {
            simulator.kernel().enter(remoteNode.process());
            simulator.run("the end of the remote device", 20_000_000_000L, remote.disconnect()::isDone);
            awaitFree("the remote device has", inner);
            simulator.remove(remoteNode);
            inner.close();
        }
        storage.end();
    }

    private void awaitFree(final String who, final TargetProcess process)
    {
        try
        {
            simulator.run("what " + who + " used being free", ASSOCIATION_NS, () -> process.leaks().isEmpty());
        }
        catch (final AssertionError e)
        {
            throw new AssertionError(e.getMessage() + ": " + process.leaks(), e);
        }
    }

    private boolean isDiscovered()
    {
        final Set<String> listeners = new TreeSet<>();
        target.target().listeners().forEach((listener) -> listeners.add(listener.hostAndPort()));
        return listeners.equals(discovery.known());
    }

    Storage storage()
    {
        return storage;
    }

    FaultDevice fault()
    {
        return storage.fault();
    }

    /** {@return where hosts find their target} */
    InetAddress address()
    {
        return address.getAddress();
    }

    List<HostProcess> hosts()
    {
        return hosts;
    }

    boolean isRacing()
    {
        return workload.isRacing();
    }

    boolean isSuccessExpected()
    {
        return workload.isSuccessExpected();
    }

    boolean isGoingOn()
    {
        return !isEnding && workload.isGoingOn();
    }

    /** {@return the target that hosts see, or the one behind it; null while it is without power} */
    TargetProcess anyTarget()
    {
        return null != inner && draw.oneIn(2) ? inner : target;
    }

    /** {@return whether it has power, and has not begun to end} */
    boolean isServing(final TargetProcess process)
    {
        return isPowered && (process == inner || process == target) && process.isListening();
    }

    /** {@return the target with several addresses; null when there is none} */
    TargetProcess severalPaths()
    {
        return innerAddresses.size() > 1 && null != inner && isServing(inner) ? inner : null;
    }

    boolean isPowered()
    {
        return isPowered;
    }

    /** Others may wait for it from now on, and until all have recovered from it. */
    void cause(final String name, final long forNs)
    {
        simulator.deadlines().cause(name, simulator.nowNs() + forNs, settleNs());
    }

    void cause(final String name, final BooleanSupplier lasts)
    {
        simulator.deadlines().cause(name, lasts, settleNs());
    }

    private long settleNs()
    {
        return isRacing() ? 0 : RECOVERY_NS;
    }

    void note(final String text)
    {
        trace.note(simulator.nowNs(), text);
    }

    /** The target that has the drive loses power, and another one begins on what the drive has kept. */
    void losePower(final long absentNs)
    {
        final TargetProcess dead = null == inner ? target : inner;
        isPowered = false;
        final boolean isSilent = draw.oneIn(2);
        trace.note(simulator.nowNs(), "power is lost" + (isSilent ? " without a word" : ""));
        simulator.kernel().kill(dead.process(), isSilent);
        storage.losePower();
        history.powerLost(simulator.moment());
        dead.close();
        simulator.after(absentNs, () ->
        {
            trace.note(simulator.nowNs(), "target is back");
            isPowered = true;
            if (null == inner)
            {
                target = newTarget(storage);
                target.listen(address);
            }
            else
            {
                inner = newInner();
                innerAddresses.forEach(inner::listen);
            }
        });
    }
}

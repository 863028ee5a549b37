package io.millrace.nvmf;

import io.millrace.block.BlockDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.DeviceError;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.HeldClock;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A target with one subsystem of one memory namespace, served by real reactors.
 */
final class TestTarget implements AutoCloseable
{
    static final String NQN = "nqn.2026-11.io.millrace:test";
    static final TransportAddress LOCAL = TransportAddress.tcp("127.0.0.1", 4420);
    static final int BLOCK_BYTES = 512;
    static final long BLOCKS = 8192;

    private final List<String> log = new ArrayList<>();
    private final List<DeviceError> deviceErrors = new CopyOnWriteArrayList<>();
    private final Target target = new Target(TargetConfig.defaults(), new TargetListener()
    {
        @Override
        public void onConnected(
            final String hostNqn, final String remote, final String subsystemNqn, final int controllerId)
        {
            log("connected " + controllerId + " from " + remote);
        }

        @Override
        public void onDisconnected(
            final String hostNqn,
            final String remote,
            final String subsystemNqn,
            final int controllerId,
            final String reason)
        {
            log("disconnected " + controllerId + ": " + reason);
        }

        @Override
        public void onRefused(
            final String hostNqn, final String remote, final String subsystemNqn, final String reason)
        {
            log("refused " + remote + ": " + reason);
        }

        @Override
        public void onDeviceError(final DeviceError error)
        {
            deviceErrors.add(error);
        }

        @Override
        public void onDeviceErrorRemoved(final DeviceError error)
        {
            deviceErrors.remove(error);
        }

        @Override
        public void onError(final String message)
        {
            log("error: " + message);
        }
    });
    private final List<TestReactor> reactors = new ArrayList<>();
    private final List<BlockDevice> devices = new ArrayList<>();
    private final Subsystem subsystem;

    TestTarget(final int reactorCount)
    {
        this(reactorCount, MemoryDevice.create("mem0", BLOCKS * BLOCK_BYTES, BLOCK_BYTES));
    }

    TestTarget(final int reactorCount, final BlockDevice device)
    {
        this(reactorCount, device, SubsystemConfig.open(NQN));
    }

    TestTarget(final int reactorCount, final HeldClock clock)
    {
        this(reactorCount, MemoryDevice.create("mem0", BLOCKS * BLOCK_BYTES, BLOCK_BYTES), SubsystemConfig.open(NQN),
            clock::reactor);
    }

    TestTarget(final int reactorCount, final BlockDevice device, final SubsystemConfig config)
    {
        this(reactorCount, device, config, Reactor::new);
    }

    private TestTarget(
        final int reactorCount,
        final BlockDevice device,
        final SubsystemConfig config,
        final Function<ReactorConfig, Reactor> newReactor)
    {
        devices.add(device);
        subsystem = new Subsystem(config);
        subsystem.addNamespace(Namespace.of(NQN, 1, device));
        target.addSubsystem(subsystem);
        target.addListener(LOCAL);
        for (int i = 0; i < reactorCount; i++)
        {
            reactors.add(new TestReactor(newReactor.apply(ReactorConfig.of("test-" + i, -1)), target));
        }
    }

    Target target()
    {
        return target;
    }

    Subsystem subsystem()
    {
        return subsystem;
    }

    TestReactor reactor(final int index)
    {
        return reactors.get(index);
    }

    /** Closes a device with the target. */
    <T extends BlockDevice> T owned(final T device)
    {
        devices.add(device);
        return device;
    }

    List<String> log()
    {
        synchronized (log)
        {
            return new ArrayList<>(log);
        }
    }

    List<DeviceError> deviceErrors()
    {
        return deviceErrors;
    }

    private void log(final String line)
    {
        synchronized (log)
        {
            log.add(line);
        }
    }

    /**
     * Keeps nothing of the hosts that there were.
     *
     * @param ended connections of theirs, which end now.
     */
    void forget(final TestHost... ended)
    {
        for (final TestHost host : ended)
        {
            host.reactor().end(host);
        }
        for (final TestReactor each : reactors)
        {
            await("queue pairs and requests to end", () -> 0 == each.call(() ->
                each.pollGroup().queuePairs() + each.pollGroup().requestsInUse()));
        }
        synchronized (log)
        {
            log.clear();
        }
    }

    TestHost connection()
    {
        return reactors.getFirst().connect(LOCAL);
    }

    /** An admin queue of an enabled controller. */
    TestHost admin()
    {
        return admin(NQN);
    }

    TestHost admin(final String nqn)
    {
        final TestHost host = connection();
        final Completion connected = host.connect(nqn, 0, ConnectData.CONTROLLER_ID_DYNAMIC);
        if (NvmeStatus.SUCCESS != connected.status() || NvmeStatus.SUCCESS != host.enable().status())
        {
            throw new AssertionError("not connected: " + connected + " " + log());
        }
        return host;
    }

    /** An I/O queue beside an admin queue. */
    TestHost io(final TestHost admin, final int queueId)
    {
        return io(admin, queueId, 0);
    }

    TestHost io(final TestHost admin, final int queueId, final int reactorIndex)
    {
        return io(admin, queueId, reactors.get(reactorIndex));
    }

    TestHost io(final TestHost admin, final int queueId, final TestReactor reactor)
    {
        // A host's new controller waits for what its former one left at devices, on another reactor perhaps, and is
        // enabled by the host's look at its status.
        await("controller to be enabled",
            () -> ControllerState.ENABLING != Controller.of(admin.queuePair()).state() || 0 != admin.status());
        final TestHost host = reactor.connect(LOCAL);
        final Completion connected = host.connect(NQN, queueId, admin.queuePair().association().id(),
            (command, data) -> command.queueSize(127));
        if (NvmeStatus.SUCCESS != connected.status())
        {
            throw new AssertionError("not connected: " + connected + " " + log());
        }
        // Devices are opened in the cycles after the first Connect.
        await("devices asked to open", () -> reactor.call(reactor.pollGroup()::isFilled));
        return host;
    }

    /** An I/O queue of a controller of its own. */
    TestHost io()
    {
        return io(admin(), 1);
    }

    static void await(final String what, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + 10_000_000_000L;
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("did not happen: " + what);
            }
            LockSupport.parkNanos(100_000);
        }
    }

    @Override
    public void close()
    {
        reactors.forEach(TestReactor::close);
        devices.forEach(BlockDevice::close);
    }
}

package io.millrace.dataplane;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SpdkSettings;
import io.millrace.dataplane.snapshot.DataPlaneSnapshot;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.dataplane.snapshot.ListenerSnapshot;
import io.millrace.dataplane.snapshot.ReactorSnapshot;
import io.millrace.jfr.FlightEvents;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.reactor.Housekeeping;
import io.millrace.reactor.Reactor;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkMessageListener;
import io.millrace.spdk.SpdkRuntime;
import io.millrace.status.DeviceErrorStatus;
import io.millrace.status.StatusException;
import io.millrace.status.StatusFile;
import io.millrace.status.StatusSettings;
import io.millrace.status.StatusSnapshot;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A running data plane: reactors and memory as its {@link DataPlaneConfig} declares them, and devices, subsystems and
 * listeners that are initially as declared and may be modified while hosts are served. Any thread but the reactors' may
 * call everything; modifying operations are executed one after the other.
 */
public final class DataPlane implements AutoCloseable
{
    /** Longer than any device takes to close a channel, or to quarantine the memory that it still uses. */
    private static final long CLOSE_WAIT_MS = 45_000;

    private final DataPlaneConfig config;
    private final long closeWaitMs;
    private final RdmaCore rdmaCore;
    private final Operations operations;
    private final UUID id = UUID.randomUUID();
    private final long startNs = System.nanoTime();
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private volatile boolean isAbandoned;
    private final List<String> notes = new ArrayList<>();
    private String memoryNote = "";
    private StatusFile status;
    private Devices devices;
    private ServingReactors reactors;
    /** Null where SPDK serves nothing. */
    private Exports exports;
    private ExportMemory exportMemory;
    private SpdkTarget spdkTarget;
    private MemoryRegistry registry;
    private Subsystems subsystems;
    private Hosts hosts;
    private Controllers controllers;
    private Qos qos;
    private Listeners listeners;
    private Connections connections;
    private AnaStates anaStates;

    private DataPlane(
        final DataPlaneConfig config,
        final TargetListener hosts,
        final DataPlaneListener listener,
        final long closeWaitMs,
        final RdmaCore rdmaCore)
    {
        this.config = config;
        this.closeWaitMs = closeWaitMs;
        this.rdmaCore = rdmaCore;
        operations = new Operations(config, hosts, listener);
    }

    /**
     * Starts a data plane completely, or not at all.
     *
     * @param config configuration.
     * @return a data plane that listens.
     * @throws SettingException naming the invalid or unavailable setting; everything that was started has been stopped.
     */
    public static DataPlane start(final DataPlaneConfig config)
    {
        return start(config, TargetListener.NONE);
    }

    /**
     * Starts a data plane completely, or not at all.
     *
     * @param config configuration.
     * @param hosts  notified of hosts that come and go, on reactors.
     * @return a data plane that listens.
     * @throws SettingException naming the invalid or unavailable setting; everything that was started has been stopped.
     */
    public static DataPlane start(final DataPlaneConfig config, final TargetListener hosts)
    {
        return start(config, hosts, DataPlaneListener.NONE);
    }

    /**
     * Starts a data plane completely, or not at all.
     *
     * @param config   configuration.
     * @param hosts    notified of hosts that come and go, on reactors.
     * @param listener notified of all events, from the first device on.
     * @return a data plane that listens.
     * @throws SettingException naming the invalid or unavailable setting; everything that was started has been stopped.
     */
    public static DataPlane start(
        final DataPlaneConfig config, final TargetListener hosts, final DataPlaneListener listener)
    {
        return start(config, hosts, listener, CLOSE_WAIT_MS, LinuxRdmaCore.INSTANCE);
    }

    /** With another time-out for closing devices, and another rdma-core. */
    static DataPlane start(
        final DataPlaneConfig config,
        final TargetListener hosts,
        final DataPlaneListener listener,
        final long closeWaitMs,
        final RdmaCore rdmaCore)
    {
        final DataPlane dataPlane = new DataPlane(config, hosts, listener, closeWaitMs, rdmaCore);
        try
        {
            dataPlane.begin();
        }
        catch (final RuntimeException | Error e)
        {
            dataPlane.abandon();
            try
            {
                dataPlane.close();
            }
            catch (final RuntimeException suppressed)
            {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
        return dataPlane;
    }

    private void begin()
    {
        ServingReactors.checkCpus(config.reactors());
        FlightEvents.install();
        status = makeStatus();
        started.push(status);
        operations.status(status);
        final DmaMemory memory = mapMemory();
        registry = new MemoryRegistry();
        registry.add(memory, MemoryRole.BUFFERS);
        devices = new Devices(operations, registry, rdmaCore, this::spdk);
        started.push(() -> devices.closeAll(isAbandoned && !operations.hadHosts()));
        startSpdk();
        new DeclaredDevices(config.devices(), devices, operations::onError).create();
        reactors = new ServingReactors(config, operations, status, devices, closeWaitMs);
        reactors.start(memory, started);
        started.push(Housekeeping.begin(reactors.reactors()));
        devices.start(new BackgroundTasks(reactors.groups()));
        exportMemory = new ExportMemory(registry, reactors.groups());
        started.push(exportMemory);
        export(config.spdk());
        spdkTarget = new SpdkTarget(operations, devices, this::spdk, exportMemory);
        subsystems = new Subsystems(operations, devices, spdkTarget);
        hosts = new Hosts(operations, subsystems, spdkTarget);
        controllers = new Controllers(operations, subsystems, spdkTarget);
        anaStates = new AnaStates(operations, subsystems, spdkTarget);
        qos = new Qos(operations, subsystems, spdkTarget);
        for (int i = 0; i < config.subsystems().size(); i++)
        {
            createSubsystem(i);
        }
        final Transports transports =
            Transports.start(operations.target(), reactors.groups(), config.transports(), rdmaCore, registry);
        started.push(transports);
        reactors.publish(memoryNote, transports);
        started.push(spdkTarget);
        listeners = new Listeners(operations, transports, spdkTarget);
        connections = new Connections(subsystems, reactors.groups());
        for (int i = 0; i < config.listeners().size(); i++)
        {
            final ListenerSettings listener = config.listeners().get(i);
            listen(listener, "listeners[" + i +
                (ListenerProvider.SPDK == listener.provider() ? "].provider" : "].port"));
        }
        if (DataPlaneConfig.NO_DISCOVERY_PORT != config.discoveryPort())
        {
            listenForDiscovery();
        }
        publishStatus();
    }

    /** For the process, not for this data plane alone: who ends the process stops it. */
    private SpdkRuntime spdk()
    {
        return SpdkRuntime.start(config.spdk().config(), new SpdkMessageListener()
        {
            @Override
            public void onError(final String sentence)
            {
                operations.onError(sentence);
            }

            @Override
            public void onWarning(final String sentence)
            {
                operations.onNote(sentence);
            }
        });
    }

    /**
     * Has SPDK serve devices by front ends of its own, until this is closed. Once, unless there is nothing to serve.
     * The thread that started the data plane.
     *
     * @param settings naming devices that are there, and the front ends.
     * @throws SettingException naming the setting that cannot be applied.
     */
    public void export(final SpdkSettings settings)
    {
        if (settings.exports().isEmpty() && null == settings.frontEnds())
        {
            return;
        }
        final SpdkRuntime runtime;
        try
        {
            runtime = spdk();
        }
        catch (final SpdkException e)
        {
            throw new SettingException("spdk", null, e.problem(), "", e);
        }
        exports = new Exports(operations, devices, exportMemory);
        started.push(exports);
        exports.start(settings, runtime);
    }

    /**
     * {@return names of the devices that SPDK serves}
     */
    public List<String> exported()
    {
        return null == exports ? List.of() : exports.names();
    }

    private void startSpdk()
    {
        if (config.spdk().atStart())
        {
            try
            {
                spdk();
            }
            catch (final SpdkException e)
            {
                throw new SettingException("spdk", null, e.problem(), "", e);
            }
        }
    }

    private StatusFile makeStatus()
    {
        final StatusSettings settings = config.status();
        final int reactorCount = config.reactors().size();
        if (null == settings.file())
        {
            return StatusFile.inMemory(reactorCount);
        }
        try
        {
            return StatusFile.create(settings, reactorCount);
        }
        catch (final StatusException e)
        {
            onNoStatus(e);
            return StatusFile.inMemory(reactorCount);
        }
    }

    private void publishStatus()
    {
        try
        {
            status.publish();
        }
        catch (final StatusException e)
        {
            onNoStatus(e);
        }
        if (null != status.crashed())
        {
            notes.add("the data plane before this one ended without a clean stop; 'millrace stat " +
                status.crashed() + "' shows what it was doing");
        }
    }

    private void onNoStatus(final StatusException e)
    {
        if (config.status().isRequired())
        {
            throw new SettingException("status.file", config.status().file(), e.problem(), "name another, or none", e);
        }
        // The file was not configured: hosts are served without it.
        notes.add("no status file, " + e.getMessage() + ": set status.file");
    }

    private DmaMemory mapMemory()
    {
        final DmaMemory memory;
        try
        {
            memory = DmaMemory.map(config.memoryBytes());
        }
        catch (final NativeException e)
        {
            throw new SettingException("memory.size", config.memoryBytes(),
                "cannot be mapped, " + Errno.describe(e.errno()), "lower it", e);
        }
        started.push(memory);
        if (DmaMemory.Backing.HUGEPAGES != memory.backing())
        {
            memoryNote = memory.note();
            notes.add(memoryNote);
        }
        return memory;
    }

    private void createSubsystem(final int index)
    {
        try
        {
            subsystems.create(config.subsystems().get(index));
        }
        catch (final OperationException e)
        {
            throw new SettingException("subsystems[" + index + "]", null, e.getMessage(), "", e);
        }
    }

    private void listen(final ListenerSettings listener, final String key)
    {
        final TransportAddress address = listener.address();
        final boolean discoveryOnly = listener.discoveryOnly();
        try
        {
            listeners.add(address, discoveryOnly, listener.provider());
        }
        catch (final OperationException e)
        {
            final boolean isTaken = OperationException.Reason.IN_USE == e.reason();
            throw new SettingException(key, address.listenerName(), e.problem(), discoveryOnly && isTaken ?
                "set discovery: false, or stop what listens there; listeners answer discovery in any case" :
                e.remedy(), e);
        }
    }

    private void listenForDiscovery()
    {
        final Set<TransportAddress> addresses = new LinkedHashSet<>();
        config.listeners().stream().filter((listener) -> !listener.discoveryOnly() && listener.address().hasPort())
            .forEach((listener) -> addresses.add(listener.address().withPort(config.discoveryPort())));
        for (final TransportAddress address : addresses)
        {
            listen(new ListenerSettings(address, true), "discovery");
        }
    }

    /**
     * {@return its configuration}
     */
    public DataPlaneConfig config()
    {
        return config;
    }

    /**
     * {@return its target}
     */
    public Target target()
    {
        return operations.target();
    }

    /**
     * {@return the reactors, in the order of the configuration}
     */
    public List<Reactor> reactors()
    {
        return reactors.reactors();
    }

    /**
     * {@return the distinct errors of devices that are in use, reactors added up, as they were a moment ago}
     */
    public List<DeviceErrorStatus> deviceErrors()
    {
        return operations.deviceErrors().list();
    }

    /**
     * {@return its devices}
     */
    public Devices devices()
    {
        return devices;
    }

    /**
     * {@return those of its devices that are arrays}
     */
    public RaidArrays arrays()
    {
        return new RaidArrays(devices);
    }

    /**
     * {@return its subsystems}
     */
    public Subsystems subsystems()
    {
        return subsystems;
    }

    /**
     * {@return the namespaces of its subsystems}
     */
    public Namespaces namespaces()
    {
        return subsystems.namespaces();
    }

    /**
     * {@return hosts that its subsystems allow}
     */
    public Hosts hosts()
    {
        return hosts;
    }

    /**
     * {@return the controllers that hosts have}
     */
    public Controllers controllers()
    {
        return controllers;
    }

    /**
     * {@return the connections of hosts, and their reactors}
     */
    public Connections connections()
    {
        return connections;
    }

    /**
     * {@return the ANA states of its subsystems}
     */
    public AnaStates anaStates()
    {
        return anaStates;
    }

    /**
     * {@return limits of namespaces and hosts}
     */
    public Qos qos()
    {
        return qos;
    }

    /**
     * {@return its listeners}
     */
    public Listeners listeners()
    {
        return listeners;
    }

    /**
     * {@return addresses of the listeners for all subsystems, in the order in which they were added, with the actual
     * ports}
     */
    public List<TransportAddress> addresses()
    {
        return addresses(false);
    }

    /**
     * {@return addresses of listeners for discovery alone}
     */
    public List<TransportAddress> discoveryAddresses()
    {
        return addresses(true);
    }

    private List<TransportAddress> addresses(final boolean discoveryOnly)
    {
        return listeners.list().stream().filter((each) -> discoveryOnly == each.discoveryOnly())
            .map(ListenerSnapshot::address).toList();
    }

    /**
     * {@return notes for the operator: a sentence for each feature that is off, with reason and remedy}
     */
    public List<String> notes()
    {
        final List<String> all = new ArrayList<>(notes);
        all.addAll(devices.notes());
        return all;
    }

    /**
     * {@return present state}
     */
    public DataPlaneSnapshot snapshot()
    {
        int count = 0;
        for (final Subsystem subsystem : operations.target().subsystems())
        {
            count += subsystem.controllers().count();
        }
        return new DataPlaneSnapshot(id, operations.state(), System.nanoTime() - startNs, config.memoryBytes(), count,
            ProcessHandle.current().pid(), DmaMemory.mappedBytes(), DmaMemory.hugepageBytes(), memoryNote);
    }

    /**
     * {@return its counters and measurements; reactors are not interrupted}
     */
    public StatusSnapshot statusSnapshot()
    {
        return status.snapshot();
    }

    /**
     * {@return its status file; null when there is none}
     */
    public Path statusFile()
    {
        return status.path();
    }

    /**
     * Records an error from outside the data plane in the status file.
     *
     * @param message one sentence.
     */
    public void recordError(final String message)
    {
        status.onError(message);
    }

    /**
     * {@return snapshots of its reactors, by index; they are not interrupted}
     */
    public List<ReactorSnapshot> reactorSnapshots()
    {
        return reactors.snapshots();
    }

    /**
     * Sets its state. Draining and pausing exclude each other; {@link DataPlaneState#SERVING} ends either. I/O commands
     * that are outstanding when it is paused end normally.
     *
     * @param wanted state; to stop it, {@link #close} it.
     * @return done when every reactor applies it.
     * @throws OperationException when the present or the requested state is {@link DataPlaneState#STOPPING}.
     */
    public CompletableFuture<Void> state(final DataPlaneState wanted)
    {
        synchronized (operations)
        {
            operations.checkOpen();
            if (DataPlaneState.STOPPING == wanted)
            {
                throw new OperationException(OperationException.Reason.INVALID, "state STOPPING",
                    "cannot be set while it runs", "close the data plane");
            }
            final DataPlaneState before = operations.state();
            if (before == wanted)
            {
                return CompletableFuture.completedFuture(null);
            }
            if (DataPlaneState.SERVING != wanted)
            {
                spdkTarget.checkAbsent("data plane", "cannot be " + word(wanted) + " by SPDK's target");
            }
            operations.state(wanted);
            operations.target().acceptControllers(DataPlaneState.DRAINING != wanted);
            operations.publish(ResourceKind.DATA_PLANE, ResourceChange.CHANGED, "",
                "is " + word(wanted) + ", was " + word(before));
            return operations.target().pause(DataPlaneState.PAUSED == wanted);
        }
    }

    /** As settings and lists say it. */
    private static String word(final DataPlaneState state)
    {
        return state.name().toLowerCase(Locale.ROOT);
    }

    /**
     * The process cannot start: {@link #close} will also remove the files that devices of the configuration created,
     * unless a host was connected.
     */
    public void abandon()
    {
        isAbandoned = true;
    }

    /**
     * Stops listening, ends every connection, lets devices finish what they have, and frees everything. Again does
     * nothing.
     */
    @Override
    public void close()
    {
        synchronized (operations)
        {
            if (DataPlaneState.STOPPING != operations.state())
            {
                operations.state(DataPlaneState.STOPPING);
                operations.publish(ResourceKind.DATA_PLANE, ResourceChange.CHANGED, "",
                    "is " + word(DataPlaneState.STOPPING));
            }
            stop();
        }
    }

    private void stop()
    {
        RuntimeException failure = null;
        while (!started.isEmpty())
        {
            try
            {
                started.pop().close();
            }
            catch (final Exception e)
            {
                if (null == failure)
                {
                    failure = new IllegalStateException("data plane cannot be stopped cleanly: " + e.getMessage(), e);
                }
                else
                {
                    failure.addSuppressed(e);
                }
            }
        }
        if (null != failure)
        {
            throw failure;
        }
    }
}

package io.millrace.dataplane;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.fault.FaultDevice;
import io.millrace.block.file.FileDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.nullblock.NullDevice;
import io.millrace.memory.BufferPool;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.Namespace;
import io.millrace.nvmf.PollGroup;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.SubsystemConfig;
import io.millrace.nvmf.Target;
import io.millrace.nvmf.TargetListener;
import io.millrace.nvmf.TransportAddress;
import io.millrace.nvmf.tcp.TcpTransport;
import io.millrace.reactor.CpuAffinity;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;

/**
 * A running data plane: reactors, memory, devices, subsystems and listeners as one {@link DataPlaneConfig} declares
 * them. Started and closed off the reactors; its other methods answer from any thread.
 */
public final class DataPlane implements AutoCloseable
{
    private static final Set<String> DEVICE_SETTINGS = Set.of("path", "size", "block-size", "queue-depth", "polling");

    private final DataPlaneConfig config;
    private final TargetListener listener;
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final List<Reactor> reactors = new ArrayList<>();
    private final List<PollGroup> groups = new ArrayList<>();
    private final Map<String, BlockDevice> devices = new HashMap<>();
    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final List<InetSocketAddress> discoveryAddresses = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private Target target;

    private DataPlane(final DataPlaneConfig config, final TargetListener listener)
    {
        this.config = config;
        this.listener = listener;
    }

    /**
     * Starts everything, or nothing.
     *
     * @param config of it.
     * @return a data plane that listens.
     * @throws SettingException naming the setting that could not be had; everything begun has been undone.
     */
    public static DataPlane start(final DataPlaneConfig config)
    {
        return start(config, TargetListener.NONE);
    }

    /**
     * Starts everything, or nothing.
     *
     * @param config   of it.
     * @param listener told of hosts that come and go, on reactors.
     * @return a data plane that listens.
     * @throws SettingException naming the setting that could not be had; everything begun has been undone.
     */
    public static DataPlane start(final DataPlaneConfig config, final TargetListener listener)
    {
        final DataPlane dataPlane = new DataPlane(config, listener);
        try
        {
            dataPlane.begin();
        }
        catch (final RuntimeException | Error e)
        {
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
        checkCpus();
        final DmaMemory memory = mapMemory();
        for (int i = 0; i < config.devices().size(); i++)
        {
            openDevice(i, memory);
        }
        target = new Target(config.limits(), listener);
        config.subsystems().forEach(this::addSubsystem);
        for (int i = 0; i < config.reactors().size(); i++)
        {
            startReactor(i, memory);
        }
        final TcpTransport tcp = new TcpTransport(target, groups, config.tcp());
        started.push(tcp);
        for (int i = 0; i < config.listeners().size(); i++)
        {
            addresses.add(listen(tcp, config.listeners().get(i).address(), "listeners[" + i + "].port",
                "stop what listens there or take another port"));
        }
        if (DataPlaneConfig.NO_DISCOVERY_PORT != config.discoveryPort())
        {
            listenForDiscovery(tcp);
        }
    }

    private void checkCpus()
    {
        final BitSet allowed = CpuAffinity.allowed();
        for (int i = 0; i < config.reactors().size(); i++)
        {
            final ReactorConfig reactor = config.reactors().get(i);
            if (reactor.cpu() >= 0 && !allowed.get(reactor.cpu()))
            {
                throw new SettingException("reactors[" + i + "].cpu", reactor.cpu(),
                    "not among the CPUs this process may run on, " + CpuAffinity.format(allowed),
                    "use one of them, or any");
            }
        }
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
            notes.add(memory.note());
        }
        return memory;
    }

    private void openDevice(final int index, final DmaMemory memory)
    {
        final DeviceConfig declared = config.devices().get(index);
        final BlockDevice device;
        try
        {
            device = open(declared, memory);
        }
        catch (final BlockDeviceException e)
        {
            throw refused("devices[" + index + "]", declared.name(), e);
        }
        if (declared instanceof final DeviceConfig.Fault fault)
        {
            // The wrapping device closes the wrapped one.
            started.remove(devices.get(fault.device()));
        }
        started.push(device);
        devices.put(declared.name(), device);
    }

    /** Devices name themselves first, then the setting: the key says both. */
    private static SettingException refused(final String key, final String name, final BlockDeviceException e)
    {
        final String prefix = "device " + name + ": ";
        final String problem = e.getMessage().startsWith(prefix) ?
            e.getMessage().substring(prefix.length()) : e.getMessage();
        final String first = problem.substring(0, Math.max(0, problem.indexOf(' ')));
        return new SettingException(DEVICE_SETTINGS.contains(first) ? key + "." + first : key, null, problem, "", e);
    }

    private BlockDevice open(final DeviceConfig declared, final DmaMemory memory)
    {
        return switch (declared)
        {
            case final DeviceConfig.Memory m -> MemoryDevice.create(m.name(), m.sizeBytes(), m.blockSize());
            case final DeviceConfig.Null n -> NullDevice.create(n.name(), n.sizeBytes(), n.blockSize());
            case final DeviceConfig.File f ->
            {
                final FileDevice file = FileDevice.open(f.settings().withRegisteredMemory(List.of(memory)));
                notes.addAll(file.notes());
                yield file;
            }
            case final DeviceConfig.Fault f -> FaultDevice.wrap(f.name(), devices.get(f.device()), f.plan());
        };
    }

    private void addSubsystem(final SubsystemSettings settings)
    {
        final Subsystem subsystem = new Subsystem(new SubsystemConfig(
            settings.nqn(),
            settings.allowAnyHost(),
            Set.copyOf(settings.hosts()),
            null == settings.serial() ? SubsystemConfig.serialNumberOf(settings.nqn()) : settings.serial(),
            settings.model()));
        for (final SubsystemSettings.NamespaceSettings namespace : settings.namespaces())
        {
            final BlockDevice device = devices.get(namespace.device());
            subsystem.addNamespace(null == namespace.uuid() ?
                Namespace.of(settings.nqn(), namespace.nsid(), device) :
                new Namespace(namespace.nsid(), device, namespace.uuid()));
        }
        target.addSubsystem(subsystem);
    }

    private void startReactor(final int index, final DmaMemory memory)
    {
        final int bufferBytes = config.limits().maxTransferBytes();
        final long poolBytes = config.memoryBytes() / config.reactors().size() & -bufferBytes;
        final ReactorConfig settings = config.reactors().get(index);
        final Reactor reactor = new Reactor(settings);
        try
        {
            reactor.start();
        }
        catch (final ReactorException e)
        {
            throw new SettingException("reactors[" + index + "]", settings.name(), e.getMessage(), "", e);
        }
        started.push(reactor);
        reactors.add(reactor);
        final long poolAddress = memory.allocate(poolBytes, bufferBytes);
        final PollGroup group = on(reactor, () ->
        {
            final BufferPool buffers = new BufferPool(poolAddress, poolBytes, bufferBytes);
            reactor.addPoller(buffers);
            return new PollGroup(reactor, target, buffers);
        });
        groups.add(group);
        started.push(() -> on(reactor, () ->
        {
            group.close();
            reactor.removePoller(group.buffers());
            return null;
        }));
    }

    private static <T> T on(final Reactor reactor, final Callable<T> task)
    {
        try
        {
            return reactor.call(task).join();
        }
        catch (final CompletionException e)
        {
            if (e.getCause() instanceof final RuntimeException cause)
            {
                throw cause;
            }
            throw new IllegalStateException("reactor " + reactor.config().name() + " could not be prepared", e);
        }
    }

    private static InetSocketAddress listen(
        final TcpTransport tcp, final InetSocketAddress address, final String key, final String remedy)
    {
        try
        {
            return tcp.listen(address);
        }
        catch (final IllegalStateException e)
        {
            final String where = ListenerSettings.text(address);
            throw switch (e.getCause() instanceof final NativeException cause ? cause.errno() : 0)
            {
                case Errno.EADDRINUSE -> new SettingException(key, where, "already in use", remedy, e);
                case Errno.EACCES -> new SettingException(key, where, "may not be listened on by this user",
                    "use a port of 1024 or above", e);
                case Errno.EADDRNOTAVAIL -> new SettingException(key, where, "no address of this machine",
                    "use one that 'ip address' shows, or 0.0.0.0", e);
                default -> new SettingException(key, where, e.getMessage(), "", e);
            };
        }
    }

    private void listenForDiscovery(final TcpTransport tcp)
    {
        final Set<InetAddress> hosts = new LinkedHashSet<>();
        config.listeners().forEach((each) -> hosts.add(each.address().getAddress()));
        for (final InetAddress host : hosts)
        {
            final InetSocketAddress address = listen(tcp, new InetSocketAddress(host, config.discoveryPort()),
                "discovery", "set discovery: false, or stop what listens there; listeners answer discovery in any " +
                    "case");
            discoveryAddresses.add(address);
            // Found by its well-known port; the log it answers with names the listeners that carry I/O.
            target.removeListener(TransportAddress.tcp(address.getAddress().getHostAddress(), address.getPort()));
        }
    }

    /**
     * {@return what it was started with}
     */
    public DataPlaneConfig config()
    {
        return config;
    }

    /**
     * {@return what is served}
     */
    public Target target()
    {
        return target;
    }

    /**
     * {@return the reactors, in the order of the configuration}
     */
    public List<Reactor> reactors()
    {
        return List.copyOf(reactors);
    }

    /**
     * {@return the devices by the name they are declared under}
     */
    public Map<String, BlockDevice> devices()
    {
        return Map.copyOf(devices);
    }

    /**
     * {@return where it listens, in the order of the configuration, ports as taken}
     */
    public List<InetSocketAddress> addresses()
    {
        return List.copyOf(addresses);
    }

    /**
     * {@return where discovery is answered besides; empty when nowhere}
     */
    public List<InetSocketAddress> discoveryAddresses()
    {
        return List.copyOf(discoveryAddresses);
    }

    /**
     * {@return what an operator should know: each a sentence that says what is off, why, and what to do}
     */
    public List<String> notes()
    {
        return List.copyOf(notes);
    }

    /**
     * Stops listening, ends every connection, lets devices finish what they have, and frees everything. Again does
     * nothing.
     */
    @Override
    public synchronized void close()
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

package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.dataplane.snapshot.HostSnapshot;
import io.millrace.dataplane.snapshot.ListenerSnapshot;
import io.millrace.dataplane.snapshot.SubsystemSnapshot;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.ana.AnaSnapshot;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * Random operations against a model that knows what must come of each, while a host writes and verifies a volume that
 * none of them touches.
 */
class OperationsPropertyTest
{
    private static final int NAMES = 4;
    private static final int BLOCKS = 64;

    /** What should be there. */
    private static final class Model
    {
        final TreeMap<String, Long> devices = new TreeMap<>();
        final Map<String, String> wrapped = new HashMap<>();
        final Map<String, String> users = new HashMap<>();
        final TreeMap<String, TreeMap<Integer, String>> subsystems = new TreeMap<>();
        final Map<String, TreeSet<String>> hosts = new HashMap<>();
        final List<TransportAddress> listeners = new ArrayList<>();
        /** By subsystem, address and group; what is missing is optimized. */
        final Map<String, Map<String, AnaState>> ana = new HashMap<>();
    }

    /** Where states are set for; null is everywhere. */
    private static final TransportAddress[] ANA_LISTENERS = {
        null, TransportAddress.tcp("127.0.0.1", 4420),
        TransportAddress.tcp("127.0.0.1", 4421)};

    @Property(tries = 12)
    void shouldEndAsTheModelWhileIoGoesOn(
        @ForAll @Size(min = 20, max = 120) final List<@IntRange(min = 0, max = 1 << 24) Integer> history)
    {
        new OperationsFixture().close();
        final long before = OperationsFixture.descriptors();
        try (OperationsFixture fixture = new OperationsFixture())
        {
            final TransportAddress address = fixture.serveVolume();
            final Model model = new Model();
            final AtomicBoolean isOver = new AtomicBoolean();
            final AtomicLong rounds = new AtomicLong();
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final Thread host = Thread.ofPlatform().name("verifier").start(
                () -> verify(fixture, address, isOver, rounds, failure));
            try
            {
                OperationsFixture.until("I/O to begin", () -> rounds.get() > 0 || null != failure.get());
                history.forEach((step) -> step(fixture, model, step));
                final long after = rounds.get() + 2;
                OperationsFixture.until("I/O to go on", () -> rounds.get() > after || null != failure.get());
            }
            finally
            {
                isOver.set(true);
                join(host);
            }
            if (null != failure.get())
            {
                throw new AssertionError("verified I/O failed", failure.get());
            }
            compare(fixture.dataPlane, model);
            deleteAll(fixture, model);
        }
        OperationsFixture.until("descriptors to be closed", () -> OperationsFixture.descriptors() <= before);
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join(30_000);
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
        assertEquals(false, thread.isAlive());
    }

    /** Writes a block with bytes of its own, reads it back, compares; again and again, on two queues. */
    private static void verify(
        final OperationsFixture fixture,
        final TransportAddress address,
        final AtomicBoolean isOver,
        final AtomicLong rounds,
        final AtomicReference<Throwable> failure)
    {
        final int blockBytes = OperationsFixture.BLOCK;
        final MemorySegment written = fixture.arena.allocate(blockBytes, blockBytes);
        final MemorySegment read = fixture.arena.allocate(blockBytes, blockBytes);
        final Random random = TestSeeds.random();
        try (RemoteController controller = fixture.connect(address))
        {
            final List<RemoteQueuePair> queues = List.of(fixture.queue(controller), fixture.queue(controller));
            while (!isOver.get())
            {
                final long lba = random.nextInt(256);
                for (int offset = 0; offset < blockBytes; offset += Long.BYTES)
                {
                    written.set(ValueLayout.JAVA_LONG, offset, random.nextLong());
                }
                assertEquals(0, fixture.run(queues.get(0), (r) -> r.write(1, lba, 1, written.address(), blockBytes)));
                assertEquals(0, fixture.run(queues.get(1), (r) -> r.read(1, lba, 1, read.address(), blockBytes)));
                assertEquals(-1, written.mismatch(read), "block " + lba);
                rounds.incrementAndGet();
            }
        }
        catch (final Throwable t)
        {
            failure.set(t);
        }
    }

    private void step(final OperationsFixture fixture, final Model model, final int step)
    {
        final DataPlane dataPlane = fixture.dataPlane;
        final String device = "dev" + (step >>> 8) % NAMES;
        final String other = "dev" + (step >>> 11) % NAMES;
        final String nqn = "nqn.2026-11.io.millrace:random" + (step >>> 14) % 2;
        final int nsid = 1 + (step >>> 16) % 3;
        final String host = "nqn.2026-11.io.millrace:host" + (step >>> 18) % 2;
        switch (step % 15)
        {
            case 12, 13 -> setAna(dataPlane, model, nqn, (step >>> 8) % 3, (step >>> 10) % 4, (step >>> 16) % 5);
            case 0, 1 -> createMemory(dataPlane, model, device, step >>> 20);
            case 2 -> createFault(dataPlane, model, device, other);
            case 3 -> deleteDevice(dataPlane, model, device);
            case 4 -> resize(dataPlane, model, device, (step >>> 16) % (4 * BLOCKS));
            case 5 -> setFaults(dataPlane, model, device);
            case 6 -> createSubsystem(dataPlane, model, nqn);
            case 7 -> deleteSubsystem(dataPlane, model, nqn, step >>> 22);
            case 8, 9 -> addNamespace(dataPlane, model, nqn, nsid, device);
            case 10 -> removeNamespace(dataPlane, model, nqn, nsid);
            case 14 -> limit(fixture, step >>> 8);
            default -> accessOrListen(dataPlane, model, nqn, host, step >>> 20);
        }
    }

    private static Reason outcome(final Runnable operation)
    {
        try
        {
            operation.run();
            return null;
        }
        catch (final OperationException e)
        {
            return e.reason();
        }
    }

    private void createMemory(final DataPlane dataPlane, final Model model, final String device, final int size)
    {
        final long sizeBytes = (1L + size % BLOCKS) * OperationsFixture.BLOCK;
        final Reason expected = model.devices.containsKey(device) ? Reason.EXISTS : null;
        assertEquals(expected, outcome(() -> dataPlane.devices().create(
            DeviceConfig.memory(device, sizeBytes, OperationsFixture.BLOCK))));
        model.devices.putIfAbsent(device, sizeBytes);
    }

    private void createFault(final DataPlane dataPlane, final Model model, final String device, final String inner)
    {
        final Reason expected = model.devices.containsKey(device) ? Reason.EXISTS :
            !model.devices.containsKey(inner) ? Reason.NOT_FOUND :
            model.users.containsKey(inner) ? Reason.IN_USE : null;
        assertEquals(expected, outcome(() -> dataPlane.devices().create(
            DeviceConfig.fault(device, inner, FaultPlan.NONE))));
        if (null == expected)
        {
            model.devices.put(device, model.devices.get(inner));
            model.wrapped.put(device, inner);
            model.users.put(inner, "device " + device);
        }
    }

    private void deleteDevice(final DataPlane dataPlane, final Model model, final String device)
    {
        final Reason expected = !model.devices.containsKey(device) ? Reason.NOT_FOUND :
            model.users.containsKey(device) ? Reason.IN_USE : null;
        assertEquals(expected, outcome(() -> dataPlane.devices().delete(device)));
        if (null == expected)
        {
            model.devices.remove(device);
            final String inner = model.wrapped.remove(device);
            if (null != inner)
            {
                model.users.remove(inner);
            }
        }
    }

    private void resize(final DataPlane dataPlane, final Model model, final String device, final int blocks)
    {
        final long sizeBytes = (long)blocks * OperationsFixture.BLOCK;
        final Reason expected = !model.devices.containsKey(device) ? Reason.NOT_FOUND :
            model.wrapped.containsKey(device) ? Reason.UNSUPPORTED :
            sizeBytes < model.devices.get(device) ? Reason.INVALID : null;
        assertEquals(expected, outcome(() ->
            OperationsFixture.get(dataPlane.devices().resize(device, sizeBytes))));
        if (null == expected)
        {
            model.devices.put(device, sizeBytes);
            String user = device;
            while (model.users.getOrDefault(user, "").startsWith("device "))
            {
                user = model.users.get(user).substring("device ".length());
                model.devices.put(user, sizeBytes);
            }
        }
    }

    private void setFaults(final DataPlane dataPlane, final Model model, final String device)
    {
        final Reason expected = !model.devices.containsKey(device) ? Reason.NOT_FOUND :
            model.wrapped.containsKey(device) ? null : Reason.INVALID;
        assertEquals(expected, outcome(() -> OperationsFixture.get(OperationsFixture.setFaults(
            dataPlane.devices(), device, FaultPlan.of(3, FaultRule.error(BlockStatus.MEDIA_ERROR))))));
    }

    private void setAna(
        final DataPlane dataPlane,
        final Model model,
        final String nqn,
        final int listener,
        final int group,
        final int state)
    {
        final AnaState wanted = AnaState.values()[state];
        // One group more than there is stands for those that are not there.
        final int chosen = 3 == group ? Namespace.ANA_GROUP_MAX + 1 : group;
        final Reason expected = !model.subsystems.containsKey(nqn) ? Reason.NOT_FOUND :
            3 == group ? Reason.INVALID : null;
        assertEquals(expected, outcome(() -> OperationsFixture.get(
            dataPlane.anaStates().set(nqn, ANA_LISTENERS[listener], chosen, wanted))));
        if (null == expected)
        {
            for (int at = 0; at < ANA_LISTENERS.length; at++)
            {
                for (int each = 1; each <= 2; each++)
                {
                    if ((0 == listener || at == listener) && (0 == group || each == group))
                    {
                        model.ana.get(nqn).put(at + "/" + each, wanted);
                    }
                }
            }
        }
    }

    /** The states of two groups, as a client would know them from the list. */
    private static Map<String, AnaState> listed(final DataPlane dataPlane, final String nqn)
    {
        final Map<String, AnaState> states = new HashMap<>();
        final List<AnaSnapshot> list = dataPlane.anaStates().list(nqn);
        for (int at = 0; at < ANA_LISTENERS.length; at++)
        {
            final TransportAddress listener = ANA_LISTENERS[at];
            final String address = null == listener ? null : listener.hostAndPort();
            final List<AnaSnapshot> own = list.stream().filter((each) -> null == each.listener() ?
                null == address : each.listener().hostAndPort().equals(address)).toList();
            final List<AnaSnapshot> effective = own.isEmpty() ?
                list.stream().filter((each) -> null == each.listener()).toList() : own;
            for (final AnaSnapshot each : effective)
            {
                states.put(at + "/" + each.group(), each.state());
            }
        }
        return states;
    }

    private static Map<String, AnaState> notOptimized(final Map<String, AnaState> states)
    {
        final Map<String, AnaState> result = new TreeMap<>(states);
        result.entrySet().removeIf((each) -> AnaState.OPTIMIZED == each.getValue() ||
            !each.getKey().endsWith("/1") && !each.getKey().endsWith("/2"));
        return result;
    }

    private void createSubsystem(final DataPlane dataPlane, final Model model, final String nqn)
    {
        final Reason expected = model.subsystems.containsKey(nqn) ? Reason.EXISTS : null;
        assertEquals(expected, outcome(() ->
            dataPlane.subsystems().create(OperationsFixture.settings(nqn, false))));
        model.subsystems.putIfAbsent(nqn, new TreeMap<>());
        model.hosts.putIfAbsent(nqn, new TreeSet<>());
        model.ana.putIfAbsent(nqn, new HashMap<>());
    }

    private void deleteSubsystem(final DataPlane dataPlane, final Model model, final String nqn, final int often)
    {
        if (0 != often % 2)
        {
            return;
        }
        final Reason expected = model.subsystems.containsKey(nqn) ? null : Reason.NOT_FOUND;
        assertEquals(expected, outcome(() -> OperationsFixture.get(dataPlane.subsystems().delete(nqn))));
        if (null == expected)
        {
            model.subsystems.remove(nqn).values().forEach(model.users::remove);
            model.hosts.remove(nqn);
            model.ana.remove(nqn);
        }
    }

    private void addNamespace(
        final DataPlane dataPlane, final Model model, final String nqn, final int nsid, final String device)
    {
        final TreeMap<Integer, String> namespaces = model.subsystems.get(nqn);
        final Reason expected = null == namespaces ? Reason.NOT_FOUND :
            namespaces.containsKey(nsid) ? Reason.EXISTS :
            !model.devices.containsKey(device) ? Reason.NOT_FOUND :
            model.users.containsKey(device) ? Reason.IN_USE : null;
        assertEquals(expected, outcome(() -> dataPlane.namespaces().add(nqn,
            new SubsystemSettings.NamespaceSettings(nsid, device, null))));
        if (null == expected)
        {
            namespaces.put(nsid, device);
            model.users.put(device, "namespace " + nqn + '/' + nsid);
        }
    }

    private void removeNamespace(final DataPlane dataPlane, final Model model, final String nqn, final int nsid)
    {
        final TreeMap<Integer, String> namespaces = model.subsystems.get(nqn);
        final Reason expected =
            null == namespaces || !namespaces.containsKey(nsid) ? Reason.NOT_FOUND : null;
        final List<CompletableFuture<Void>> removed = new ArrayList<>();
        assertEquals(expected, outcome(() -> removed.add(dataPlane.namespaces().remove(nqn, nsid))));
        if (null == expected)
        {
            OperationsFixture.get(removed.getFirst());
            model.users.remove(namespaces.remove(nsid));
        }
    }

    /** Limits of the volume that the host verifies. */
    private void limit(final OperationsFixture fixture, final int choice)
    {
        final QosLimits limits = switch (choice % 4)
        {
            case 0 -> QosLimits.NONE;
            case 1 -> QosLimits.ofIops(500 + choice % 1000);
            case 2 -> QosLimits.ofBytes(1 << 22);
            default -> new QosLimits(2000, 1000, 0, 1 << 23, 0, 0, 5);
        };
        final Qos qos = fixture.dataPlane.qos();
        OperationsFixture.get(0 == choice / 4 % 2 ? qos.setNamespace(OperationsFixture.NQN, 1, limits) :
            qos.setHost(OperationsFixture.NQN, fixture.host.hostNqn(), limits));
    }

    private void accessOrListen(
        final DataPlane dataPlane, final Model model, final String nqn, final String host, final int choice)
    {
        final TreeSet<String> hosts = model.hosts.get(nqn);
        switch (choice % 4)
        {
            case 0 ->
            {
                final Reason expected = null == hosts ? Reason.NOT_FOUND : hosts.contains(host) ? Reason.EXISTS : null;
                assertEquals(expected, outcome(() -> dataPlane.hosts().allow(nqn, host)));
                if (null == expected)
                {
                    hosts.add(host);
                }
            }
            case 1 ->
            {
                final Reason expected = null == hosts || !hosts.remove(host) ? Reason.NOT_FOUND : null;
                assertEquals(expected, outcome(() -> OperationsFixture.get(dataPlane.hosts().deny(nqn, host))));
            }
            case 2 -> model.listeners.add(dataPlane.listeners().add(OperationsFixture.anyPort(), 0 == choice % 8));
            default ->
            {
                if (!model.listeners.isEmpty())
                {
                    dataPlane.listeners().remove(model.listeners.removeLast());
                }
            }
        }
    }

    private void compare(final DataPlane dataPlane, final Model model)
    {
        final TreeMap<String, Long> devices = new TreeMap<>();
        final Map<String, String> users = new HashMap<>();
        for (final DeviceSnapshot device : dataPlane.devices().list())
        {
            if (!device.name().equals("mem0"))
            {
                devices.put(device.name(), device.geometry().sizeBytes());
                if (null != device.user())
                {
                    users.put(device.name(), device.user());
                }
            }
        }
        assertEquals(model.devices, devices);
        assertEquals(model.users, users);
        final TreeMap<String, TreeMap<Integer, String>> subsystems = new TreeMap<>();
        dataPlane.subsystems().list().stream().map(SubsystemSnapshot::nqn)
            .filter((nqn) -> !nqn.equals(OperationsFixture.NQN)).forEach((nqn) ->
            {
                subsystems.put(nqn, new TreeMap<>());
                for (final NamespaceSnapshot namespace : dataPlane.namespaces().list(nqn))
                {
                    subsystems.get(nqn).put(namespace.nsid(), namespace.device());
                    assertEquals((long)model.devices.get(namespace.device()), namespace.sizeBytes());
                }
                assertEquals(List.copyOf(model.hosts.get(nqn)),
                    dataPlane.hosts().list(nqn).stream().map(HostSnapshot::hostNqn).toList());
                assertEquals(notOptimized(model.ana.get(nqn)), notOptimized(listed(dataPlane, nqn)));
            });
        assertEquals(model.subsystems, subsystems);
        assertEquals(model.listeners, dataPlane.listeners().list().stream().skip(1)
            .map(ListenerSnapshot::address).toList());
    }

    private void deleteAll(final OperationsFixture fixture, final Model model)
    {
        final DataPlane dataPlane = fixture.dataPlane;
        dataPlane.subsystems().list().forEach((each) ->
            OperationsFixture.get(dataPlane.subsystems().delete(each.nqn())));
        while (!dataPlane.devices().list().isEmpty())
        {
            dataPlane.devices().list().stream().filter((each) -> null == each.user())
                .forEach((each) -> dataPlane.devices().delete(each.name()));
        }
        dataPlane.listeners().list().forEach((each) -> dataPlane.listeners().remove(each.address()));
        OperationsFixture.until("the reactors to hold nothing", () -> dataPlane.reactorSnapshots().stream()
            .allMatch((each) -> 0 == each.requests() && 0 == each.poolUsedBytes() && 0 == each.connections()));
    }
}

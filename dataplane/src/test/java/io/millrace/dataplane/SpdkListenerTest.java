package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.config.SubsystemSettings.NamespaceSettings;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.dataplane.snapshot.ListenerSnapshot;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.ControllerState;
import io.millrace.nvmf.initiator.Discovery;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.qos.QosLimits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.spdk.SpdkFrontEnd;
import io.millrace.spdk.SpdkTesting;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Listeners that SPDK's NVMe-oF target serves, beside those of Millrace's own.
 */
@Tag("spdk")
class SpdkListenerTest
{
    private static final int BLOCK = 4096;
    private static final long SIZE_BYTES = 4 << 20;
    private static final long BLOCKS = SIZE_BYTES / BLOCK;
    private static final String STRANGER = "nqn.2026-11.io.millrace:stranger";

    private final String nqn = SpdkTesting.name("nqn.2026-11.io.millrace:both");
    private final String vol0 = SpdkTesting.name("Shared");
    private final String vol1 = SpdkTesting.name("Shared");
    private final TransportAddress spdk = TransportAddress.tcp("127.0.0.1", SpdkFrontEnd.freePort());
    private final HostFixture host = new HostFixture();
    private DataPlane dataPlane;
    private TransportAddress own;

    @BeforeEach
    void start()
    {
        SpdkTesting.runtime();
        dataPlane = DataPlane.start(SpdkFrontEnd.config(List.of(DeviceConfig.memory(vol0, SIZE_BYTES, BLOCK),
            DeviceConfig.memory(vol1, SIZE_BYTES, BLOCK)), List.of(), null));
        dataPlane.subsystems().create(subsystem(true, new NamespaceSettings(1, vol0, null)));
        own = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK);
    }

    @AfterEach
    void stop()
    {
        host.close();
        dataPlane.close();
        assertEquals("", leftOfSpdk());
    }

    /** What SPDK still has of this data plane. */
    private String leftOfSpdk()
    {
        final String subsystems = SpdkTesting.rpc("nvmf_get_subsystems", "");
        final String bdevs = SpdkTesting.rpc("bdev_get_bdevs", "");
        return (subsystems.contains(nqn) || subsystems.contains('"' + spdk.serviceId() + '"') ? subsystems : "") +
            (bdevs.contains('"' + vol0 + '"') || bdevs.contains('"' + vol1 + '"') ? bdevs : "");
    }

    private SubsystemSettings subsystem(final boolean allowAnyHost, final NamespaceSettings... namespaces)
    {
        return new SubsystemSettings(nqn, "SERIAL-7", "Model 7", allowAnyHost, List.of(), List.of(namespaces));
    }

    private ConnectionConfig to(final TransportAddress address)
    {
        return ConnectionConfig.to(address.socketAddress(), nqn).keepAliveMs(2_000).build();
    }

    private static void assertRefused(final Reason reason, final String part, final Runnable operation)
    {
        final OperationException e = assertThrows(OperationException.class, operation::run);
        assertEquals(reason, e.reason(), e.getMessage());
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    @Test
    void shouldShowTheSameSubsystemAtBothTargets()
    {
        try (RemoteController first = host.connect(to(own)); RemoteController second = host.connect(to(spdk)))
        {
            final NamespaceInfo here = Waits.get(first.namespace(1));
            final NamespaceInfo there = Waits.get(second.namespace(1));
            assertEquals(here.identity(), there.identity());
            assertEquals(here.sizeBytes(), there.sizeBytes());
            assertEquals(here.blockShift(), there.blockShift());
            assertEquals(here.anaGroup(), there.anaGroup());
            assertTrue(there.shared());
            assertEquals(first.info().serialNumber(), second.info().serialNumber());
            assertEquals(first.info().modelNumber(), second.info().modelNumber());
            assertNotEquals(first.info().controllerId(), second.info().controllerId());

            final RemoteQueuePair hereQueue = host.queue(first);
            final RemoteQueuePair thereQueue = host.queue(second);
            final MemorySegment data = host.memory(BLOCK);
            for (int i = 0; i < 64; i++)
            {
                final long lba = i;
                data.set(ValueLayout.JAVA_LONG, 0, 100 + i);
                assertEquals(0, host.run(0 == i % 2 ? hereQueue : thereQueue,
                    (r) -> r.write(1, lba, 1, data.address(), BLOCK)));
                data.fill((byte)0);
                assertEquals(0, host.run(0 == i % 2 ? thereQueue : hereQueue,
                    (r) -> r.read(1, lba, 1, data.address(), BLOCK)));
                assertEquals(100 + i, data.get(ValueLayout.JAVA_LONG, 0));
            }
            assertEquals(0, host.run(thereQueue, (r) -> r.flush(1)));
        }
        assertEquals(List.of(new ListenerSnapshot(own, false),
            new ListenerSnapshot(spdk, false, true, ListenerProvider.SPDK)), dataPlane.listeners().list());
        assertEquals("namespace " + nqn + "/1", dataPlane.devices().get(vol0).user());
    }

    @Test
    void shouldNameTheListenersOfSpdkInDiscovery()
    {
        final var entries = Waits.get(
            Discovery.discover(host.group, HostFixture.HOST, own.socketAddress(), 5_000));
        assertEquals(1, entries.stream().filter((each) -> nqn.equals(each.subsystemNqn()) &&
            spdk.serviceId().equals(each.service()) && "127.0.0.1".equals(each.address())).count());
        assertEquals(1, entries.stream().filter((each) -> nqn.equals(each.subsystemNqn()) &&
            own.serviceId().equals(each.service())).count());
        dataPlane.listeners().remove(spdk);
        assertTrue(Waits.get(Discovery.discover(host.group, HostFixture.HOST, own.socketAddress(), 5_000)).stream()
            .noneMatch((each) -> spdk.serviceId().equals(each.service())));
        dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK);
        final var ofSpdk = Waits.get(
            Discovery.discover(host.group, HostFixture.HOST, spdk.socketAddress(), 5_000));
        assertTrue(ofSpdk.stream().anyMatch((each) -> nqn.equals(each.subsystemNqn())), ofSpdk::toString);
    }

    @Test
    void shouldFollowNamespacesAndSizes()
    {
        final AtomicInteger events = new AtomicInteger();
        try (RemoteController controller = Waits.get(RemoteController.connect(
            host.group, HostFixture.HOST, to(spdk), new ControllerListener()
            {
                @Override
                public void onAsyncEvent(final RemoteController from, final int event)
                {
                    events.incrementAndGet();
                }
            })))
        {
            final UUID uuid = UUID.randomUUID();
            dataPlane.namespaces().add(nqn, new NamespaceSettings(7, vol1, uuid, 3));
            Waits.until("namespace 7", () -> 2 == Waits.get(controller.namespaces()).size() && events.get() > 0);
            final NamespaceInfo added = Waits.get(controller.namespace(7));
            assertEquals(uuid.toString(), added.identity().uuid());
            assertEquals(3, added.anaGroup());

            final int before = events.get();
            Waits.get(dataPlane.devices().resize(vol1, 2 * SIZE_BYTES));
            Waits.until("larger namespace", () ->
                2 * SIZE_BYTES == Waits.get(controller.namespace(7)).sizeBytes() && events.get() > before);
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            assertEquals(0, host.run(queue, (r) -> r.write(7, 2 * BLOCKS - 1, 1, data.address(), BLOCK)));

            Waits.get(dataPlane.namespaces().remove(nqn, 7));
            Waits.until("no namespace 7", () -> 1 == Waits.get(controller.namespaces()).size());
            assertNotEquals(0, host.run(queue, (r) -> r.read(7, 0, 1, data.address(), BLOCK)));
            dataPlane.devices().delete(vol1);
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
        }
    }

    @Test
    void shouldFollowSubsystems()
    {
        Waits.get(dataPlane.subsystems().delete(nqn));
        assertThrows(AssertionError.class, () -> host.connect(to(spdk)));
        assertThrows(AssertionError.class, () -> host.connect(to(own)));
        dataPlane.subsystems().create(subsystem(true, new NamespaceSettings(2, vol0, null)));
        try (RemoteController controller = host.connect(to(spdk)))
        {
            assertEquals(2, Waits.get(controller.namespaces()).getFirst().nsid());
        }
    }

    @Test
    void shouldFollowHosts()
    {
        try (RemoteController controller = host.connect(to(spdk)))
        {
            Waits.get(dataPlane.hosts().allowAny(nqn, false));
            // All have to connect again, and none may.
            Waits.until("disconnected", () -> controller.reconnectCount() > 0 ||
                ControllerState.LIVE != controller.state());
            assertThrows(AssertionError.class, () -> host.connect(to(spdk)));
            dataPlane.hosts().allow(nqn, HostFixture.HOST.hostNqn());
            Waits.until("connected again", () ->
                ControllerState.LIVE == controller.state());
            assertThrows(AssertionError.class, () -> Waits.get(RemoteController.connect(host.group,
                new HostConfig(STRANGER, UUID.randomUUID()), to(spdk), ControllerListener.NONE)));
            Waits.get(dataPlane.hosts().deny(nqn, HostFixture.HOST.hostNqn()));
            Waits.until("disconnected again", () ->
                ControllerState.LIVE != controller.state());
        }
        Waits.get(dataPlane.hosts().allowAny(nqn, true));
        connectStranger(nqn);
        final String closed = SpdkTesting.name("nqn.2026-11.io.millrace:closed");
        dataPlane.subsystems().create(new SubsystemSettings(closed, null, null, false, List.of(), List.of()));
        assertThrows(AssertionError.class, () -> connectStranger(closed));
        Waits.get(dataPlane.subsystems().delete(closed));
    }

    private void connectStranger(final String to)
    {
        Waits.get(RemoteController.connect(host.group, new HostConfig(STRANGER, UUID.randomUUID()),
            ConnectionConfig.to(spdk.socketAddress(), to).build(), ControllerListener.NONE)).close();
    }

    @Test
    void shouldFollowAnaStates()
    {
        try (RemoteController controller = host.connect(to(spdk)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            assertEquals(AnaState.OPTIMIZED, Waits.get(controller.anaState(1)));
            assertEquals("", Waits.get(dataPlane.anaStates().set(nqn, spdk, 1, AnaState.NON_OPTIMIZED)));
            assertEquals(AnaState.NON_OPTIMIZED, Waits.get(controller.anaState(1)));
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
            for (final AnaState each : List.of(AnaState.INACCESSIBLE, AnaState.PERSISTENT_LOSS, AnaState.CHANGE))
            {
                assertEquals("", Waits.get(dataPlane.anaStates().set(nqn, null, 0, each)));
                assertEquals(AnaState.INACCESSIBLE, Waits.get(controller.anaState(1)));
                assertEquals(NvmeStatus.code(NvmeStatus.ASYMMETRIC_ACCESS_INACCESSIBLE),
                    NvmeStatus.code(host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK))));
            }
            assertEquals("", Waits.get(dataPlane.anaStates().set(nqn, null, 0, AnaState.OPTIMIZED)));
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
        }
        // A namespace that comes later has the state of its group, a listener those that were set before.
        dataPlane.anaStates().set(nqn, spdk, 3, AnaState.NON_OPTIMIZED);
        dataPlane.namespaces().add(nqn, new NamespaceSettings(2, vol1, null, 3));
        final TransportAddress later = TransportAddress.tcp("127.0.0.1", SpdkFrontEnd.freePort());
        dataPlane.anaStates().set(nqn, later, 1, AnaState.NON_OPTIMIZED);
        dataPlane.listeners().add(later, false, ListenerProvider.SPDK);
        try (RemoteController controller = host.connect(to(later)); RemoteController first = host.connect(to(spdk)))
        {
            assertEquals(AnaState.NON_OPTIMIZED, Waits.get(controller.anaState(1)));
            assertEquals(AnaState.OPTIMIZED, Waits.get(controller.anaState(3)));
            assertEquals(AnaState.OPTIMIZED, Waits.get(first.anaState(1)));
            assertEquals(AnaState.NON_OPTIMIZED, Waits.get(first.anaState(3)));
        }
    }

    @Test
    void shouldStopListening()
    {
        final TransportAddress second = TransportAddress.tcp("127.0.0.1", SpdkFrontEnd.freePort());
        dataPlane.listeners().add(second, false, ListenerProvider.SPDK);
        try (RemoteController left = host.connect(to(second)); RemoteController lost = host.connect(to(spdk)))
        {
            dataPlane.listeners().remove(spdk);
            Waits.until("lost its connection", () ->
                ControllerState.LIVE != lost.state());
            assertEquals(ControllerState.LIVE, left.state());
            assertThrows(AssertionError.class, () -> host.connect(to(spdk)));
            dataPlane.listeners().remove(second);
            Waits.until("lost its connection", () ->
                ControllerState.LIVE != left.state());
            assertEquals("", leftOfSpdk());
            try (RemoteController stays = host.connect(to(own)))
            {
                assertEquals(1, Waits.get(stays.namespaces()).size());
            }
        }
    }

    @Test
    void shouldRefuseReservationsAndFusedCommands()
    {
        try (RemoteController controller = host.connect(to(spdk)))
        {
            final byte[] data = Waits.get(controller.identify(1, 0));
            assertEquals(0, data[520] & 1 << 5, "reservations of ONCS");
            assertEquals(0, data[522], "FUSES");
        }
    }

    @Test
    void shouldRefuseWhatSpdksTargetDoesNotHave()
    {
        final QosLimits limits = new QosLimits(0, 0, 1000, 0, 0, 0, QosLimits.BURST_MS_DEFAULT);
        assertRefused(Reason.UNSUPPORTED, "SPDK's target", () -> dataPlane.qos().setNamespace(nqn, 1, limits));
        assertRefused(Reason.UNSUPPORTED, "SPDK's target",
            () -> dataPlane.qos().setHost(nqn, STRANGER, limits));
        assertRefused(Reason.UNSUPPORTED, "SPDK's target", () -> dataPlane.state(DataPlaneState.PAUSED));
        assertRefused(Reason.UNSUPPORTED, "SPDK's target", () -> dataPlane.state(DataPlaneState.DRAINING));
        assertRefused(Reason.UNSUPPORTED, "NSID is above 1024",
            () -> dataPlane.namespaces().add(nqn, new NamespaceSettings(1025, vol1, null)));
        assertEquals(null, dataPlane.devices().get(vol1).user());
        assertRefused(Reason.UNSUPPORTED, "discovery alone", () -> dataPlane.listeners().add(
            TransportAddress.tcp("127.0.0.1", SpdkFrontEnd.freePort()), true, ListenerProvider.SPDK));
        assertRefused(Reason.INVALID, "port 0",
            () -> dataPlane.listeners().add(OperationsFixture.anyPort(), false, ListenerProvider.SPDK));
        assertRefused(Reason.EXISTS, "already exists",
            () -> dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK));

        dataPlane.listeners().remove(spdk);
        Waits.get(dataPlane.qos().setNamespace(nqn, 1, limits));
        assertRefused(Reason.UNSUPPORTED, "no limits",
            () -> dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK));
        Waits.get(dataPlane.qos().clearNamespace(nqn, 1));
        dataPlane.state(DataPlaneState.PAUSED);
        assertRefused(Reason.UNSUPPORTED, "paused or drained",
            () -> dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK));
        dataPlane.state(DataPlaneState.SERVING);
        dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK);
    }

    @Test
    void shouldSayWhatSpdkRefusesAndGoOnAsBefore()
    {
        assertRefused(Reason.FAILED, "SPDK says", () -> dataPlane.listeners().add(
            TransportAddress.tcp("192.0.2.1", 4420), false, ListenerProvider.SPDK));
        final TransportAddress taken = dataPlane.listeners().add(OperationsFixture.anyPort(), true);
        dataPlane.listeners().remove(taken);
        final String bdev = SpdkTesting.name("Taken");
        SpdkTesting.rpc("bdev_null_create", "{'name':'" + bdev + "','num_blocks':1024,'block_size':4096}");
        dataPlane.devices().create(DeviceConfig.memory(bdev, SIZE_BYTES, BLOCK));
        assertRefused(Reason.FAILED, "SPDK has a bdev with this name",
            () -> dataPlane.namespaces().add(nqn, new NamespaceSettings(2, bdev, null)));
        assertEquals(null, dataPlane.devices().get(bdev).user());
        final String other = SpdkTesting.name("nqn.2026-11.io.millrace:refused");
        assertRefused(Reason.FAILED, "SPDK has a bdev with this name", () -> dataPlane.subsystems().create(
            new SubsystemSettings(other, null, null, true, List.of(), List.of(
                new NamespaceSettings(1, vol1, null), new NamespaceSettings(2, bdev, null)))));
        assertTrue(!SpdkTesting.rpc("nvmf_get_subsystems", "").contains(other));
        assertEquals(null, dataPlane.devices().get(vol1).user());
        // A subsystem that SPDK cannot have: the listener is refused, and leaves nothing.
        dataPlane.listeners().remove(spdk);
        dataPlane.namespaces().add(nqn, new NamespaceSettings(2, bdev, null));
        assertRefused(Reason.FAILED, "SPDK has a bdev with this name",
            () -> dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK));
        assertEquals("", leftOfSpdk());
        Waits.get(dataPlane.namespaces().remove(nqn, 2));
        dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK);
        SpdkTesting.rpc("bdev_null_delete", "{'name':'" + bdev + "'}");
        try (RemoteController controller = host.connect(to(spdk)))
        {
            assertEquals(1, Waits.get(controller.namespaces()).size());
        }
    }

    @Test
    void shouldGiveControllersIdsOfTheirOwn()
    {
        dataPlane.controllers().assignIds(new ControllerIds(1000, 1031));
        try (RemoteController first = host.connect(to(own)); RemoteController second = host.connect(to(spdk)))
        {
            assertTrue(first.info().controllerId() >= 1000 && first.info().controllerId() < 1030,
                () -> "" + first.info().controllerId());
            assertTrue(second.info().controllerId() >= 1030 && second.info().controllerId() <= 1031,
                () -> "" + second.info().controllerId());
        }
    }

    @Test
    void shouldGiveHostsOtherIdsOnlyWhenThereAreOthers()
    {
        try (RemoteController controller = host.connect(to(spdk)))
        {
            dataPlane.controllers().assignIds(new ControllerIds(1000, 1031));
            Waits.until("another id", () -> ControllerState.LIVE == controller.state() &&
                controller.reconnectCount() > 0);
            final int id = controller.info().controllerId();
            assertTrue(id >= 1030 && id <= 1031, () -> "" + id);
            final long count = controller.reconnectCount();
            dataPlane.controllers().assignIds(new ControllerIds(1000, 1031));
            assertRefused(Reason.UNSUPPORTED, "are not enough for SPDK's target",
                () -> dataPlane.controllers().assignIds(new ControllerIds(7, 7)));
            assertEquals(new ControllerIds(1000, 1031), dataPlane.controllers().ids());
            Waits.get(controller.identify(1, 0));
            assertEquals(count, controller.reconnectCount());
        }
    }

    @Test
    void shouldStopUnderLoad()
    {
        try (RemoteController controller = host.connect(to(spdk)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            final AtomicInteger ended = new AtomicInteger();
            for (int i = 0; i < 32; i++)
            {
                load(queue, data, ended, 50);
            }
            Waits.until("load", () -> ended.get() > 100);
            dataPlane.close();
            assertEquals("", leftOfSpdk());
        }
    }

    /** Blocks are whole, whichever target wrote them last: the device orders what both submit. */
    @Test
    void shouldWriteWholeBlocksFromBothTargets()
    {
        final int blocks = 16;
        try (RemoteController first = host.connect(to(own)); RemoteController second = host.connect(to(spdk)))
        {
            final List<RemoteQueuePair> queues = List.of(host.queue(first), host.queue(second));
            final AtomicInteger running = new AtomicInteger(queues.size());
            final AtomicInteger failed = new AtomicInteger();
            for (int i = 0; i < queues.size(); i++)
            {
                final MemorySegment data = host.memory((long)blocks * BLOCK);
                data.fill((byte)(i + 1));
                repeat(queues.get(i), data, 500, running, failed);
            }
            final MemorySegment read = host.memory((long)blocks * BLOCK);
            final Set<Byte> seen = new HashSet<>();
            for (int i = 0; running.get() > 0 || i < 2; i++)
            {
                final RemoteQueuePair queue = queues.get(i % 2);
                assertEquals(0, host.run(queue, (r) -> r.read(1, 0, blocks, read.address(), blocks * BLOCK)));
                for (int block = 0; block < blocks; block++)
                {
                    final byte value = read.get(ValueLayout.JAVA_BYTE, (long)block * BLOCK);
                    seen.add(value);
                    for (int at = 0; at < BLOCK; at++)
                    {
                        assertEquals(value, read.get(ValueLayout.JAVA_BYTE, (long)block * BLOCK + at));
                    }
                }
            }
            assertEquals(0, failed.get());
            assertTrue(seen.contains((byte)1) && seen.contains((byte)2), seen::toString);
        }
    }

    private void repeat(
        final RemoteQueuePair queue,
        final MemorySegment data,
        final int left,
        final AtomicInteger running,
        final AtomicInteger failed)
    {
        host.submit(queue, (r) -> r.write(1, 0, 16, data.address(), 16 * BLOCK)).thenAccept((status) ->
        {
            failed.addAndGet(0 == status ? 0 : 1);
            if (left > 0)
            {
                repeat(queue, data, left - 1, running, failed);
            }
            else
            {
                running.decrementAndGet();
            }
        });
    }

    private void load(final RemoteQueuePair queue, final MemorySegment data, final AtomicInteger ended, final int left)
    {
        host.submit(queue, (r) -> r.write(1, left, 1, data.address(), BLOCK)).thenAccept((status) ->
        {
            ended.incrementAndGet();
            if (0 == status)
            {
                load(queue, data, ended, Math.max(0, left - 1));
            }
        });
    }

    /**
     * What is under way may still write: the answer says so, and what hangs holds up no operation on another subsystem.
     * While it hangs, SPDK answers no admin command of its subsystem, Keep Alive neither.
     */
    @Test
    void shouldSayWhatIsUnderWayWhenAccessEnds()
    {
        final String hanging = SpdkTesting.name("Hanging");
        dataPlane.devices().create(DeviceConfig.fault(hanging, vol1, FaultPlan.of(1, FaultRule.hang())));
        dataPlane.namespaces().add(nqn, new NamespaceSettings(2, hanging, null, 2));
        try (RemoteController controller = host.connect(
            ConnectionConfig.to(spdk.socketAddress(), nqn).keepAliveMs(0).build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            final CompletableFuture<Integer> hangs =
                host.submit(queue, (r) -> r.write(2, 0, 1, data.address(), BLOCK));
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
            final String unfinished = Waits.get(dataPlane.anaStates().set(nqn, spdk, 2, AnaState.INACCESSIBLE));
            assertTrue(unfinished.contains("device " + hanging + " may not have completed"), unfinished);
            final String other = SpdkTesting.name("nqn.2026-11.io.millrace:other");
            dataPlane.subsystems().create(new SubsystemSettings(other, null, null, true, List.of(), List.of()));
            Waits.get(dataPlane.subsystems().delete(other));
            Waits.get(dataPlane.namespaces().remove(nqn, 2));
            assertNotEquals(0, Waits.get(hangs));
        }
    }

    /** A device that ends nothing does not keep SPDK's target from letting go of it. */
    @Test
    void shouldRemoveANamespaceWhoseDeviceHangs()
    {
        final String hanging = SpdkTesting.name("Hanging");
        dataPlane.devices().create(DeviceConfig.fault(hanging, vol1, FaultPlan.of(1, FaultRule.hang())));
        dataPlane.namespaces().add(nqn, new NamespaceSettings(2, hanging, null));
        try (RemoteController controller = host.connect(to(spdk)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            final CompletableFuture<Integer> hangs =
                host.submit(queue, (r) -> r.read(2, 0, 1, data.address(), BLOCK));
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
            Waits.get(dataPlane.namespaces().remove(nqn, 2));
            assertNotEquals(0, Waits.get(hangs));
            dataPlane.devices().delete(hanging);
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
        }
    }
}

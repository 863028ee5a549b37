package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.BLOCK;
import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.get;
import static io.millrace.dataplane.OperationsFixture.refused;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.dataplane.snapshot.ListenerSnapshot;
import io.millrace.dataplane.snapshot.ReactorSnapshot;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DataPlaneStateTest
{
    private final OperationsFixture fixture = new OperationsFixture();
    private final DataPlane dataPlane = fixture.dataPlane;

    @AfterEach
    void close()
    {
        fixture.close();
    }

    @Test
    void shouldBeginWithNothingOnlyWhenManaged()
    {
        assertEquals(List.of(), dataPlane.devices().list());
        assertEquals(List.of(), dataPlane.subsystems().list());
        assertEquals(List.of(), dataPlane.listeners().list());
        final List<ReactorConfig> reactors = List.of(ReactorConfig.of("r0", -1));
        final DataPlaneConfig managed = DataPlaneConfig.managed(reactors, DataPlaneConfig.MEMORY_BYTES_MIN);
        final SettingException e = assertThrows(SettingException.class, () -> new DataPlaneConfig(reactors,
            managed.memoryBytes(), List.of(), List.of(), List.of(), managed.discoveryPort(), managed.limits(),
            managed.transports().getFirst()));
        assertEquals("subsystems: empty; declare at least one", e.getMessage());
    }

    @Test
    void shouldListenAndStopListeningWhileWhoIsConnectedStays() throws IOException
    {
        final TransportAddress address = fixture.serveVolume();
        final TransportAddress second = dataPlane.listeners().add(OperationsFixture.anyPort(), true);
        assertEquals(List.of(new ListenerSnapshot(address, false), new ListenerSnapshot(second, true)),
            dataPlane.listeners().list());
        assertEquals(List.of(second), dataPlane.discoveryAddresses());
        assertInstanceOf(InitiatorException.class,
            OperationsFixture.failure(fixture.tryConnect(second, fixture.host, ControllerListener.NONE)));
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            dataPlane.listeners().remove(address);
            dataPlane.listeners().remove(second);
            assertThrows(IOException.class, () -> new Socket(address.address(), address.port()).close());
            assertEquals(NvmeStatus.SUCCESS, fixture.write(queue, 1, 0));
            assertEquals(address, dataPlane.listeners().add(address, false));
            fixture.connect(address).close();
        }
        fixture.awaitEvent(ResourceKind.LISTENER, ResourceChange.DELETED, second.hostAndPort());
    }

    @Test
    void shouldRefuseListenersThatCannotBe() throws IOException
    {
        final TransportAddress address = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        final String own = "listener " + address.hostAndPort();
        refused(Reason.EXISTS, own + ": already exists; take another port",
            () -> dataPlane.listeners().add(address, false));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            refused(Reason.IN_USE, "listener 127.0.0.1:" + taken.getLocalPort() +
                ": already in use; stop what listens there or take another port", () -> dataPlane.listeners().add(
                    TransportAddress.tcp("127.0.0.1", taken.getLocalPort()), false));
        }
        refused(Reason.INVALID, "listener 192.0.2.1:0: is not an address of this machine; use one that 'ip address' " +
            "shows, " +
            "or 0.0.0.0", () -> dataPlane.listeners().add(
                TransportAddress.tcp("192.0.2.1", 0), false));
        refused(Reason.INVALID, "listener storage: is not a numeric address; write it as 192.0.2.1 or 2001:db8::1",
            () -> dataPlane.listeners().add(TransportAddress.tcp("storage", 0), false));
        final OperationException e = assertThrows(OperationException.class, () -> dataPlane.listeners().add(
            new TransportAddress(TransportAddress.Type.RDMA, TransportAddress.Family.IPV4, "127.0.0.1", "4420"), false),
            "no RDMA device has an address of the loopback device");
        assertTrue(e.getMessage().startsWith("listener rdma://127.0.0.1:4420: "), e.getMessage());
        dataPlane.listeners().remove(address);
        refused(Reason.NOT_FOUND, "listener 127.0.0.1:" + address.port() +
            ": does not exist; list listeners to see the existing ones", () -> dataPlane.listeners().remove(address));
        assertEquals(List.of(), dataPlane.listeners().list());
    }

    @Test
    void shouldTakeNoNewControllersWhileItDrains()
    {
        final TransportAddress address = fixture.serveVolume();
        try (RemoteController controller = fixture.connect(address))
        {
            get(dataPlane.state(DataPlaneState.DRAINING));
            assertEquals(DataPlaneState.DRAINING, dataPlane.snapshot().state());
            final Throwable refused =
                OperationsFixture.failure(fixture.tryConnect(address, fixture.host, ControllerListener.NONE));
            assertEquals("controller of " + NQN + " is busy: try again later", refused.getMessage());
            // Who is there goes on, and may connect more queues.
            assertEquals(NvmeStatus.SUCCESS, fixture.write(fixture.queue(controller), 1, 0));
            get(dataPlane.state(DataPlaneState.SERVING));
            fixture.connect(address).close();
        }
    }

    @Test
    void shouldHoldInputAndOutputWhileItIsPaused()
    {
        final TransportAddress address = fixture.serveVolume();
        try (RemoteController controller = fixture.connect(address))
        {
            final List<RemoteQueuePair> queues = List.of(fixture.queue(controller), fixture.queue(controller));
            assertEquals(NvmeStatus.SUCCESS, fixture.write(queues.getFirst(), 1, 0));
            get(dataPlane.state(DataPlaneState.PAUSED));
            final MemorySegment data = fixture.arena.allocate(64 * BLOCK, BLOCK);
            final List<CompletableFuture<Integer>> held = new ArrayList<>();
            for (int i = 0; i < 40; i++)
            {
                final int lba = i;
                final RemoteQueuePair queue = queues.get(i & 1);
                held.add(fixture.submit(queue, (r) -> r.write(1, lba, 1 + 63 * (lba & 1), data.address(),
                    (1 + 63 * (lba & 1)) * BLOCK)));
                held.add(fixture.submit(queue, (r) -> r.read(1, lba, 1, data.address(), BLOCK)));
            }
            final long writes = dataPlane.namespaces().list(NQN).getFirst().writes();
            // Admin commands take as long as these would.
            for (int i = 0; i < 20; i++)
            {
                assertEquals(256L * BLOCK, get(controller.namespace(1)).sizeBytes());
            }
            assertFalse(held.stream().anyMatch(CompletableFuture::isDone));
            assertEquals(writes, dataPlane.namespaces().list(NQN).getFirst().writes());
            get(dataPlane.state(DataPlaneState.SERVING));
            for (final CompletableFuture<Integer> each : held)
            {
                assertEquals(NvmeStatus.SUCCESS, get(each));
            }
            until("the writes to be counted",
                () -> writes + 40 == dataPlane.namespaces().list(NQN).getFirst().writes());
        }
    }

    @Test
    void shouldLetAHostGoThatLeavesWhileItIsPaused()
    {
        final TransportAddress address = fixture.serveVolume();
        final RemoteController controller = fixture.connect(address);
        final RemoteQueuePair queue = fixture.queue(controller);
        get(dataPlane.state(DataPlaneState.PAUSED));
        final MemorySegment data = fixture.arena.allocate(BLOCK, BLOCK);
        final CompletableFuture<Integer> held = fixture.submit(queue, (r) -> r.write(1, 0, 1, data.address(), BLOCK));
        until("the command to be held", () ->
            dataPlane.reactorSnapshots().stream().mapToInt(ReactorSnapshot::requests).sum() > 1);
        assertFalse(held.isDone());
        get(dataPlane.subsystems().delete(NQN));
        assertNotEquals(NvmeStatus.SUCCESS, get(held));
        controller.close();
        dataPlane.devices().delete("mem0");
        until("the reactors to let go", () -> dataPlane.reactorSnapshots().stream()
            .allMatch((each) -> 0 == each.connections() && 0 == each.requests() && 0 == each.poolUsedBytes()));
    }

    @Test
    void shouldRefuseToBeStoppedByItsStateAndAnythingOnceItIs()
    {
        refused(Reason.INVALID, "state STOPPING: cannot be set while it runs; close the data plane",
            () -> dataPlane.state(DataPlaneState.STOPPING));
        dataPlane.close();
        assertEquals(DataPlaneState.STOPPING, dataPlane.snapshot().state());
        final String stopping = "data plane: is stopping; start another one";
        refused(Reason.FAILED, stopping, () -> fixture.memory("mem0", 8));
        refused(Reason.FAILED, stopping, () -> fixture.subsystem(NQN));
        refused(Reason.FAILED, stopping, () -> dataPlane.listeners().add(OperationsFixture.anyPort(), false));
        refused(Reason.FAILED, stopping, () -> dataPlane.state(DataPlaneState.SERVING));
    }

    @Test
    void shouldTellHowItsReactorsAre()
    {
        final TransportAddress address = fixture.serveVolume();
        try (RemoteController controller = fixture.connect(address))
        {
            fixture.queue(controller);
            final List<ReactorSnapshot> reactors = dataPlane.reactorSnapshots();
            assertEquals(List.of("ops0", "ops1"), reactors.stream().map(ReactorSnapshot::name).toList());
            assertEquals(2, reactors.stream().mapToInt(ReactorSnapshot::connections).sum());
            for (final ReactorSnapshot reactor : reactors)
            {
                assertTrue(reactor.cycles() > 0 && reactor.busyNs() + reactor.idleNs() > 0, reactor.toString());
                assertEquals(DataPlaneConfig.MEMORY_BYTES_MIN, reactor.poolBytes());
            }
        }
        assertTrue(dataPlane.snapshot().upNs() > 0);
        assertEquals(ProcessHandle.current().pid(), dataPlane.snapshot().processId());
    }
}

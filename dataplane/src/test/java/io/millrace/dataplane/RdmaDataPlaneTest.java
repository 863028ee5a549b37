package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.DeviceHealth;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerSettings;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.snapshot.ConnectionSnapshot;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.TcpProxy;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.initiator.rdma.RdmaHostTransport;
import io.millrace.nvmf.rdma.RdmaTransportConfig;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.LocalDevice;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.LinuxDescriptors;
import io.millrace.rdma.model.ModelRdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import io.millrace.status.StatusSettings;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Whole data planes on a model of RDMA: a host over RDMA, a data plane whose remote device has one path over RDMA and
 * one over TCP, and the data plane that they lead to.
 */
class RdmaDataPlaneTest
{
    private static final String INNER = "nqn.2026-11.io.millrace:inner";
    private static final String OUTER = "nqn.2026-11.io.millrace:outer";
    private static final int SIZE_BYTES = 8 << 20;
    private static final int BLOCK = 4096;
    private static final int SLOTS = 8;
    private static final int SLOT_BLOCKS = 32;
    private static final int SLOT_BYTES = SLOT_BLOCKS * BLOCK;
    private static final int CLOSE_WAIT_MS = 30_000;
    private static final String RDMA_HOST = "10.0.0.1";
    private static final String TCP_HOST = "127.0.0.1";

    private final RdmaModel model = new RdmaModel();
    private final ModelRdmaCore frontCore = new ModelRdmaCore(model.network(), new LinuxDescriptors());
    private final Arena arena = Arena.ofShared();
    private final MemorySegment written = arena.allocate((long)SLOTS * SLOT_BYTES, BLOCK);
    private final MemorySegment read = arena.allocate((long)SLOTS * SLOT_BYTES, BLOCK);
    private final Random random = TestSeeds.random();
    private final Reactor reactor = new Reactor(ReactorConfig.of("front", -1));
    private HostPollGroup group;
    private DataPlane inner;
    private TcpProxy proxy;
    private DataPlane outer;
    private RemoteController controller;
    private RemoteQueuePair queue;

    private DataPlane start(
        final String nqn, final RdmaCore core, final int number, final int port, final DeviceConfig device)
    {
        return DataPlane.start(new DataPlaneConfig(
            List.of(ReactorConfig.of(nqn.substring(nqn.indexOf(':') + 1), -1)),
            DataPlaneConfig.MEMORY_BYTES_MIN * 4,
            List.of(device),
            List.of(new SubsystemSettings(nqn, null, SubsystemSettings.MODEL_DEFAULT, true, List.of(),
                List.of(new SubsystemSettings.NamespaceSettings(1, device.name(), null)))),
            List.of(
                new ListenerSettings(TransportAddress.of(
                    TransportAddress.Type.RDMA, new InetSocketAddress(RdmaModel.address(number), port))),
                new ListenerSettings(TransportAddress.tcp(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)))),
            DataPlaneConfig.NO_DISCOVERY_PORT, TargetConfig.defaults(),
            List.of(TcpTransportConfig.defaults(), RdmaTransportConfig.defaults()), false, StatusSettings.NONE),
            TargetListener.NONE, DataPlaneListener.NONE, CLOSE_WAIT_MS, core);
    }

    @BeforeEach
    void start()
    {
        frontCore.addDevice(RdmaModel.address(3));
        inner = start(INNER, model.targetCore(), 2, 0, DeviceConfig.memory("near", SIZE_BYTES, BLOCK));
        proxy = new TcpProxy(inner.addresses().get(1).socketAddress(), 64 << 10, TestSeeds.seed());
        outer = start(OUTER, model.hostCore(), 1, 0, DeviceConfig.of("far", "remote", Map.of(
            "addresses", List.of(inner.addresses().getFirst().toString(), TransportAddress.tcp(proxy.address())
                .toString()), "subsystem", INNER, "nsid", 1,
            "reconnect-delay", 5_000_000L, "reconnect-delay-max", 50_000_000L, "keep-alive-timeout", 1_000_000_000L)));
        reactor.start();
        group = new HostPollGroup(reactor, List.of(new RdmaHostTransport(frontCore, null)));
        controller = Waits.get(RemoteController.connect(group, HostConfig.random(),
            ConnectionConfig.to(outer.addresses().getFirst(), OUTER).build(), ControllerListener.NONE));
        queue = Waits.get(controller.openQueuePair(group));
    }

    @AfterEach
    void shouldLeaveNothing() throws IOException
    {
        controller.close();
        group.close();
        reactor.close();
        outer.close();
        proxy.close();
        inner.close();
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.hostCore().resources() + model.targetCore().resources() + frontCore.resources());
        model.close();
        arena.close();
    }

    private CompletableFuture<Integer> submit(final UnaryOperator<HostRequest> fill)
    {
        final CompletableFuture<Integer> done = new CompletableFuture<>();
        final HostRequest request = fill.apply(new HostRequest(null, (each) -> done.complete(each.status())));
        reactor.execute(() -> assertTrue(queue.submit(request)));
        return done;
    }

    /** Each slot is written in a random part, and all of it is read back and compared. */
    private void verify(final int rounds, final Runnable meanwhile)
    {
        for (int round = 0; round < rounds; round++)
        {
            final List<CompletableFuture<Integer>> writes = new ArrayList<>();
            for (int slot = 0; slot < SLOTS; slot++)
            {
                final int first = random.nextInt(SLOT_BLOCKS);
                final int blocks = 1 + random.nextInt(SLOT_BLOCKS - first);
                final long lba = (long)slot * SLOT_BLOCKS + first;
                final long at = written.address() + lba * BLOCK;
                for (int i = 0; i < blocks * BLOCK; i += Long.BYTES)
                {
                    NativeMemory.putLong(at + i, random.nextLong());
                }
                writes.add(submit((request) -> request.write(1, lba, blocks, at, blocks * BLOCK)));
            }
            if (rounds / 2 == round)
            {
                meanwhile.run();
            }
            writes.forEach((write) -> assertEquals(0, Waits.get(write)));
            read.fill((byte)-1);
            final List<CompletableFuture<Integer>> reads = new ArrayList<>();
            for (int slot = 0; slot < SLOTS; slot++)
            {
                final long lba = (long)slot * SLOT_BLOCKS;
                final long at = read.address() + lba * BLOCK;
                reads.add(submit((request) -> request.read(1, lba, SLOT_BLOCKS, at, SLOT_BYTES)));
            }
            reads.forEach((each) -> assertEquals(0, Waits.get(each)));
            assertEquals(-1, written.mismatch(read), "round " + round);
        }
    }

    /** {@return whether the outer data plane has an I/O queue to the inner one} */
    private boolean isConnected(final String host)
    {
        return inner.connections().list(INNER).stream().anyMatch((connection) ->
            0 != connection.queueId() && connection.remote().contains(host));
    }

    private void await(final String host, final boolean isConnected)
    {
        Waits.until(host + (isConnected ? " connected" : " lost"), () -> isConnected == isConnected(host));
    }

    @Test
    void shouldListTheDeviceOfAConnection()
    {
        await(RDMA_HOST, true);
        await(TCP_HOST, true);
        final ConnectionSnapshot byRdma = inner.connections().list(INNER).stream()
            .filter((each) -> each.remote().contains(RDMA_HOST)).findFirst().orElseThrow();
        assertEquals(new LocalDevice("model2", 1, 1), byRdma.device());
        assertTrue(byRdma.local().startsWith("rdma://10.0.0.2:"), byRdma::local);
        final ConnectionSnapshot byTcp = inner.connections().list(INNER).stream()
            .filter((each) -> each.remote().contains(TCP_HOST)).findFirst().orElseThrow();
        assertEquals(LocalDevice.NONE, byTcp.device());
        assertTrue(byTcp.local().startsWith("tcp://127.0.0.1:"), byTcp::local);
    }

    @Test
    void shouldMoveDataOverWhicheverPathIsLeft()
    {
        model.network().delay(0, 200_000);
        await(RDMA_HOST, true);
        await(TCP_HOST, true);
        verify(4, () -> { });
        verify(4, () -> model.network().cut(model.hostDevice(), model.targetDevice(), true));
        await(RDMA_HOST, false);
        verify(4, () -> { });
        model.network().cut(model.hostDevice(), model.targetDevice(), false);
        await(RDMA_HOST, true);
        verify(4, () ->
        {
            proxy.refuse(true);
            proxy.cut();
        });
        await(TCP_HOST, false);
        verify(4, () -> { });
        proxy.refuse(false);
        await(TCP_HOST, true);
        verify(4, () -> model.hostDevice().failQueuePairs());
        await(RDMA_HOST, true);
        assertEquals(DeviceHealth.ONLINE, outer.devices().get("far").health());
    }

    /** Packets are lost and late all the time: slower, and nothing else. */
    @Test
    void shouldMoveDataThroughALossyNetwork()
    {
        proxy.refuse(true);
        proxy.cut();
        await(TCP_HOST, false);
        model.network().timeouts(2_000_000L, 500_000_000L);
        model.network().delay(0, 300_000);
        model.network().loss(20);
        verify(8, () -> { });
        model.network().loss(0);
    }

    /** The inner data plane ends with all its keys, and comes back: what waited is done then. */
    @Test
    void shouldWaitForATargetThatIsStartedAgain()
    {
        proxy.refuse(true);
        proxy.cut();
        await(TCP_HOST, false);
        final int port = inner.addresses().getFirst().socketAddress().getPort();
        final UnaryOperator<HostRequest> write =
            (request) -> request.write(1, 0, SLOT_BLOCKS, written.address(), SLOT_BYTES);
        inner.close();
        Waits.until("the loss", () -> DeviceHealth.RECOVERING == outer.devices().get("far").health());
        final CompletableFuture<Integer> waits = submit(write);
        inner = start(INNER, model.targetCore(), 2, port, DeviceConfig.memory("near", SIZE_BYTES, BLOCK));
        assertEquals(0, Waits.get(waits));
        for (int slot = 0; slot < SLOTS; slot++)
        {
            final long lba = (long)slot * SLOT_BLOCKS;
            assertEquals(0, Waits.get(submit((request) ->
                request.write(1, lba, SLOT_BLOCKS, written.address() + lba * BLOCK, SLOT_BYTES))));
        }
        verify(2, () -> { });
    }
}

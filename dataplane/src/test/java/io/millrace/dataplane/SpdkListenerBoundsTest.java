package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.spdk.SpdkBdev;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.config.SubsystemSettings.NamespaceSettings;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.spdk.SpdkBdevListener;
import io.millrace.spdk.SpdkFrontEnd;
import io.millrace.spdk.SpdkRuntime;
import io.millrace.spdk.SpdkTesting;
import io.millrace.testing.Requirement;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Listeners that SPDK's target serves: addresses, and what holds when SPDK does not carry out an operation.
 */
@Tag("spdk")
class SpdkListenerBoundsTest
{
    private static final int BLOCK = 4096;
    private static final long SIZE_BYTES = 4 << 20;
    /** More than SPDK's memory has room for with the queues that SPDK's target has by default. */
    private static final int IDLE_CONNECTIONS = 500;
    /** More than SPDK's memory has room for. */
    private static final int CONNECTIONS_MAX = 2000;

    private final String nqn = SpdkTesting.name("nqn.2026-11.io.millrace:bounds");
    private final String vol0 = SpdkTesting.name("Bounds");
    private final String vol1 = SpdkTesting.name("Bounds");
    private final TransportAddress spdk = TransportAddress.tcp("127.0.0.1", SpdkFrontEnd.freePort());
    private final HostFixture host = new HostFixture();
    private DataPlane dataPlane;

    @BeforeEach
    void start()
    {
        SpdkTesting.runtime();
        dataPlane = DataPlane.start(SpdkFrontEnd.config(List.of(DeviceConfig.memory(vol0, SIZE_BYTES, BLOCK),
            DeviceConfig.memory(vol1, SIZE_BYTES, BLOCK)), List.of(), null));
        dataPlane.subsystems().create(new SubsystemSettings(
            nqn, null, null, true, List.of(), List.of(new NamespaceSettings(1, vol0, null))));
    }

    @AfterEach
    void stop()
    {
        host.close();
        dataPlane.close();
        final String bdevs = SpdkTesting.rpc("bdev_get_bdevs", "");
        assertTrue(!bdevs.contains('"' + vol0 + '"') && !bdevs.contains('"' + vol1 + '"'), bdevs);
    }

    private void listen(final TransportAddress address)
    {
        dataPlane.listeners().add(address, false, ListenerProvider.SPDK);
    }

    private ConnectionConfig to(final TransportAddress address)
    {
        return ConnectionConfig.to(address.socketAddress(), nqn).keepAliveMs(0).build();
    }

    private String listenerParams()
    {
        return ("'nqn':'" + nqn + "','listen_address':{'trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1'," +
            "'trsvcid':'" + spdk.serviceId() + "'}").replace('\'', '"');
    }

    /** SPDK compares the address that a host came in on with that of the listener. */
    @Test
    void shouldRefuseWildcardAddresses()
    {
        for (final String each : List.of("0.0.0.0", "::"))
        {
            final OperationException e = assertThrows(OperationException.class,
                () -> listen(TransportAddress.tcp(each, SpdkFrontEnd.freePort())));
            assertEquals(Reason.UNSUPPORTED, e.reason(), e.getMessage());
            assertTrue(e.getMessage().contains("wildcard address"), e.getMessage());
        }
        assertEquals(List.of(), dataPlane.listeners().list());
    }

    @Test
    void shouldServeIpv6()
    {
        final TransportAddress address = TransportAddress.tcp("0:0:0:0:0:0:0:1", SpdkFrontEnd.freePort());
        listen(address);
        try (RemoteController controller = host.connect(to(address)))
        {
            assertEquals(1, Waits.get(controller.namespaces()).size());
        }
    }

    /** A state that SPDK refused is not taken for set when it is set again. */
    @Test
    void shouldSetAStateAgainThatSpdkRefused()
    {
        listen(spdk);
        SpdkTesting.runtime().call("nvmf_subsystem_remove_listener", listenerParams());
        final String refused = Waits.get(dataPlane.anaStates().set(nqn, spdk, 1, AnaState.INACCESSIBLE));
        assertTrue(refused.contains("ANA of subsystem " + nqn), refused);
        SpdkTesting.runtime().call("nvmf_subsystem_add_listener", listenerParams());
        assertEquals("", Waits.get(dataPlane.anaStates().set(nqn, spdk, 1, AnaState.INACCESSIBLE)));
        try (RemoteController controller = host.connect(to(spdk)))
        {
            assertEquals(AnaState.INACCESSIBLE, Waits.get(controller.anaState(1)));
        }
    }

    /** SPDK changes a subsystem after what it waits for: others are not waited for as long as any method. */
    @Test
    void shouldNotWaitLongWhereADeviceOfTheSubsystemHangs()
    {
        listen(spdk);
        final String hanging = SpdkTesting.name("Hanging");
        dataPlane.devices().create(DeviceConfig.fault(hanging, vol1, FaultPlan.of(1, FaultRule.hang())));
        dataPlane.namespaces().add(nqn, new NamespaceSettings(2, hanging, null, 2));
        for (int nsid = 3; nsid < 6; nsid++)
        {
            final String other = SpdkTesting.name("Bounds");
            dataPlane.devices().create(DeviceConfig.memory(other, SIZE_BYTES, BLOCK));
            dataPlane.namespaces().add(nqn, new NamespaceSettings(nsid, other, null, 2));
        }
        try (RemoteController controller = host.connect(to(spdk)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            host.submit(queue, (r) -> r.write(2, 0, 1, data.address(), BLOCK));
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
            final long begin = System.nanoTime();
            final String late = Waits.get(dataPlane.anaStates().set(nqn, spdk, 2, AnaState.INACCESSIBLE));
            assertEquals(5, late.split("may not have completed", -1).length, late);
            final String problem = Waits.get(dataPlane.anaStates().set(nqn, spdk, 1, AnaState.INACCESSIBLE));
            final long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
            assertTrue(problem.contains("is not inaccessible after 5 s"), problem);
            assertTrue(seconds < 15, seconds + " s: " + problem);
            Waits.get(dataPlane.namespaces().remove(nqn, 2));
            assertEquals("", Waits.get(dataPlane.anaStates().set(nqn, spdk, 1, AnaState.INACCESSIBLE)));
            assertEquals(AnaState.INACCESSIBLE, Waits.get(controller.anaState(1)));
        }
    }

    /** Somebody else deleted it in SPDK: what Millrace has of it can be removed. */
    @Test
    void shouldLeaveNothingOfASubsystemThatSpdkHasNoMore()
    {
        listen(spdk);
        SpdkTesting.runtime().call("nvmf_delete_subsystem", "\"nqn\":\"" + nqn + '"');
        dataPlane.listeners().remove(spdk);
        Waits.get(dataPlane.subsystems().delete(nqn));
        assertNull(dataPlane.devices().get(vol0).user());
        final String bdevs = SpdkTesting.rpc("bdev_get_bdevs", "");
        assertTrue(!bdevs.contains('"' + vol0 + '"'), bdevs);
    }

    /** Somebody else deleted it in SPDK: it is made again with the others, and others get their ids. */
    @Test
    void shouldMakeASubsystemAgainWithOtherControllerIds()
    {
        listen(spdk);
        final String other = SpdkTesting.name("nqn.2026-11.io.millrace:bounds");
        dataPlane.subsystems().create(new SubsystemSettings(
            other, null, null, true, List.of(), List.of(new NamespaceSettings(1, vol1, null))));
        SpdkTesting.runtime().call("nvmf_delete_subsystem", "\"nqn\":\"" + nqn + '"');
        dataPlane.controllers().assignIds(new ControllerIds(1, 320));
        for (final String each : List.of(nqn, other))
        {
            try (RemoteController controller = host.connect(
                ConnectionConfig.to(spdk.socketAddress(), each).keepAliveMs(0).build()))
            {
                assertEquals(1, Waits.get(controller.namespaces()).size());
            }
        }
        Waits.get(dataPlane.subsystems().delete(other));
    }

    /** What a host had under way has ended when the command has, or the answer names it. */
    @Test
    void shouldSayThatRequestsAreLeftOfHostsThatLoseTheListener()
    {
        final String hanging = SpdkTesting.name("Hanging");
        dataPlane.devices().create(DeviceConfig.fault(hanging, vol1, FaultPlan.of(1, FaultRule.hang())));
        dataPlane.namespaces().add(nqn, new NamespaceSettings(2, hanging, null));
        listen(spdk);
        final TransportAddress second = TransportAddress.tcp("127.0.0.1", SpdkFrontEnd.freePort());
        listen(second);
        assertEquals("", Waits.get(dataPlane.hosts().allowAny(nqn, false)));
        assertEquals("", Waits.get(dataPlane.hosts().allowAny(nqn, true)));
        try (RemoteController controller = host.connect(to(second)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            host.submit(queue, (r) -> r.write(2, 0, 1, data.address(), BLOCK));
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
            final long begin = System.nanoTime();
            for (final String left : List.of(dataPlane.listeners().remove(second),
                Waits.get(dataPlane.hosts().allowAny(nqn, false))))
            {
                assertTrue(left.contains("device " + hanging + " may not have completed commands"), left);
            }
            final long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
            assertTrue(seconds < 27, seconds + " s");
            Waits.get(dataPlane.namespaces().remove(nqn, 2));
        }
        assertThrows(AssertionError.class, () -> host.connect(to(spdk)));
        assertEquals("", Waits.get(dataPlane.hosts().allowAny(nqn, true)));
        host.connect(to(spdk)).close();
    }

    /** Subsystems end with the last listener: what does not end is named as with another one. */
    @Test
    void shouldNameADeviceThatSpdkDoesNotLetGoOfWithTheLastListener()
    {
        listen(spdk);
        final SpdkRuntime runtime = SpdkTesting.runtime();
        final SpdkBdevListener user = new DeafUser();
        final SpdkBdev kept = runtime.onApplication(() -> runtime.application().open(vol0, false, 0, user));
        final String left = dataPlane.listeners().remove(spdk);
        runtime.onApplication(() ->
        {
            runtime.application().close(kept, user);
            return null;
        });
        assertTrue(left.contains("device " + vol0 + " may not have completed commands"), left);
        Waits.get(dataPlane.subsystems().delete(nqn));
        assertNull(dataPlane.devices().get(vol0).user());
    }

    /** Keeps a bdev open that is removed. */
    private static final class DeafUser implements SpdkBdevListener
    {
        @Override
        public void onCompletion(final int slot, final int status, final int errno)
        {
            throw new IllegalStateException("no requests");
        }

        @Override
        public void onRemoved()
        {
            // It goes on.
        }

        @Override
        public void onRefused(final boolean isRefused)
        {
            // It is no namespace of SPDK's driver.
        }

        @Override
        public void onResized(final long blockCount)
        {
            // It has no size of its own.
        }
    }

    @Test
    void shouldSayWhatRdmaNeeds()
    {
        Requirement.require(!Files.exists(Path.of("/sys/class/infiniband")), "a machine without RDMA devices",
            "run it on one");
        final OperationException e = assertThrows(OperationException.class,
            () -> listen(TransportAddress.of(TransportAddress.Type.RDMA, spdk.socketAddress())));
        assertTrue(e.getMessage().contains("needs an RDMA device"), e.getMessage());
        final OperationException far = assertThrows(OperationException.class,
            () -> dataPlane.devices().create(DeviceConfig.of(SpdkTesting.name("Far"), "spdk-nvme", Map.of("controller",
                nqn, "addresses", List.of("rdma://127.0.0.1:" + spdk.serviceId()), "nsid", 1L))));
        assertTrue(far.getMessage().contains("needs an RDMA device"), far.getMessage());
    }

    /** Each connection takes memory of SPDK before its host is known. */
    @Test
    void shouldServeBesideConnectionsThatDoNothing() throws Exception
    {
        listen(spdk);
        final List<Socket> idle = new ArrayList<>();
        try (RemoteController controller = host.connect(to(spdk)))
        {
            for (int i = 0; i < IDLE_CONNECTIONS; i++)
            {
                idle.add(new Socket("127.0.0.1", spdk.socketAddress().getPort()));
            }
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
            // SPDK has accepted all of them before.
            host.connect(to(spdk)).close();
            for (final Socket each : idle)
            {
                each.setSoTimeout(1);
                assertThrows(SocketTimeoutException.class, () -> each.getInputStream().read());
            }
        }
        finally
        {
            for (final Socket each : idle)
            {
                each.close();
            }
        }
    }

    /** Who is connected has what it needs, and who comes finds memory again when others have left. */
    @Test
    void shouldServeThoseThatAreConnectedWhenConnectionsHaveUsedUpTheMemory() throws Exception
    {
        listen(spdk);
        final List<Socket> idle = new ArrayList<>();
        try (RemoteController controller = host.connect(to(spdk)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            while (SpdkTesting.messages().stream().noneMatch((each) -> each.contains("raise spdk.memory")))
            {
                assertTrue(idle.size() < CONNECTIONS_MAX, "memory for " + idle.size() + " connections");
                idle.add(new Socket("127.0.0.1", spdk.socketAddress().getPort()));
            }
            final MemorySegment data = host.memory(16 * BLOCK);
            for (int i = 0; i < 100; i++)
            {
                assertEquals(0, host.run(queue, (r) -> r.write(1, 0, 16, data.address(), 16 * BLOCK)));
                assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 16, data.address(), 16 * BLOCK)));
            }
            assertEquals(1, Waits.get(controller.namespaces()).size());
            assertThrows(AssertionError.class, () -> host.connect(to(spdk)));
        }
        finally
        {
            for (final Socket each : idle)
            {
                each.close();
            }
        }
        Waits.until("a host finds memory", this::canConnect);
    }

    private boolean canConnect()
    {
        try
        {
            host.connect(to(spdk)).close();
            return true;
        }
        catch (final AssertionError _)
        {
            return false;
        }
    }

    /** Both need memory of the other side registered, and SPDK has registered its own. */
    @Test
    void shouldServeNamespacesOfSpdksDriverByBothTargets()
    {
        listen(spdk);
        final TransportAddress own = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        final String far = SpdkTesting.name("Far");
        dataPlane.devices().create(DeviceConfig.of(far, "spdk-nvme", Map.of("controller", nqn,
            "addresses", List.of("tcp://127.0.0.1:" + own.serviceId()), "nsid", 1L)));
        final String farNqn = SpdkTesting.name("nqn.2026-11.io.millrace:far");
        dataPlane.subsystems().create(new SubsystemSettings(
            farNqn, null, null, true, List.of(), List.of(new NamespaceSettings(1, far, null))));
        try (RemoteController controller = host.connect(
            ConnectionConfig.to(spdk.socketAddress(), farNqn).keepAliveMs(0).build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            assertEquals(0, host.run(queue, (r) -> r.write(1, 0, 1, data.address(), BLOCK)));
        }
        Waits.get(dataPlane.subsystems().delete(farNqn));
        dataPlane.devices().delete(far);
    }

    /** SPDK waits for them before it says that the host is gone: its access ends at both targets all the same. */
    @Test
    void shouldRevokeAHostWhoseRequestsHang()
    {
        final String hanging = SpdkTesting.name("Hanging");
        dataPlane.devices().create(DeviceConfig.fault(hanging, vol1, FaultPlan.of(1, FaultRule.hang())));
        dataPlane.namespaces().add(nqn, new NamespaceSettings(2, hanging, null));
        dataPlane.hosts().allow(nqn, HostFixture.HOST.hostNqn());
        Waits.get(dataPlane.hosts().allowAny(nqn, false));
        listen(spdk);
        final TransportAddress own = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        try (RemoteController controller = host.connect(to(spdk)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            host.submit(queue, (r) -> r.write(2, 0, 1, data.address(), BLOCK));
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
            final long begin = System.nanoTime();
            final OperationException e = assertThrows(OperationException.class,
                () -> dataPlane.hosts().deny(nqn, HostFixture.HOST.hostNqn()));
            final long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
            assertTrue(e.getMessage().contains("may have commands left"), e.getMessage());
            assertTrue(seconds < 10, seconds + " s");
            assertEquals(List.of(), dataPlane.hosts().list(nqn));
            assertThrows(AssertionError.class, () -> host.connect(to(own)));
            assertThrows(AssertionError.class, () -> host.connect(to(spdk)));
            Waits.get(dataPlane.namespaces().remove(nqn, 2));
        }
    }

    /** Each target copies on a thread of its own. */
    @Test
    void shouldWriteWholeBlocksOfAMemoryDeviceFromBothTargets()
    {
        listen(spdk);
        final TransportAddress own = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        try (RemoteController first = host.connect(to(own)); RemoteController second = host.connect(to(spdk)))
        {
            final List<RemoteQueuePair> queues = List.of(host.queue(first), host.queue(second));
            final AtomicInteger running = new AtomicInteger(2);
            for (int i = 0; i < 2; i++)
            {
                final MemorySegment data = host.memory(16 * BLOCK);
                data.fill((byte)(i + 1));
                repeat(queues.get(i), data, 2000, running);
            }
            final MemorySegment read = host.memory(16 * BLOCK);
            int torn = 0;
            for (int i = 0; running.get() > 0; i++)
            {
                final RemoteQueuePair queue = queues.get(i % 2);
                assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 16, read.address(), 16 * BLOCK)));
                for (long block = 0; block < 16; block++)
                {
                    torn += -1 == read.asSlice(block * BLOCK, BLOCK - 1)
                        .mismatch(read.asSlice(block * BLOCK + 1, BLOCK - 1)) ? 0 : 1;
                }
            }
            assertEquals(0, torn);
        }
    }

    private void repeat(
        final RemoteQueuePair queue, final MemorySegment data, final int left, final AtomicInteger running)
    {
        host.submit(queue, (r) -> r.write(1, 0, 16, data.address(), 16 * BLOCK)).thenAccept((status) ->
        {
            if (left > 0 && 0 == status)
            {
                repeat(queue, data, left - 1, running);
            }
            else
            {
                running.decrementAndGet();
            }
        });
    }
}

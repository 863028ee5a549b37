package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.config.SubsystemSettings.NamespaceSettings;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.spdk.SpdkFrontEnd;
import io.millrace.spdk.SpdkTesting;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

    private String listenerJson()
    {
        return "{'nqn':'" + nqn + "','listen_address':{'trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1'," +
            "'trsvcid':'" + spdk.serviceId() + "'}}";
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
        SpdkTesting.rpc("nvmf_subsystem_remove_listener", listenerJson());
        final String refused = Waits.get(dataPlane.anaStates().set(nqn, spdk, 1, AnaState.INACCESSIBLE));
        assertTrue(refused.contains("ANA of subsystem " + nqn), refused);
        SpdkTesting.rpc("nvmf_subsystem_add_listener", listenerJson());
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
        SpdkTesting.rpc("nvmf_delete_subsystem", "{'nqn':'" + nqn + "'}");
        dataPlane.listeners().remove(spdk);
        Waits.get(dataPlane.subsystems().delete(nqn));
        assertNull(dataPlane.devices().get(vol0).user());
        final String bdevs = SpdkTesting.rpc("bdev_get_bdevs", "");
        assertTrue(!bdevs.contains('"' + vol0 + '"'), bdevs);
    }
}

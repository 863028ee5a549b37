package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.config.SubsystemSettings.NamespaceSettings;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.spdk.NvmfTarget;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkFrontEnd;
import io.millrace.spdk.SpdkTesting;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * SPDK's JSON-RPC changes no subsystem that a data plane has at SPDK's target, as SPDK reports such a change to nobody,
 * and changes those of others.
 */
@Tag("spdk")
class SpdkGuardTest
{
    private static final int BLOCK = 4096;
    private static final long SIZE_BYTES = 4 << 20;
    private static final long LATE_MS = 300;
    private static final String HOST = "nqn.2026-11.io.millrace:host";
    private static final String GUARDED = " is the data plane's";

    private final String nqn = SpdkTesting.name("nqn.2026-11.io.millrace:guarded");
    private final String vol0 = SpdkTesting.name("Guarded");
    private final String vol1 = SpdkTesting.name("Guarded");
    private final String bdev = SpdkTesting.name("Free");
    private final TransportAddress spdk = TransportAddress.tcp("127.0.0.1", SpdkFrontEnd.freePort());
    private final HostFixture host = new HostFixture();
    private DataPlane dataPlane;

    @BeforeEach
    void start()
    {
        SpdkTesting.runtime();
        SpdkTesting.rpc("bdev_null_create", "{'name':'" + bdev + "','num_blocks':1024,'block_size':4096}");
        dataPlane = DataPlane.start(SpdkFrontEnd.config(List.of(DeviceConfig.memory(vol0, SIZE_BYTES, BLOCK),
            DeviceConfig.memory(vol1, SIZE_BYTES, BLOCK)), List.of(), null));
        dataPlane.subsystems().create(new SubsystemSettings(
            nqn, null, null, true, List.of(), List.of(new NamespaceSettings(1, vol0, null))));
        dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK);
    }

    @AfterEach
    void stop()
    {
        host.close();
        dataPlane.close();
        SpdkTesting.rpc("bdev_null_delete", "{'name':'" + bdev + "'}");
    }

    private String subsystem()
    {
        return "'nqn':'" + nqn + '\'';
    }

    private static String listener(final String port)
    {
        return ",'listen_address':{'trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1','trsvcid':'" + port + "'}";
    }

    /** {@return the methods that change a subsystem, with parameters that SPDK takes} */
    private Map<String, String> methods()
    {
        final Map<String, String> methods = new LinkedHashMap<>();
        final String ofHost = ",'host':'" + HOST + '\'';
        methods.put("nvmf_subsystem_add_listener", listener(Integer.toString(SpdkFrontEnd.freePort())));
        methods.put("nvmf_subsystem_remove_listener", listener(spdk.serviceId()));
        methods.put("nvmf_subsystem_listener_set_ana_state",
            listener(spdk.serviceId()) + ",'ana_state':'inaccessible'");
        methods.put("nvmf_subsystem_add_ns", ",'namespace':{'bdev_name':'" + bdev + "'}");
        methods.put("nvmf_subsystem_remove_ns", ",'nsid':1");
        methods.put("nvmf_subsystem_set_ns_ana_group", ",'nsid':1,'anagrpid':2");
        methods.put("nvmf_ns_add_host", ",'nsid':1" + ofHost);
        methods.put("nvmf_ns_remove_host", ",'nsid':1" + ofHost);
        methods.put("nvmf_subsystem_add_host", ofHost);
        methods.put("nvmf_subsystem_remove_host", ofHost);
        methods.put("nvmf_subsystem_set_keys", ofHost);
        methods.put("nvmf_subsystem_allow_any_host", ",'allow_any_host':false");
        methods.put("nvmf_delete_subsystem", "");
        methods.replaceAll((_, params) -> '{' + subsystem() + params + '}');
        return methods;
    }

    /** {@return parameters of a method, of SPDK's discovery subsystem} */
    private static String discovery(final String params)
    {
        return "{'nqn':'" + NvmfTarget.DISCOVERY + '\'' + params + '}';
    }

    private void assertRefused(final String method, final String params, final String subject)
    {
        final IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> SpdkTesting.rpc(method, params));
        assertTrue(refused.getMessage().contains(subject + GUARDED), refused.getMessage());
    }

    private void assertAllRefused()
    {
        final String before = SpdkTesting.rpc("nvmf_get_subsystems", "");
        methods().forEach((method, params) -> assertRefused(method, params, "subsystem " + nqn));
        assertEquals(before, SpdkTesting.rpc("nvmf_get_subsystems", ""));
        try (RemoteController controller = connect())
        {
            assertEquals(1, Waits.get(controller.namespaces()).size());
        }
    }

    private RemoteController connect()
    {
        return host.connect(ConnectionConfig.to(spdk.socketAddress(), nqn).keepAliveMs(0).build());
    }

    /** Has a write under way that does not end before namespace 2 is removed. */
    private void hang(final RemoteController controller)
    {
        final RemoteQueuePair queue = host.queue(controller);
        final MemorySegment data = host.memory(BLOCK);
        host.submit(queue, (r) -> r.write(2, 0, 1, data.address(), BLOCK));
        assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK)));
    }

    private void addHanging()
    {
        final String hanging = SpdkTesting.name("Hanging");
        dataPlane.devices().create(DeviceConfig.fault(hanging, vol1, FaultPlan.of(1, FaultRule.hang())));
        dataPlane.namespaces().add(nqn, new NamespaceSettings(2, hanging, null));
    }

    private String own(final String params)
    {
        return ('\'' + "tgt_name':'nvmf_tgt'," + subsystem() + params).replace('\'', '"');
    }

    @Test
    void shouldRefuseEachMethodOfOthers()
    {
        assertAllRefused();
        assertRefused("nvmf_delete_target", "{'name':'nvmf_tgt'}", "target nvmf_tgt");
        assertRefused("nvmf_subsystem_allow_any_host", "{'tgt_name':'nvmf_tgt'," + subsystem() +
            ",'allow_any_host':false}", "subsystem " + nqn);
        assertRefused("nvmf_subsystem_allow_any_host", "{'millrace':''," + subsystem() +
            ",'allow_any_host':false}", "subsystem " + nqn);
        dataPlane.hosts().allow(nqn, HOST);
        assertAllRefused();
    }

    /** Front ends of a file are of whoever wrote it. */
    @Test
    void shouldRefuseAMethodOfFrontEnds()
    {
        final SpdkException refused = assertThrows(SpdkException.class, () -> SpdkTesting.runtime().serve(
            "{\"subsystems\": [{\"subsystem\": \"nvmf\", \"config\": [{\"method\": \"nvmf_delete_subsystem\", " +
            "\"params\": {\"nqn\": \"" + nqn + "\"}}]}]}"));
        assertTrue(refused.getMessage().contains("subsystem " + nqn + GUARDED), refused.getMessage());
        assertAllRefused();
    }

    @Test
    void shouldRefuseAMethodOfOthersBesideItsOwn()
    {
        addHanging();
        final AtomicInteger late = new AtomicInteger();
        try (RemoteController controller = connect())
        {
            hang(controller);
            SpdkTesting.runtime().call("nvmf_subsystem_set_ns_ana_group", own(",'nsid':2,'anagrpid':1"), LATE_MS,
                (_) ->
                {
                    methods().forEach((method, params) -> assertRefused(method, params, "subsystem " + nqn));
                    late.incrementAndGet();
                    Waits.get(dataPlane.namespaces().remove(nqn, 2));
                });
        }
        assertEquals(1, late.get());
        assertAllRefused();
    }

    @Test
    void shouldRefuseAfterADeletionThatSpdkRefuses()
    {
        final SpdkException refused = assertThrows(SpdkException.class,
            () -> SpdkTesting.runtime().call("nvmf_delete_subsystem", own(",'none':1")));
        assertTrue(refused.getMessage().contains("nvmf_delete_subsystem is refused"), refused.getMessage());
        assertAllRefused();
        dataPlane.hosts().allow(nqn, HOST);
        Waits.get(dataPlane.subsystems().delete(nqn));
        assertOthersMayHaveIt();
    }

    /** SPDK refuses a second deletion; the first ends when it can, and the subsystem is nobody's then. */
    @Test
    void shouldRefuseWhileADeletionIsLate()
    {
        addHanging();
        final AtomicInteger late = new AtomicInteger();
        try (RemoteController controller = connect())
        {
            hang(controller);
            SpdkTesting.runtime().call("nvmf_delete_subsystem", own(""), LATE_MS, (_) ->
            {
                assertThrows(SpdkException.class,
                    () -> SpdkTesting.runtime().call("nvmf_delete_subsystem", own("")));
                methods().forEach((method, params) -> assertRefused(method, params, "subsystem " + nqn));
                late.incrementAndGet();
                Waits.get(dataPlane.namespaces().remove(nqn, 2));
            });
        }
        assertEquals(1, late.get());
        assertOthersMayHaveIt();
    }

    private void assertOthersMayHaveIt()
    {
        final String gone = assertThrows(IllegalStateException.class,
            () -> SpdkTesting.rpc("nvmf_delete_subsystem", '{' + subsystem() + '}')).getMessage();
        assertTrue(!gone.contains(GUARDED), gone);
        SpdkTesting.rpc("nvmf_create_subsystem", '{' + subsystem() + '}');
        SpdkTesting.rpc("nvmf_subsystem_allow_any_host", '{' + subsystem() + ",'allow_any_host':true}");
        SpdkTesting.rpc("nvmf_delete_subsystem", '{' + subsystem() + '}');
    }

    /** A subsystem that SPDK refuses to make, as others have it, stays theirs. */
    @Test
    void shouldLeaveASubsystemToOthersThatTheyHave()
    {
        final String other = SpdkTesting.name("nqn.2026-11.io.millrace:other");
        final String ofOther = "{'nqn':'" + other + "'}";
        SpdkTesting.rpc("nvmf_create_subsystem", ofOther);
        assertThrows(OperationException.class, () -> dataPlane.subsystems().create(new SubsystemSettings(
            other, null, null, true, List.of(), List.of())));
        SpdkTesting.rpc("nvmf_subsystem_allow_any_host", "{'nqn':'" + other + "','allow_any_host':true}");
        SpdkTesting.rpc("nvmf_delete_subsystem", ofOther);
    }

    /** Subsystems of another target are others', whatever their NQN. With two targets SPDK needs the name of each. */
    @Test
    void shouldTellTargetsApart()
    {
        SpdkTesting.rpc("nvmf_create_target", "{'name':'other_tgt'}");
        try
        {
            final String ofOther = "{'tgt_name':'other_tgt'," + subsystem();
            SpdkTesting.rpc("nvmf_create_subsystem", ofOther + '}');
            SpdkTesting.rpc("nvmf_subsystem_allow_any_host", ofOther + ",'allow_any_host':true}");
            dataPlane.hosts().allow(nqn, HOST);
            SpdkTesting.rpc("nvmf_delete_subsystem", ofOther + '}');
        }
        finally
        {
            SpdkTesting.rpc("nvmf_delete_target", "{'name':'other_tgt'}");
        }
        assertAllRefused();
    }

    /** The discovery subsystem is SPDK's own, and of listeners of the data plane as long as they are there. */
    @Test
    void shouldKeepDiscoveryOfItsListeners()
    {
        final String own = "listener 127.0.0.1:" + spdk.serviceId();
        final String subject = "the discovery subsystem";
        final String before = SpdkTesting.rpc("nvmf_get_subsystems", "");
        assertRefused("nvmf_subsystem_remove_listener", discovery(listener(spdk.serviceId())), own);
        assertRefused("nvmf_subsystem_remove_listener",
            discovery(",'tgt_name':'nvmf_tgt'" + listener(spdk.serviceId())), own);
        assertRefused("nvmf_subsystem_allow_any_host", discovery(",'allow_any_host':false"), subject);
        assertRefused("nvmf_subsystem_remove_host", discovery(",'host':'" + HOST + '\''), subject);
        assertRefused("nvmf_delete_subsystem", discovery(""), subject);
        assertEquals(before, SpdkTesting.rpc("nvmf_get_subsystems", ""));
        assertEquals("", dataPlane.listeners().remove(spdk));
        assertRefused("nvmf_delete_subsystem", discovery(""), subject);
        SpdkTesting.rpc("nvmf_subsystem_allow_any_host", discovery(",'allow_any_host':false"));
        SpdkTesting.rpc("nvmf_subsystem_allow_any_host", discovery(",'allow_any_host':true"));
    }

    /** Others have their addresses, before and after the data plane has them. */
    @Test
    void shouldLeaveDiscoveryOfOtherListenersToOthers()
    {
        final String other = listener(Integer.toString(SpdkFrontEnd.freePort()));
        SpdkTesting.rpc("nvmf_subsystem_add_listener", discovery(other));
        SpdkTesting.rpc("nvmf_subsystem_remove_listener", discovery(other));
        assertEquals("", dataPlane.listeners().remove(spdk));
        final String former = discovery(listener(spdk.serviceId()));
        SpdkTesting.rpc("nvmf_subsystem_add_listener", former);
        assertThrows(OperationException.class, () -> dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK));
        SpdkTesting.rpc("nvmf_subsystem_remove_listener", former);
        dataPlane.listeners().add(spdk, false, ListenerProvider.SPDK);
        final String referral = "{'address':{'trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1','trsvcid':'4420'}}";
        SpdkTesting.rpc("nvmf_discovery_add_referral", referral);
        SpdkTesting.rpc("nvmf_discovery_remove_referral", referral);
        assertAllRefused();
    }

    /** What SPDK does not listen on is not the data plane's. */
    @Test
    void shouldLeaveAnAddressToOthersThatItDidNotGet() throws IOException
    {
        final TransportAddress taken;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            taken = TransportAddress.tcp("127.0.0.1", socket.getLocalPort());
            // More than once, as a manager does.
            for (int i = 0; i < 3; i++)
            {
                assertThrows(
                    OperationException.class, () -> dataPlane.listeners().add(taken, false, ListenerProvider.SPDK));
            }
        }
        final String free = discovery(listener(taken.serviceId()));
        final String missing = assertThrows(IllegalStateException.class,
            () -> SpdkTesting.rpc("nvmf_subsystem_remove_listener", free)).getMessage();
        assertFalse(missing.contains(GUARDED), missing);
        SpdkTesting.rpc("nvmf_subsystem_add_listener", free);
        SpdkTesting.rpc("nvmf_subsystem_remove_listener", free);
    }

    /** A release of SPDK with another method that changes its target has to be looked at. */
    @Test
    void shouldKnowEachMethodThatChangesTheTarget()
    {
        final Set<String> known = new TreeSet<>(methods().keySet());
        // What others may: each makes or changes something of their own.
        known.addAll(List.of("nvmf_create_subsystem", "nvmf_create_target", "nvmf_delete_target",
            "nvmf_create_transport", "nvmf_discovery_add_referral", "nvmf_discovery_remove_referral",
            "nvmf_publish_mdns_prr", "nvmf_stop_mdns_prr"));
        final Set<String> found = Pattern.compile("\"((?:nvmf|framework|thread|spdk_kill)_\\w+)\"")
            .matcher(SpdkTesting.rpc("rpc_get_methods", "{'current':true}")).results().map((each) -> each.group(1))
            .filter((each) -> !each.contains("_get_")).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(known, found);
    }
}

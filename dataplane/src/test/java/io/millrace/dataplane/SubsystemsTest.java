package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.BLOCK;
import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.get;
import static io.millrace.dataplane.OperationsFixture.refused;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.snapshot.HostSnapshot;
import io.millrace.dataplane.snapshot.SubsystemSnapshot;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.ControllerSnapshot;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.ControllerState;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.namespace.NamespaceSnapshot;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SubsystemsTest
{
    private static final String OTHER = "nqn.2026-11.io.millrace:other";
    private static final String GONE = "device gone: does not exist; existing devices: mem0, mem1";
    private static final String MISSING = "subsystem " + OTHER + ": does not exist; existing subsystems: " + NQN;

    private final OperationsFixture fixture = new OperationsFixture();
    private final DataPlane dataPlane = fixture.dataPlane;

    @AfterEach
    void close()
    {
        fixture.close();
    }

    private static SubsystemSettings.NamespaceSettings show(final int nsid, final String device)
    {
        return new SubsystemSettings.NamespaceSettings(nsid, device, null);
    }

    @Test
    void shouldServeWhatIsMadeWhileAHostIsConnected()
    {
        final TransportAddress address = fixture.serveVolume();
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            assertEquals(NvmeStatus.INVALID_NAMESPACE, NvmeStatus.code(fixture.write(queue, 2, 0)));
            fixture.memory("mem1", 8);
            fixture.namespace(NQN, 2, "mem1");
            until("the namespace to be served",
                () -> NvmeStatus.SUCCESS == fixture.write(queue, 2, 0));
            // Counted when its answer has left, which the host may know first.
            until("the write to be counted", () -> 1 == dataPlane.namespaces().list(NQN).get(1).writes());
            final List<NamespaceSnapshot> both = dataPlane.namespaces().list(NQN);
            assertEquals(List.of(1, 2), both.stream().map(NamespaceSnapshot::nsid).toList());
            assertEquals(1, both.get(1).writes());
            assertEquals(BLOCK, both.get(1).writtenBytes());
            assertEquals(0, both.get(0).writes());
            final ControllerSnapshot seen = dataPlane.controllers().list(null).getFirst();
            assertEquals(fixture.host.hostNqn(), seen.hostNqn());
            assertEquals(1, seen.ioQueues());
            assertEquals(5000, seen.keepAliveMs());
            assertEquals("ready", seen.state());
            assertEquals(1, dataPlane.snapshot().controllers());
            assertEquals(new SubsystemSnapshot(NQN, dataPlane.subsystems().get(NQN).serial(), "Millrace", true, 2, 1),
                dataPlane.subsystems().list().getFirst());
            get(dataPlane.namespaces().remove(NQN, 2));
            dataPlane.devices().delete("mem1");
            assertEquals(NvmeStatus.INVALID_NAMESPACE, NvmeStatus.code(fixture.write(queue, 2, 0)));
        }
    }

    @Test
    void shouldFreeDevicesAndHostsWhenASubsystemIsDeleted()
    {
        final TransportAddress address = fixture.serveVolume();
        try (RemoteController controller = fixture.connect(address))
        {
            fixture.queue(controller);
            get(dataPlane.subsystems().delete(NQN));
            assertNull(dataPlane.devices().get("mem0").user());
            dataPlane.devices().delete("mem0");
            until("the host to lose its controller", () -> ControllerState.LIVE != controller.state());
            fixture.awaitEvent(ResourceKind.SUBSYSTEM, ResourceChange.DELETED, NQN);
            fixture.awaitEvent(ResourceKind.CONTROLLER, ResourceChange.DISCONNECTED, NQN + "/1");
        }
        assertEquals(List.of(), dataPlane.subsystems().list());
        fixture.memory("mem0", 8);
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "mem0");
        fixture.connect(address).close();
    }

    @Test
    void shouldMakeASubsystemWithAllItHasOrNothing()
    {
        fixture.memory("mem0", 8);
        fixture.memory("mem1", 8);
        refused(Reason.NOT_FOUND, GONE, () -> dataPlane.subsystems().create(
            new SubsystemSettings(NQN, null, null, true, List.of(), List.of(show(1, "mem0"), show(2, "gone")))));
        assertEquals(List.of(), dataPlane.subsystems().list());
        assertNull(dataPlane.devices().get("mem0").user());
        final String host = HostConfig.random().hostNqn();
        dataPlane.subsystems().create(new SubsystemSettings(NQN, "S1", "M1", false, List.of(host),
            List.of(show(1, "mem0"), show(7, "mem1"))));
        assertEquals(new SubsystemSnapshot(NQN, "S1", "M1", false, 2, 0), dataPlane.subsystems().get(NQN));
        assertEquals(List.of(new HostSnapshot(NQN, host)), dataPlane.hosts().list(null));
        fixture.awaitEvent(ResourceKind.NAMESPACE, ResourceChange.CREATED, NQN + "/7");
    }

    @Test
    void shouldRefuseSubsystemsThatCannotBe()
    {
        fixture.subsystem(NQN);
        refused(Reason.EXISTS, "subsystem " + NQN + ": already exists; choose another NQN",
            () -> fixture.subsystem(NQN));
        refused(Reason.EXISTS, "subsystem " + Nqn.DISCOVERY + ": belongs to discovery; choose another NQN",
            () -> fixture.subsystem(Nqn.DISCOVERY));
        refused(Reason.INVALID, "subsystem: NQN 'x' is not of the form nqn.yyyy-mm.reverse.domain[:name]: write one " +
            "such as nqn.2026-11.io.example:vol0", () -> fixture.subsystem("x"));
        refused(Reason.INVALID, "subsystem: NQN is empty: write one such as nqn.2026-11.io.example:vol0",
            () -> fixture.subsystem(null));
        refused(Reason.INVALID, "subsystem " + OTHER + ": serial-number '" + "9".repeat(21) + "' is not 1 to 20 " +
            "printable ASCII characters: shorten or replace it", () -> dataPlane.subsystems().create(
                new SubsystemSettings(OTHER, "9".repeat(21), null, true, List.of(), List.of())));
        refused(Reason.NOT_FOUND, MISSING, () -> dataPlane.subsystems().delete(OTHER));
        refused(Reason.NOT_FOUND, "subsystem " + Nqn.DISCOVERY + ": does not exist; existing subsystems: " + NQN,
            () -> dataPlane.subsystems().delete(Nqn.DISCOVERY));
        assertEquals(1, dataPlane.subsystems().list().size());
    }

    @Test
    void shouldRefuseNamespacesThatCannotBe()
    {
        fixture.serveVolume();
        fixture.memory("mem1", 8);
        final UUID uuid = dataPlane.namespaces().list(NQN).getFirst().uuid();
        refused(Reason.NOT_FOUND, MISSING, () -> fixture.namespace(OTHER, 1, "mem1"));
        refused(Reason.EXISTS, "namespace " + NQN + "/1: already exists; choose another NSID",
            () -> fixture.namespace(NQN, 1, "mem1"));
        refused(Reason.INVALID, "namespace " + NQN + "/0: NSID is not within 1 to 16384; choose another",
            () -> fixture.namespace(NQN, 0, "mem1"));
        refused(Reason.INVALID, "namespace " + NQN + "/16385: NSID is not within 1 to 16384; choose another",
            () -> fixture.namespace(NQN, Namespace.NSID_MAX + 1, "mem1"));
        refused(Reason.NOT_FOUND, GONE,
            () -> fixture.namespace(NQN, 2, "gone"));
        refused(Reason.IN_USE, "device mem0: is used by namespace " + NQN + "/1; a device has one user: choose another",
            () -> fixture.namespace(NQN, 2, "mem0"));
        refused(Reason.EXISTS, "namespace " + NQN + "/2: UUID " + uuid + " is that of namespace " + NQN +
            "/1; choose another", () -> dataPlane.namespaces().add(NQN,
                new SubsystemSettings.NamespaceSettings(2, "mem1", uuid)));
        refused(Reason.NOT_FOUND, "namespace " + NQN + "/2: does not exist; add it first",
            () -> dataPlane.namespaces().remove(NQN, 2));
        refused(Reason.NOT_FOUND, MISSING, () -> dataPlane.namespaces().remove(OTHER, 1));
        refused(Reason.NOT_FOUND, MISSING, () -> dataPlane.namespaces().list(OTHER));
        assertEquals(1, dataPlane.namespaces().list(null).size());
        assertNull(dataPlane.devices().get("mem1").user());
    }

    @Test
    void shouldDisconnectAHostThatIsDeniedForGood()
    {
        final TransportAddress address = fixture.serveVolume();
        final Hosts hosts = dataPlane.hosts();
        final String hostNqn = fixture.host.hostNqn();
        hosts.allow(NQN, hostNqn);
        get(hosts.allowAny(NQN, false));
        refused(Reason.EXISTS, "host " + hostNqn + " of subsystem " + NQN + ": is already allowed; leave it",
            () -> hosts.allow(NQN, hostNqn));
        try (RemoteController controller = fixture.connect(address))
        {
            assertEquals(1, dataPlane.controllers().list(NQN).size());
            get(hosts.deny(NQN, hostNqn));
            assertEquals(List.of(), dataPlane.controllers().list(NQN));
            until("the host to lose its controller", () -> ControllerState.LIVE != controller.state());
        }
        assertInstanceOf(InitiatorException.class,
            OperationsFixture.failure(fixture.tryConnect(address, fixture.host, ControllerListener.NONE)));
        fixture.awaitEvent(ResourceKind.CONTROLLER, ResourceChange.REFUSED, NQN);
        get(hosts.allowAny(NQN, true));
        fixture.connect(address).close();
    }

    @Test
    void shouldDisconnectOnlyHostsThatAreNotOnTheListWhenAnyHostIsNoLongerAllowed()
    {
        final TransportAddress address = fixture.serveVolume();
        final HostConfig listed = HostConfig.random();
        dataPlane.hosts().allow(NQN, listed.hostNqn());
        try (RemoteController stays = get(fixture.tryConnect(address, listed, ControllerListener.NONE));
            RemoteController goes = fixture.connect(address))
        {
            get(dataPlane.hosts().allowAny(NQN, true));
            get(dataPlane.hosts().allowAny(NQN, false));
            until("the host to lose its controller", () -> ControllerState.LIVE != goes.state());
            assertEquals(List.of(listed.hostNqn()),
                dataPlane.controllers().list(NQN).stream().map(ControllerSnapshot::hostNqn).toList());
            assertEquals(ControllerState.LIVE, stays.state());
            // It may be there nevertheless while every host may.
            get(dataPlane.hosts().allowAny(NQN, true));
            get(dataPlane.hosts().deny(NQN, listed.hostNqn()));
            assertEquals(1, dataPlane.controllers().list(NQN).size());
        }
    }

    @Test
    void shouldRefuseHostsThatCannotBe()
    {
        fixture.subsystem(NQN);
        final Hosts hosts = dataPlane.hosts();
        final String hostNqn = fixture.host.hostNqn();
        refused(Reason.INVALID, "host: NQN 'x' is not of the form nqn.yyyy-mm.reverse.domain[:name]: write one " +
            "such as nqn.2026-11.io.example:vol0", () -> hosts.allow(NQN, "x"));
        refused(Reason.NOT_FOUND, "host " + hostNqn + " of subsystem " + NQN +
            ": is not on its list; allow only listed hosts", () -> hosts.deny(NQN, hostNqn));
        refused(Reason.NOT_FOUND, MISSING, () -> hosts.allow(OTHER, hostNqn));
        refused(Reason.NOT_FOUND, MISSING, () -> hosts.deny(OTHER, hostNqn));
        refused(Reason.NOT_FOUND, MISSING, () -> hosts.allowAny(OTHER, false));
        refused(Reason.NOT_FOUND, MISSING, () -> hosts.list(OTHER));
        assertEquals(List.of(), hosts.list(null));
    }

    @Test
    void shouldEndAnAssociationThatMayBeMadeAgain()
    {
        final TransportAddress address = fixture.serveVolume();
        refused(Reason.NOT_FOUND, "controller " + NQN + "/1: does not exist; list controllers to see the existing ones",
            () -> dataPlane.controllers().disconnect(NQN, 1));
        refused(Reason.NOT_FOUND, MISSING, () -> dataPlane.controllers().disconnect(OTHER, 1));
        try (RemoteController controller = fixture.connect(address))
        {
            final int id = dataPlane.controllers().list(NQN).getFirst().controllerId();
            get(dataPlane.controllers().disconnect(NQN, id));
            assertEquals(List.of(), dataPlane.controllers().list(null));
            until("the host to lose its controller", () -> ControllerState.LIVE != controller.state());
        }
        fixture.connect(address).close();
        assertTrue(fixture.events.stream().anyMatch((event) -> event.text().contains("disconnected by an operator")));
    }
}

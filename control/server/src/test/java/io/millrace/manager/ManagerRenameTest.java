package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Health;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An array gets another name by a manager, and either process ends between the steps. */
class ManagerRenameTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final long FILE_BYTES = 8L << 20;

    @TempDir
    private Path directory;

    private TestPlane plane;
    private ManagerFixture fixture;
    private ControlClient client;
    private UUID array;
    private UUID namespace;

    @BeforeEach
    void begin()
    {
        plane = TestPlane.started(directory, "a");
        fixture = ManagerFixture.of(directory, plane.config("dp0"));
        client = fixture.connect();
        ManagerFixture.untilWell(client);
        for (final String each : List.of("d0", "d1"))
        {
            client.createDevice(DeviceSpec.file(each, directory.resolve(each + ".img").toString(), FILE_BYTES));
        }
        client.createDevice(
            new DeviceSpec("vol0", "raid", Map.of("level", "1", "members", "d0 d1", "assume-clean", "true")));
        client.createSubsystem(new SubsystemSpec(NQN, true));
        client.addNamespace(new NamespaceSpec(NQN, 1, "vol0"));
        client.setQos(new QosSpec(NQN, 1, "", 0, 0, 1000, 0, 0, 0, 0));
        // On a slow machine a command may be stored and answered before the data plane is connected again.
        ManagerFixture.untilWell(client);
        array = plane.dataPlane().arrays().get("vol0").id();
        namespace = client.namespaces("").getFirst().uuid();
    }

    @AfterEach
    void end()
    {
        fixture.close();
        plane.close();
    }

    /** Once, as what it was before, for hosts too. */
    private void assertServed(final String name)
    {
        ManagerFixture.untilWell(client);
        assertEquals(List.of(name), plane.dataPlane().arrays().list().stream().map((each) -> each.name()).toList());
        assertEquals(array, plane.dataPlane().arrays().get(name).id());
        assertEquals(List.of("d0", "d1", name), plane.dataPlane().devices().list().stream()
            .map(DeviceSnapshot::name).sorted().toList());
        assertEquals(List.of("d0", "d1", name), client.devices("").stream().map(DeviceInfo::name).sorted().toList());
        final List<NamespaceInfo> namespaces = client.namespaces("");
        assertEquals(List.of(namespace), namespaces.stream().map(NamespaceInfo::uuid).toList());
        assertEquals(name, namespaces.getFirst().device());
        assertEquals(1000, client.qos(NQN).getFirst().limits().iops());
    }

    private void assertRefused(final String message, final Command command)
    {
        assertEquals(message, assertThrows(ControlException.class, () -> client.execute(command)).getMessage());
    }

    private Path applied()
    {
        return directory.resolve("state-of-plane-a").resolve("applied-state.yaml");
    }

    @Test
    void shouldRenameAndRollBack() throws IOException
    {
        final long before = client.manager().managed("").getFirst().desiredVersion();
        client.renameDevice("vol0", "vol1");
        // Before the answer, so that no restart restores the old name.
        assertTrue(Files.readString(applied()).contains("vol1"), () -> "not stored");
        assertServed("vol1");
        assertEquals(before + 1, client.manager().managed("").getFirst().desiredVersion());
        plane.restart();
        ManagerFixture.until(client, (info) -> info.isConnected());
        assertServed("vol1");
        client.execute(new Command.Rollback(before));
        assertServed("vol0");
        assertEquals(List.of(), plane.errors());
    }

    @Test
    void shouldRefuseWhatCannotBeRenamed()
    {
        assertRefused("device none: does not exist; existing devices: d0, d1, vol0",
            new Command.RenameDevice("none", "vol1"));
        assertRefused("device d1: is not an array, and only arrays can be renamed; create it by the other name",
            new Command.RenameDevice("d1", "d2"));
        assertRefused("device d1: already exists; choose another name for array vol0",
            new Command.RenameDevice("vol0", "d1"));
        assertRefused("device name 'a b': is not a name of 1 to 64 letters, digits, '.', '_' or '-', a letter or " +
            "digit first; choose another", new Command.RenameDevice("vol0", "a b"));
        client.removeNamespace(NQN, 1);
        client.createDevice(DeviceSpec.fault("faulty", "vol0", 1));
        assertRefused("device vol0: is used by device faulty, which names it; remove that first",
            new Command.RenameDevice("vol0", "vol1"));
    }

    /** Accepted while the data plane is not there: it follows when it is back, with its hosts on their namespace. */
    @Test
    void shouldRenameWhenTheDataPlaneIsBack()
    {
        plane.stop();
        ManagerFixture.until(client, (info) -> !info.isConnected());
        client.renameDevice("vol0", "vol1");
        fixture.stop();
        plane.start();
        assertEquals("vol0", plane.dataPlane().arrays().list().getFirst().name());
        fixture.start();
        client = fixture.connect();
        ManagerFixture.until(client, (info) -> info.isConnected());
        assertServed("vol1");
    }

    /** A namespace on the name of an array that keeps it for now would give hosts the other one's data. */
    @Test
    void shouldNotUseANameThatAnotherArrayStillHas()
    {
        for (final String each : List.of("d2", "d3", "d4"))
        {
            client.createDevice(DeviceSpec.file(each, directory.resolve(each + ".img").toString(), 4 * FILE_BYTES));
        }
        client.createDevice(new DeviceSpec("vol1", "raid",
            Map.of("level", "1", "members", "d2 d3", "assume-clean", "true", "sync-rate-min", "1MiB",
            "sync-rate-max", "4MiB")));
        client.removeNamespace(NQN, 1);
        client.modifyDevice("vol1", Map.of("members", "d2 d4"));
        plane.stop();
        ManagerFixture.until(client, (info) -> !info.isConnected());
        client.renameDevice("vol1", "vol2");
        client.renameDevice("vol0", "vol1");
        client.addNamespace(new NamespaceSpec(NQN, 1, "vol1"));
        plane.start();
        ManagerFixture.until(client, (info) -> info.isConnected() && Health.DRIFTED == info.health());
        assertEquals(List.of("vol0", "vol1"),
            plane.dataPlane().arrays().list().stream().map((each) -> each.name()).sorted().toList());
        assertEquals(List.of(), plane.dataPlane().namespaces().list(NQN), "on the other array");
        ManagerFixture.untilWell(client);
        assertEquals("vol1", plane.dataPlane().namespaces().list(NQN).getFirst().device());
        assertEquals(array, plane.dataPlane().arrays().get("vol1").id());
    }

    /** RAID 1 does not start without a copy: it is renamed where it is stored, and created by that name. */
    @Test
    void shouldRenameAnArrayThatWasNotStarted() throws IOException
    {
        plane.stop();
        ManagerFixture.until(client, (info) -> !info.isConnected());
        Files.delete(directory.resolve("d1.img"));
        plane.start();
        ManagerFixture.until(client, (info) -> info.isConnected() && Health.DRIFTED == info.health() &&
            info.driftSteps() > 0);
        assertEquals(List.of(), plane.dataPlane().arrays().list());
        client.renameDevice("vol0", "vol1");
        client.modifyDevice("vol1", Map.of("force-start", "true"));
        ManagerFixture.until(client, (info) -> info.isConnected() && !plane.dataPlane().arrays().list().isEmpty());
        assertEquals(array, plane.dataPlane().arrays().get("vol1").id());
        assertEquals("vol1", plane.dataPlane().arrays().currentName("vol0", List.of("d0")), "no former name");
    }

    /** Superblocks have the new name, and the applied state has not, nor is there a manager. */
    @Test
    void shouldServeByTheNewNameThoughTheAppliedStateHasTheOldOne() throws IOException
    {
        final byte[] before = Files.readAllBytes(applied());
        client.renameDevice("vol0", "vol1");
        for (int i = 0; i < 2; i++)
        {
            fixture.stop();
            plane.stop();
            Files.write(applied(), before);
            plane.start();
            assertEquals(List.of(), plane.errors());
            assertEquals("vol1", plane.dataPlane().arrays().list().getFirst().name());
            assertEquals(namespace, plane.dataPlane().namespaces().list(NQN).getFirst().uuid());
            assertEquals("vol1", plane.dataPlane().namespaces().list(NQN).getFirst().device());
            fixture.start();
            client = fixture.connect();
            ManagerFixture.until(client, (info) -> info.isConnected());
            assertServed("vol1");
        }
        // What follows is stored with the new name.
        client.modifyDevice("vol1", Map.of("scrub-interval", "1d"));
        plane.restart();
        ManagerFixture.until(client, (info) -> info.isConnected());
        assertServed("vol1");
    }

    /** The applied state could not be written since: it has a device over the array, by its former name. */
    @Test
    void shouldStartThoughTheAppliedStateDoesNotFitTheName() throws IOException
    {
        client.removeNamespace(NQN, 1);
        client.createDevice(DeviceSpec.fault("faulty", "vol0", 1));
        // Answered when it is stored, with what came before.
        client.modifyDevice("vol0", Map.of("scrub-interval", "1d"));
        final byte[] before = Files.readAllBytes(applied());
        assertTrue(Files.readString(applied()).contains("faulty"));
        client.deleteDevice("faulty");
        client.renameDevice("vol0", "vol1");
        client.addNamespace(new NamespaceSpec(NQN, 1, namespace, "vol1"));
        client.setQos(new QosSpec(NQN, 1, "", 0, 0, 1000, 0, 0, 0, 0));
        fixture.stop();
        plane.stop();
        Files.write(applied(), before);
        plane.start();
        assertEquals(List.of(), plane.dataPlane().arrays().list());
        fixture.start();
        client = fixture.connect();
        ManagerFixture.until(client, (info) -> info.isConnected());
        assertServed("vol1");
    }

    /** A manager that knows nothing of a rename does not undo it before a person says so. */
    @Test
    void shouldNotUndoADirectRename()
    {
        try (ControlClient direct = ControlClient.connect(plane.directContext()))
        {
            direct.renameDevice("vol0", "vol2");
        }
        ManagerFixture.until(client, (info) -> Health.DRIFTED == info.health());
        final String drift = client.manager().drift("").toString();
        assertTrue(drift.contains("rename array vol2 to vol0"), drift);
        assertTrue(drift.contains("reverts settings that may have been changed directly"), drift);
        assertEquals("vol2", plane.dataPlane().arrays().list().getFirst().name());
        plane.restart();
        ManagerFixture.until(client, (info) -> info.isConnected() && Health.DRIFTED == info.health());
        assertEquals("vol2", plane.dataPlane().arrays().list().getFirst().name());
    }

    @Test
    void shouldNotCreateAnArrayByAFormerName()
    {
        client.renameDevice("vol0", "vol1");
        client.removeNamespace(NQN, 1);
        client.deleteDevice("vol1");
        final DeviceSpec stale =
            new DeviceSpec("vol0", "raid", Map.of("level", "1", "members", "d0 d1", "assume-clean", "true"));
        final String said =
            assertThrows(ControlException.class, () -> client.createDevice(stale)).getMessage();
        assertEquals("device vol0: array vol0: was renamed to vol1 (" + array + "): use that name, in namespaces " +
            "too, each with its uuid, or rename it when it serves (millrace raid rename vol1 vol0)", said);
        assertEquals(List.of(), plane.dataPlane().arrays().list());
        client.createDevice(new DeviceSpec("vol1", "raid", stale.properties()));
        assertEquals(array, plane.dataPlane().arrays().get("vol1").id());
    }
}

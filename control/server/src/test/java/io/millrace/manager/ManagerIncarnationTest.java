package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Devices that were deleted and made anew under the same name while their data plane was away. */
class ManagerIncarnationTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final long MIB = 1L << 20;

    @TempDir
    private Path directory;

    private static UUID incarnation(final ControlClient client, final String device)
    {
        return client.devices(device).getFirst().spec().incarnation();
    }

    @Test
    void shouldReplaceADeviceThatWasDeletedAndMadeAnewSmaller()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", 4 * MIB, 4096));
            client.createDevice(DeviceSpec.discard("null0", 4 * MIB, 4096));
            client.createSubsystem(new SubsystemSpec(NQN, true));
            client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            client.removeNamespace(NQN, 1);
            client.deleteDevice("mem0");
            client.deleteDevice("null0");
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            client.createDevice(DeviceSpec.discard("null0", MIB, 4096));
            client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
            plane.start();
            ManagerFixture.untilWell(client);
            assertEquals(MIB, client.devices("mem0").getFirst().sizeBytes());
            assertEquals(MIB, client.devices("null0").getFirst().sizeBytes());
            assertEquals(MIB, client.namespaces(NQN).getFirst().sizeBytes());
        }
    }

    /** The first incarnation is one that the data plane had before it ever had a manager. */
    @Test
    void shouldReplaceADeviceThatWasImportedAndDeletedSince()
    {
        try (TestPlane plane = TestPlane.started(directory, "a"))
        {
            try (ControlClient beside = ControlClient.connect(plane.context()))
            {
                beside.createDevice(DeviceSpec.memory("mem0", 4 * MIB, 4096));
            }
            try (ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
            {
                final ControlClient client = fixture.connect();
                ManagerFixture.untilWell(client);
                plane.stop();
                ManagerFixture.until(client, (info) -> !info.isConnected());
                client.deleteDevice("mem0");
                client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
                plane.start();
                ManagerFixture.untilWell(client);
                assertEquals(MIB, client.devices("mem0").getFirst().sizeBytes());
            }
        }
    }

    /** A data plane that is killed right after knows that this manager made what it has. */
    @RepeatedTest(5)
    void shouldBeInSyncOnceTheDataPlaneHasPersistedThat() throws Exception
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final Path kept = directory.resolve("state-of-plane-a/applied-state.yaml");
            final ManagedInfo info = ManagerFixture.untilWell(fixture.connect());
            final String state = Files.readString(kept);
            assertTrue(state.contains("\nversion: " + info.desiredVersion() + '\n'), state);
        }
    }

    @Test
    void shouldNotBeInSyncWhileTheDataPlaneCannotPersistAVersion() throws Exception
    {
        try (TestPlane plane = TestPlane.started(directory, "a"))
        {
            plane.persists(false);
            try (ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
            {
                checkNotInSyncUntilPersisted(plane, fixture.connect());
            }
        }
    }

    /** It has persisted the version, but not that a change made beside the manager was reverted. */
    @Test
    void shouldNotBeInSyncWhileTheDataPlaneCannotPersistTheRepairOfAVersion() throws Exception
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            ManagerFixture.untilWell(client);
            plane.persists(false);
            try (ControlClient beside = ControlClient.connect(plane.directContext()))
            {
                beside.deleteDevice("mem0");
            }
            client.manager().reconcile(ReconcileMode.REPAIR);
            assertEquals(1, client.devices("mem0").size());
            checkNotInSyncUntilPersisted(plane, client);
        }
    }

    private static void checkNotInSyncUntilPersisted(final TestPlane plane, final ControlClient client)
        throws Exception
    {
        final ManagedInfo info = ManagerFixture.until(client, (each) -> Health.IN_SYNC == each.health() ||
            each.text().contains("the data plane cannot persist it in "));
        assertEquals(Health.DRIFTED, info.health(), info::toString);
        plane.persists(true);
        assertEquals("", ManagerFixture.untilWell(client).text());
    }

    /** What was deleted does not come back under the name of what was made for somebody else. */
    @Test
    void shouldReplaceADeviceOfTheSameSizeToo()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            client.createDevice(DeviceSpec.memory("mem1", MIB, 4096));
            final UUID before = incarnation(client, "mem0");
            final UUID kept = incarnation(client, "mem1");
            assertNotEquals(DeviceSpec.NO_INCARNATION, before);
            assertNotEquals(before, kept);
            plane.restart();
            ManagerFixture.until(client, ManagedInfo::isConnected);
            ManagerFixture.untilWell(client);
            assertEquals(before, incarnation(client, "mem0"), "a restart makes no other");
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            client.deleteDevice("mem0");
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            plane.start();
            ManagerFixture.untilWell(client);
            assertNotEquals(before, incarnation(client, "mem0"));
            assertEquals(kept, incarnation(client, "mem1"));
            // A manager that was started again knows which one it has.
            final UUID after = incarnation(client, "mem0");
            fixture.stop();
            fixture.start();
            final ControlClient again = fixture.connect();
            ManagerFixture.untilWell(again);
            assertEquals(after, incarnation(again, "mem0"));
            assertEquals(List.of(), plane.errors());
        }
    }

    @Test
    void shouldAskBeforeItReplacesWhatSomebodyMadePastTheManager()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0"));
            ControlClient beside = ControlClient.connect(plane.directContext()))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            fixture.stop();
            beside.deleteDevice("mem0");
            beside.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            final UUID made = incarnation(beside, "mem0");
            fixture.start();
            final ControlClient again = fixture.connect();
            ManagerFixture.until(again, (info) -> Health.DRIFTED == info.health() && 0 != info.driftSteps());
            final List<DriftInfo> drift = again.manager().drift("");
            assertTrue(drift.stream().allMatch(DriftInfo::isWithheld), drift::toString);
            assertTrue(drift.getFirst().step().contains("it was deleted and recreated"), drift::toString);
            assertEquals(made, incarnation(beside, "mem0"));
            again.manager().reconcile(ReconcileMode.ADOPT);
            ManagerFixture.untilWell(again);
            assertEquals(made, incarnation(beside, "mem0"));
        }
    }

    /** What is made again because a data plane lacks it is what should be there, and stays. */
    @Test
    void shouldMakeTheIncarnationThatShouldBeThereWhereItIsAskedForAgain()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0"));
            ControlClient beside = ControlClient.connect(plane.directContext()))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            final UUID made = incarnation(client, "mem0");
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            assertEquals(made, incarnation(client, "mem0"));
            beside.deleteDevice("mem0");
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            assertEquals(made, incarnation(beside, "mem0"));
            client.manager().reconcile(ReconcileMode.REPAIR);
            assertEquals(made, incarnation(beside, "mem0"));
        }
    }

    /** What a version says of earlier incarnations does not count: they are gone. */
    @Test
    void shouldNotReplaceAVolumeBecauseItIsRolledBack() throws Exception
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            final long version = client.manager().versions("").getLast().version();
            final UUID first = incarnation(client, "mem0");
            client.deleteDevice("mem0");
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            final UUID second = incarnation(client, "mem0");
            assertNotEquals(first, second);
            client.manager().rollback(version);
            ManagerFixture.untilWell(client);
            assertEquals(second, incarnation(client, "mem0"));
            // Nor does a plane that comes back with what it kept.
            plane.restart();
            ManagerFixture.until(client, ManagedInfo::isConnected);
            ManagerFixture.untilWell(client);
            assertEquals(second, incarnation(client, "mem0"));
            final Path kept = directory.resolve("state-of-plane-a/applied-state.yaml");
            assertTrue(Files.readString(kept).contains("incarnation: " + second), () -> second + "");
        }
    }
}

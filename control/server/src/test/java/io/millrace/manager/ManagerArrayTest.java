package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.DeviceHealth;
import io.millrace.block.raid.RaidMemberDetails;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An array whose members a manager changes, and whose data plane ends meanwhile. */
class ManagerArrayTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    /** At this rate the copy of such a file takes longer than anything here waits for. */
    private static final long FILE_BYTES = 64L << 20;
    private static final String SLOW = "1MiB";

    @TempDir
    private Path directory;

    private void file(final ControlClient client, final String name)
    {
        client.createDevice(DeviceSpec.file(name, directory.resolve(name + ".img").toString(), FILE_BYTES));
    }

    private static void await(final BooleanSupplier condition, final String what)
    {
        final long deadlineNs = System.nanoTime() + ManagerFixture.WAIT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "never " + what);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static DeviceSnapshot device(final TestPlane plane, final String name)
    {
        return plane.dataPlane().devices().get(name);
    }

    private static boolean isThere(final TestPlane plane, final String name)
    {
        return plane.dataPlane().devices().list().stream().anyMatch((each) -> name.equals(each.config().name()));
    }

    private static boolean isReplacing(final TestPlane plane, final String name)
    {
        return plane.dataPlane().arrays().get("array").members().stream().anyMatch((each) ->
            name.equals(each.name()) && RaidMemberDetails.State.REBUILDING == each.state() &&
            RaidMemberDetails.NO_SLOT == each.slot());
    }

    /** The name of the old member is behind that of the array, as devices are created by their names. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFinishAReplacementThatTheEndOfADataPlaneInterrupted(final boolean hasLostItsState) throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            file(client, "m0");
            file(client, "old");
            file(client, "zew");
            client.createDevice(new DeviceSpec("array", "raid", Map.of("level", "1", "members", "m0 old",
                "assume-clean", "true", "sync-rate-min", SLOW, "sync-rate-max", SLOW)));
            client.createSubsystem(new SubsystemSpec(NQN, true));
            client.addNamespace(new NamespaceSpec(NQN, 1, "array"));
            client.modifyDevice("array", Map.of("members", "m0 zew"));
            await(() -> isReplacing(plane, "zew"), "replacing");
            for (int i = 0; i < 2; i++)
            {
                plane.stop();
                ManagerFixture.until(client, (info) -> !info.isConnected());
                if (hasLostItsState)
                {
                    plane.forgetState();
                }
                plane.start();
                ManagerFixture.until(client, (info) -> info.isConnected());
                await(() -> isThere(plane, "array"), "created");
                ManagerFixture.untilWell(client);
                assertEquals(DeviceHealth.ONLINE, device(plane, "array").health());
                assertEquals("device array", device(plane, "old").user());
                await(() -> 1 == client.namespaces("").size(), "served");
                await(() -> isReplacing(plane, "zew"), "replacing");
            }
            client.modifyDevice("array", Map.of("sync-rate-max", "1GiB"));
            await(() -> null == device(plane, "old").user(), "replaced");
            assertEquals(List.of("m0", "zew"), device(plane, "array").members().stream().sorted().toList());
            ManagerFixture.untilWell(client);
            assertEquals("m0 zew", client.devices("array").getFirst().spec().properties().get("members"));
            client.deleteDevice("old");
            ManagerFixture.untilWell(client);
        }
    }

    @Test
    void shouldUndoAReplacementThatTheEndOfADataPlaneInterrupted()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            file(client, "m0");
            file(client, "m1");
            file(client, "m2");
            client.createDevice(new DeviceSpec("array", "raid", Map.of("level", "1", "members", "m0 m1",
                "assume-clean", "true", "sync-rate-min", SLOW, "sync-rate-max", SLOW)));
            client.modifyDevice("array", Map.of("members", "m0 m2"));
            await(() -> isReplacing(plane, "m2"), "replacing");
            plane.restart();
            ManagerFixture.until(client, (info) -> info.isConnected());
            ManagerFixture.untilWell(client);
            client.modifyDevice("array", Map.of("members", "m0 m1"));
            assertEquals(List.of("m0", "m1"), device(plane, "array").members());
            assertNull(device(plane, "m2").user());
            ManagerFixture.untilWell(client);
        }
    }

    /** RAID 1 does not start without a copy, and what is wrong with it is changed where it is stored. */
    @Test
    void shouldChangeAnArrayThatWasNotStarted() throws IOException
    {
        final List<String> notes = new CopyOnWriteArrayList<>();
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect(fixture.context().onWarning(notes::add));
            ManagerFixture.untilWell(client);
            for (final String each : List.of("m0", "m1", "m2"))
            {
                file(client, each);
            }
            client.createDevice(new DeviceSpec(
                "array", "raid", Map.of("level", "1", "members", "m0 m1", "assume-clean", "true")));
            client.createSubsystem(new SubsystemSpec(NQN, true));
            client.addNamespace(new NamespaceSpec(NQN, 1, "array"));
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            Files.delete(directory.resolve("m1.img"));
            plane.start();
            ManagerFixture.until(client, (info) -> info.isConnected() && Health.DRIFTED == info.health() &&
                info.driftSteps() > 0);
            final String notStarted = "device array is not started: ";
            for (final Executable each : List.<Executable>of(() -> client.devices("array"),
                () -> client.arrays("array"), () -> client.operateArray("array", ArrayOperation.SCRUB_CHECK, "")))
            {
                final String message = assertThrows(ControlException.class, each).getMessage();
                assertTrue(message.startsWith(notStarted), message);
            }
            assertEquals(List.of(), notes);
            client.modifyDevice("array", Map.of("spares", "m2"));
            assertEquals(1, notes.size(), notes::toString);
            assertTrue(notes.getFirst().startsWith("saved; " + notStarted + "array array: members slot 1 ("),
                notes::toString);
            assertEquals("m2", desired(client, "array").get("spares"));
            // Several changes at once, as of a document.
            client.execute(new Command.BeginChange(""));
            client.modifyDevice("array", Map.of("scrub-interval", "1d"));
            client.modifyDevice("array", Map.of("sync-rate-max", "512MiB"));
            client.execute(new Command.CommitChange());
            assertEquals(2, notes.size(), notes::toString);
            assertTrue(notes.getLast().startsWith("saved; " + notStarted), notes::toString);
            client.modifyDevice("array", Map.of("force-start", "true", "scrub-interval", "", "sync-rate-max", ""));
            assertEquals(2, notes.size(), notes::toString);
            await(() -> 1 == client.namespaces("").size(), "served");
            await(() -> DeviceHealth.ONLINE == device(plane, "array").health(), "rebuilt");
            client.modifyDevice("array", Map.of("force-start", "", "members", "m0 m2", "spares", ""));
            client.deleteDevice("m1");
            assertEquals(2, notes.size(), notes::toString);
            ManagerFixture.untilWell(client);
            assertEquals(Map.of("level", "1", "members", "m0 m2", "assume-clean", "true"), desired(client, "array"));
        }
    }

    @Test
    void shouldDeleteAnArrayThatWasNotStarted() throws IOException
    {
        final List<String> notes = new CopyOnWriteArrayList<>();
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect(fixture.context().onWarning(notes::add));
            ManagerFixture.untilWell(client);
            file(client, "m0");
            file(client, "m1");
            client.createDevice(new DeviceSpec("array", "raid", Map.of("level", "1", "members", "m0 m1")));
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            Files.delete(directory.resolve("m1.img"));
            plane.start();
            ManagerFixture.until(client, (info) -> info.isConnected() && info.driftSteps() > 0);
            client.deleteDevice("array");
            client.deleteDevice("m1");
            assertEquals(List.of(), notes);
            client.deleteDevice("m1");
            assertEquals(List.of("device m1: does not exist, no change"), notes);
            ManagerFixture.untilWell(client);
        }
    }

    /** The manager knows a shared spare, and that it has no other use; which array has it, superblocks say. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveASharedSpareWithItsArrayWhenADataPlaneStartsAgain(final boolean hasLostItsState) throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            for (final String each : List.of("m0", "m1", "b0", "b1", "spare"))
            {
                file(client, each);
            }
            client.modifyDevice("spare", Map.of("shared-spare", "true"));
            client.createDevice(new DeviceSpec("zarray", "raid", Map.of("level", "1", "members", "m0 m1",
                "assume-clean", "true")));
            client.createDevice(new DeviceSpec("other", "raid", Map.of("level", "1", "members", "b0 b1",
                "assume-clean", "true")));
            assertRefused("device spare: is a shared spare; set its shared-spare to false first, or use another",
                () -> client.modifyDevice("other", Map.of("spares", "spare")));
            assertRefused("device m0: is used by device zarray; a shared spare has no other use: remove that first, " +
                "or use another device", () -> client.modifyDevice("m0", Map.of("shared-spare", "true")));
            plane.dataPlane().arrays().fail("zarray", "m1").join();
            await(() -> "device zarray".equals(device(plane, "spare").user()), "taken");
            await(() -> DeviceHealth.ONLINE == device(plane, "zarray").health(), "rebuilt");
            ManagerFixture.untilWell(client);
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            if (hasLostItsState)
            {
                plane.forgetState();
            }
            plane.start();
            ManagerFixture.until(client, (info) -> info.isConnected());
            await(() -> isThere(plane, "zarray") && isThere(plane, "other"), "created");
            ManagerFixture.untilWell(client);
            assertEquals("device zarray", device(plane, "spare").user());
            assertEquals(DeviceHealth.ONLINE, device(plane, "zarray").health());
            assertEquals("m0 m1", desired(client, "zarray").get("members"));
            // It becomes a member by name.
            client.modifyDevice("spare", Map.of("shared-spare", ""));
            client.modifyDevice("zarray", Map.of("members", "m0 spare"));
            client.deleteDevice("m1");
            ManagerFixture.untilWell(client);
            assertEquals(List.of("m0", "spare"), device(plane, "zarray").members().stream().sorted().toList());
        }
    }

    private static void assertRefused(final String message, final Executable action)
    {
        assertEquals(message, assertThrows(ControlException.class, action).getMessage());
    }

    private static Map<String, String> desired(final ControlClient client, final String name)
    {
        return ((DeviceInfo)client.execute(new Command.List(Kind.DEVICE, name, Command.List.DESIRED)).resources()
            .getFirst()).spec().properties();
    }
}

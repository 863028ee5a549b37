package io.millrace.manager;

import static io.millrace.manager.ManagerFixture.MIB;
import static io.millrace.manager.ManagerFixture.codeOf;
import static io.millrace.manager.ManagerFixture.names;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.codec.State;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.VersionInfo;
import io.millrace.manager.config.HookConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data plane that has another manager, or the state of another. */
class ManagerTakeoverTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldLeaveTheDataPlaneToTheManagerThatCameLater()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture first = new ManagerFixture(directory, "first", HookConfig.NONE, plane.config("dp0")))
        {
            final List<ControlEvent> events = new ArrayList<>();
            final ControlClient client = first.connect(first.context().listener((ControlListener)events::add));
            ManagerFixture.untilWell(client);
            try (ManagerFixture second = new ManagerFixture(directory, "second", HookConfig.NONE, plane.config("dp0")))
            {
                final ControlClient later = second.connect();
                ManagerFixture.untilWell(later);
                later.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
                assertEquals(2, later.manager().managed("").getFirst().term());
                assertEquals(Code.STALE_TERM,
                    codeOf(() -> client.createDevice(DeviceSpec.memory("mem1", MIB, 4096))));
                final ManagedInfo info = ManagerFixture.until(
                    client, (each) -> Health.FENCED == each.health());
                assertEquals(Code.STALE_TERM, codeOf(() -> client.deleteDevice("mem0")));
                assertEquals(Code.STALE_TERM, codeOf(() -> client.setState(State.PAUSED)));
                assertEquals(List.of("mem0"), names(client.devices("")), "reads go on");
                assertTrue(info.isConnected());
                assertTrue(events.stream().anyMatch((each) -> each.text().startsWith("another manager is active")));
                assertTrue(first.lines().stream().anyMatch((each) -> each.contains("another manager is active")));
                // Nothing of what it wanted is left in its own state.
                assertEquals(0, client.manager().versions("").getLast().devices());
                ManagerFixture.untilWell(later);
            }
            // Started again it takes over, and takes nothing away that the other made: its own state is older.
            first.stop();
            first.start();
            final ControlClient again = first.connect();
            assertEquals(3, ManagerFixture.untilWell(again).term());
            assertEquals(List.of("mem0"), names(again.devices("")));
            final VersionInfo adopted = again.manager().versions("").getLast();
            assertEquals(1, adopted.devices());
            assertTrue(adopted.comment().startsWith("adopted: the data plane had version "), adopted.comment());
            again.deleteDevice("mem0");
        }
    }

    /** The state of other data planes, put in the place of the right one. */
    @Test
    void shouldChangeNothingOfAnotherLineageUntilAPersonDecides()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            TestPlane other = TestPlane.started(directory, "b"))
        {
            begin("first", plane, "mem0");
            begin("second", other, "mem1");
            try (ManagerFixture foreign = new ManagerFixture(directory, "second", HookConfig.NONE, plane.config("dp0")))
            {
                final ControlClient client = foreign.connect();
                ManagerFixture.until(client, (each) -> Health.FOREIGN == each.health());
                assertNotEquals(Code.OK, codeOf(() -> client.createDevice(DeviceSpec.memory("mem2", MIB, 4096))));
                assertNotEquals(Code.OK, codeOf(() -> client.manager().reconcile(ReconcileMode.REPAIR)));
                assertEquals(List.of("mem0"), names(client.devices("")));
                client.manager().reconcile(ReconcileMode.TAKE_OVER);
                assertEquals(List.of("mem0", "mem1"), names(client.devices("")), "nothing is taken away for it");
                assertEquals(1, client.manager().drift("").size());
                client.manager().reconcile(ReconcileMode.ADOPT);
                ManagerFixture.untilWell(client);
                assertEquals(2, client.manager().versions("").getLast().devices());
            }
            try (ManagerFixture first = new ManagerFixture(directory, "first", HookConfig.NONE, plane.config("dp0")))
            {
                final ControlClient client = first.connect();
                ManagerFixture.until(client, (each) -> Health.FOREIGN == each.health());
                client.manager().reconcile(ReconcileMode.ADOPT);
                ManagerFixture.untilWell(client);
                assertEquals(List.of("mem0", "mem1"), names(client.devices("")));
                assertEquals(2, client.manager().versions("").getLast().devices());
            }
        }
    }

    /** What the stored state of a data plane says of lineages. */
    private String lineages(final String plane)
    {
        try (Stream<String> lines = Files.lines(directory.resolve("state-of-plane-" + plane + "/applied-state.yaml")))
        {
            return lines.filter((line) -> line.contains("lineage")).toList().toString();
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }

    /** What a person decided is about the lineage that was there, and stays decided. */
    @Test
    void shouldAskAgainWhenYetAnotherLineageComes() throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            TestPlane other = TestPlane.started(directory, "b");
            TestPlane third = TestPlane.started(directory, "c"))
        {
            begin("first", plane, "mem0");
            begin("second", other, "mem1");
            begin("third", third, "mem2");
            try (ControlClient beside = ControlClient.connect(other.directContext()))
            {
                beside.deleteDevice("mem1");
            }
            try (ManagerFixture fixture = new ManagerFixture(directory, "second", HookConfig.NONE, other.config("dp0")))
            {
                final ControlClient client = fixture.connect();
                ManagerFixture.untilWell(client);
                client.deleteDevice("mem1");
            }
            try (ManagerFixture fixture = new ManagerFixture(directory, "second", HookConfig.NONE, plane.config("dp0")))
            {
                final ControlClient client = fixture.connect();
                ManagerFixture.until(client, (each) -> Health.FOREIGN == each.health());
                final String before = lineages("a");
                client.manager().reconcile(ReconcileMode.TAKE_OVER);
                // The data plane stores whose state it has after that.
                ManagerFixture.until(client, (each) -> Health.DRIFTED == each.health() && 1 == each.driftSteps() &&
                    !before.equals(lineages("a")));
                plane.restart();
                final ManagedInfo again = ManagerFixture.until(client, (each) -> each.isConnected() &&
                    (Health.FOREIGN == each.health() || !each.refusal().isEmpty()));
                assertEquals(Health.DRIFTED, again.health(), again::toString);
                assertEquals(List.of("mem0"), names(client.devices("")));

                plane.stop();
                third.stop();
                Files.copy(directory.resolve("state-of-plane-c/applied-state.yaml"),
                    directory.resolve("state-of-plane-a/applied-state.yaml"), StandardCopyOption.REPLACE_EXISTING);
                plane.start();
                ManagerFixture.until(client, (each) -> Health.FOREIGN == each.health());
                assertEquals(List.of("mem2"), names(client.devices("")));
            }
        }
    }

    private void begin(final String manager, final TestPlane plane, final String device)
    {
        try (ManagerFixture fixture = new ManagerFixture(directory, manager, HookConfig.NONE, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory(device, MIB, 4096));
        }
    }
}

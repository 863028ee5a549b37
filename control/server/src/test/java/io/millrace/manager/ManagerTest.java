package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.AuditInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.message.VersionInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.config.HookConfig;
import io.millrace.manager.store.StoreException;
import io.millrace.nvmf.config.ControllerIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real manager and real data planes, in one process. */
class ManagerTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2026-11.io.millrace:host0";
    private static final long MIB = 1L << 20;
    private static final int MANY = 10_000;

    @TempDir
    private Path directory;

    private static Code codeOf(final Runnable call)
    {
        final ControlException e = assertThrows(ControlException.class, call::run);
        assertFalse(e.getMessage().isBlank());
        return e.code();
    }

    private static void serve(final ControlClient client, final int port)
    {
        client.createDevice(DeviceSpec.memory("mem0", 16 * MIB, 4096));
        client.createSubsystem(new SubsystemSpec(NQN, false));
        client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
        client.allowHost(NQN, HOST);
        assertEquals(port, client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", port, false)));
    }

    private static List<String> names(final List<DeviceInfo> devices)
    {
        return devices.stream().map(DeviceInfo::name).toList();
    }

    @Test
    void shouldBeCommandedAsADataPlaneIs() throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0"));
            ControlClient beside = ControlClient.connect(plane.context()))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            final int port = FreePorts.tcp();
            serve(client, port);
            client.resizeDevice("mem0", 32 * MIB);
            assertEquals(32 * MIB, client.namespaces(NQN).getFirst().sizeBytes());
            assertEquals(ManagerFixture.actual(beside), ManagerFixture.actual(client));
            assertEquals("plane-a", client.dataPlane().name());
            assertEquals(2, client.reactors().size());
            assertEquals(Code.IN_USE, codeOf(() -> client.deleteDevice("mem0")));
            assertEquals(Code.EXISTS, codeOf(() -> client.createDevice(DeviceSpec.memory("mem0", MIB, 4096))));
            assertEquals(Code.NOT_FOUND, codeOf(() -> client.devices("none")));
            assertEquals(Code.INVALID, codeOf(() -> client.createDevice(DeviceSpec.memory("odd", 1000, 4096))));
            assertEquals(Code.INVALID, codeOf(() ->
                client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 0, false))));
            client.setState(State.DRAINING);
            assertEquals(State.DRAINING, client.dataPlane().state());
            client.setState(State.SERVING);
            assertEquals(Code.NOT_FOUND, codeOf(() -> client.disconnect(NQN, 1)));
            client.createDevice(DeviceSpec.memory("mem1", MIB, 4096));
            client.createDevice(DeviceSpec.fault("bad", "mem1", 7));
            client.modifyDevice("bad", Map.of("rules", "effect=error"));
            client.setAllowAnyHost(NQN, true);
            client.denyHost(NQN, HOST);
            client.removeListener(Transport.TCP, "127.0.0.1", port);
            client.removeNamespace(NQN, 1);
            client.deleteSubsystem(NQN);
            client.deleteDevice("mem0");
            assertEquals(List.of("bad", "mem1"), names(client.devices("")).stream().sorted().toList());
            final ManagedInfo info = ManagerFixture.untilWell(client);
            assertEquals(info.desiredVersion(), info.appliedVersion());
            assertEquals(1, info.term());
            assertEquals(List.of(), plane.errors());
        }
    }

    @Test
    void shouldAdoptWhatItFindsTheFirstTimeAndKeepItFromThenOn()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ControlClient beside = ControlClient.connect(plane.context()))
        {
            beside.createDevice(DeviceSpec.memory("found", MIB, 4096));
            try (ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
            {
                final ControlClient client = fixture.connect();
                final ManagedInfo info = ManagerFixture.untilWell(client);
                assertEquals(1, info.desiredVersion());
                final VersionInfo version = client.manager().versions("").getFirst();
                assertEquals("initial import", version.comment());
                assertEquals(1, version.devices());
                // Past the manager nothing changes by mistake.
                assertEquals(Code.STALE_TERM,
                    codeOf(() -> beside.createDevice(DeviceSpec.memory("foreign", MIB, 4096))));
                beside.term(CommandHeader.DIRECT);
                // What is missing comes again; what came from elsewhere stays until a person says so.
                beside.createDevice(DeviceSpec.memory("foreign", MIB, 4096));
                beside.deleteDevice("found");
                final ManagedInfo drifted = ManagerFixture.until(client, (each) -> 1 == each.driftSteps());
                assertTrue(drifted.refusal().contains("delete device foreign"), drifted.refusal());
                assertEquals(Health.DRIFTED, drifted.health());
                final long deadlineNs = System.nanoTime() + ManagerFixture.WAIT_NS;
                while (!Set.of("found", "foreign").equals(Set.copyOf(names(beside.devices("")))))
                {
                    assertTrue(System.nanoTime() - deadlineNs < 0, () -> "left: " + beside.devices(""));
                    LockSupport.parkNanos(1_000_000);
                }
                final DriftInfo drift = client.manager().drift("").getFirst();
                assertTrue(drift.isWithheld() && drift.isDestructive());
                assertEquals("delete memory device foreign; its data is lost", drift.step());
                assertTrue(client.manager().reconcile(ReconcileMode.REPAIR)
                    .startsWith("1 differences to version 1 are left"));
                assertEquals(2, beside.devices("").size());
                assertEquals("data plane dp0 is in sync with version 1",
                    client.manager().reconcile(ReconcileMode.ALLOW_DESTROY));
                assertEquals(List.of("found"), names(beside.devices("")));
                assertTrue(client.manager().audit("").stream().anyMatch(
                    (each) -> "reconcile: delete device foreign".equals(each.command())), () -> "" +
                        client.manager().audit(""));
                // Or it is what should be from now on.
                beside.createDevice(DeviceSpec.memory("wanted", MIB, 4096));
                assertTrue(client.manager().reconcile(ReconcileMode.ADOPT).contains("it is version 2 now"));
                ManagerFixture.untilWell(client);
                assertEquals(2, client.manager().versions("").getLast().devices());
                client.deleteDevice("wanted");
                // Somebody grew it: it is not replaced by a smaller, empty one.
                beside.resizeDevice("found", 2 * MIB);
                final ManagedInfo larger = ManagerFixture.until(client, (each) -> !each.refusal().isEmpty());
                assertTrue(larger.refusal().contains("cannot shrink"), larger.refusal());
                assertEquals(1, larger.driftSteps());
                assertEquals(2 * MIB, beside.devices("found").getFirst().sizeBytes());
                // Gone, it is that which is said of it.
                plane.stop();
                final ManagedInfo gone = ManagerFixture.until(client, (each) -> Health.DOWN == each.health());
                assertEquals("", gone.refusal());
                assertEquals("", ManagerFixture.until(client, (each) -> !each.text().isEmpty()).refusal());
                plane.start();
                ManagerFixture.until(client, (each) -> each.isConnected() && !each.refusal().isEmpty());
                client.resizeDevice("found", 2 * MIB);
                ManagerFixture.untilWell(client);
            }
        }
    }

    @Test
    void shouldTakeNoChangeWhenTheDataPlaneWasNeverSeen()
    {
        try (TestPlane plane = TestPlane.stopped(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            assertEquals(Health.UNKNOWN, client.manager().managed("").getFirst().health());
            assertEquals(Code.FAILED, codeOf(() -> client.createDevice(DeviceSpec.memory("mem0", MIB, 4096))));
            assertEquals(Code.FAILED, codeOf(() -> client.beginChange("")));
            assertEquals(Code.FAILED, codeOf(() -> client.devices("")));
            assertEquals(List.of(), client.manager().versions(""));
            plane.start();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
        }
    }

    @Test
    void shouldGoBackWhenTheDataPlaneRefuses()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            // Cannot be known before: there is no such directory. What builds on it cannot be either.
            final List<Call> calls = List.of(
                client.submit(new Command.CreateSubsystem(new SubsystemSpec(NQN, true))),
                client.submit(new Command.CreateDevice(DeviceSpec.file("file0", directory + "/none/file0", MIB))),
                client.submit(new Command.AddNamespace(new NamespaceSpec(NQN, 1, "file0"))),
                client.submit(new Command.AddNamespace(new NamespaceSpec(NQN, 2, "mem0"))));
            client.await(calls);
            assertEquals(Code.OK, calls.get(0).code());
            assertTrue(Code.OK != calls.get(1).code() && !calls.get(1).text().isBlank());
            assertEquals(Code.NOT_FOUND, calls.get(2).code());
            assertEquals(Code.OK, calls.get(3).code());
            final ManagedInfo info = ManagerFixture.untilWell(client);
            assertEquals(List.of("mem0"), names(client.devices("")));
            assertEquals(1, client.namespaces("").size());
            final VersionInfo last = client.manager().versions("").getLast();
            assertEquals(info.desiredVersion(), last.version());
            assertEquals(1, last.devices());
            assertEquals(1, last.namespaces());
            assertEquals("", info.refusal());
        }
    }

    @Test
    void shouldDoAllOfAChangeOrNothing()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            final ControlClient other = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));

            client.beginChange("two volumes");
            client.createSubsystem(new SubsystemSpec(NQN, true));
            client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
            assertEquals(Code.NOT_FOUND, codeOf(() -> client.addNamespace(new NamespaceSpec(NQN, 2, "mem1"))));
            assertEquals(Code.INVALID, codeOf(() -> client.setState(State.PAUSED)));
            assertEquals(Code.INVALID, codeOf(() -> client.beginChange("again")));
            client.createDevice(DeviceSpec.memory("mem1", MIB, 4096));
            client.addNamespace(new NamespaceSpec(NQN, 2, "mem1"));
            assertEquals(List.of(), other.subsystems(""), "only checked so far");
            final long version = client.commitChange();
            assertEquals(2, other.namespaces("").size());
            assertEquals("two volumes", other.manager().versions("").getLast().comment());
            assertEquals(version, other.manager().versions("").getLast().version());

            // Refused in the middle by the data plane: what was done is undone.
            final DesiredState before = ManagerFixture.actual(other);
            client.beginChange("");
            client.createDevice(DeviceSpec.memory("mem2", MIB, 4096));
            client.createDevice(DeviceSpec.file("file0", directory + "/none/file0", MIB));
            client.removeNamespace(NQN, 1);
            client.deleteDevice("mem0");
            final ControlException e = assertThrows(ControlException.class, client::commitChange);
            assertTrue(e.getMessage().contains("file0"), e.getMessage());
            assertEquals(before, ManagerFixture.actual(other));
            assertEquals(2, other.manager().versions("").getLast().devices());
            assertEquals(Code.INVALID, codeOf(client::commitChange));

            client.beginChange("");
            client.deleteSubsystem(NQN);
            client.abandonChange();
            assertEquals(before, ManagerFixture.actual(other));
            assertEquals(Code.INVALID, codeOf(client::abandonChange));

            // What another has done meanwhile counts.
            client.beginChange("");
            client.createDevice(DeviceSpec.memory("mem3", MIB, 4096));
            other.createDevice(DeviceSpec.memory("mem3", 2 * MIB, 4096));
            assertEquals(Code.EXISTS, codeOf(client::commitChange));

            // A session that ends abandons.
            client.beginChange("");
            client.createDevice(DeviceSpec.memory("mem4", MIB, 4096));
            client.close();
            assertEquals(List.of("mem0", "mem1", "mem3"), names(other.devices("")).stream().sorted().toList());
            ManagerFixture.untilWell(other);
        }
    }

    @Test
    void shouldRollBackToWhatItWas() throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            serve(client, FreePorts.tcp());
            final long version = client.manager().versions("").getLast().version();
            final DesiredState before = ManagerFixture.actual(client);
            client.deleteSubsystem(NQN);
            client.deleteDevice("mem0");
            client.createDevice(DeviceSpec.memory("mem1", MIB, 4096));
            final long made = client.manager().rollback(version);
            assertEquals(before, ManagerFixture.actual(client));
            assertEquals(made, client.manager().versions("").getLast().version());
            assertEquals("rolled back to version " + version, client.manager().versions("").getLast().comment());
            assertEquals(Code.NOT_FOUND, codeOf(() -> client.manager().rollback(999)));
            ManagerFixture.untilWell(client);
        }
    }

    @Test
    void shouldBringARestartedDataPlaneBackToWhatItShouldBe() throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            serve(client, FreePorts.tcp());
            final DesiredState before = ManagerFixture.actual(client);
            plane.restart();
            final long upNs = System.nanoTime();
            try (ControlClient beside = ControlClient.connect(plane.context()))
            {
                while (!before.equals(ManagerFixture.actual(beside)))
                {
                    assertTrue(System.nanoTime() - upNs < ManagerFixture.WAIT_NS);
                }
            }
            System.out.printf("a restarted data plane is in sync after %.0f ms%n",
                (System.nanoTime() - upNs) / 1e6);
            ManagerFixture.untilWell(client);

            // What is changed while it is away is kept, and said to be so.
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            final Call call = client.execute(new Command.CreateDevice(DeviceSpec.memory("mem1", MIB, 4096)));
            assertTrue(call.text().contains("is connected again"), call.text());
            client.beginChange("");
            client.createDevice(DeviceSpec.memory("mem2", MIB, 4096));
            client.commitChange();
            assertEquals(Code.FAILED, codeOf(() -> client.setState(State.PAUSED)));
            assertEquals(Health.DOWN, client.manager().managed("").getFirst().health());
            plane.start();
            ManagerFixture.untilWell(client);
            assertEquals(Set.of("mem0", "mem1", "mem2"), Set.copyOf(names(client.devices(""))));
        }
    }

    @Test
    void shouldGoOnWhereItWasWhenItIsStartedAgain()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            final CommandId id = new CommandId(5, 6);
            client.execute(new Command.CreateDevice(DeviceSpec.memory("mem0", MIB, 4096)), id);
            client.beginChange("");
            client.createDevice(DeviceSpec.memory("mem1", MIB, 4096));
            final CommandId commitId = new CommandId(7, 8);
            final long version = client.execute(new Command.CommitChange(), commitId).value();
            assertThrows(StoreException.class, () -> Manager.start(fixture.config(), Map.of(), (line) ->
            {
            }));
            fixture.stop();
            plane.restart();
            fixture.start();
            final ControlClient again = fixture.connect();
            final ManagedInfo info = ManagerFixture.untilWell(again);
            assertEquals(2, info.term());
            assertEquals(version, info.appliedVersion());
            assertEquals(Set.of("mem0", "mem1"), Set.copyOf(names(again.devices(""))));
            // Sent again by somebody who has not heard of the answer.
            again.execute(new Command.CreateDevice(DeviceSpec.memory("mem0", MIB, 4096)), id);
            assertEquals(version, again.execute(new Command.CommitChange(), commitId).value());
            assertEquals(version, again.manager().versions("").getLast().version());
        }
    }

    /** As a client does that has heard of no answer: all again, in the same order. */
    @Test
    void shouldAnswerARepeatedLineAsItWasThen()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final List<Command> line = List.of(
                new Command.DeleteDevice("mem0"),
                new Command.CreateDevice(DeviceSpec.memory("mem0", MIB, 4096)),
                new Command.CreateDevice(DeviceSpec.file("file0", directory + "/none/file0", MIB)),
                new Command.SetState(State.DRAINING),
                new Command.Rollback(5),
                new Command.CreateDevice(DeviceSpec.memory("mem1", MIB, 4096)),
                new Command.DeleteDevice("mem1"),
                new Command.CreateDevice(DeviceSpec.memory("mem1", 2 * MIB, 4096)));
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            final List<Call> first = repeat(client, line);
            assertEquals(List.of(Code.OK, Code.OK, Code.OK, Code.NOT_FOUND, Code.OK, Code.OK, Code.OK),
                codes(first, 2));
            final DesiredState before = ManagerFixture.actual(client);
            client.setState(State.SERVING);
            // By now each could be.
            for (int i = 0; i < 5; i++)
            {
                client.createSubsystem(new SubsystemSpec(NQN + i, true));
                client.deleteSubsystem(NQN + i);
            }
            assertTrue(directory.resolve("none").toFile().mkdir());
            fixture.stop();
            fixture.start();
            final ControlClient again = fixture.connect();
            ManagerFixture.untilWell(again);
            assertEquals(codes(first, -1), codes(repeat(again, line), -1));
            assertEquals(before, ManagerFixture.actual(again));
            assertEquals(State.SERVING, again.dataPlane().state());
        }
    }

    private static List<Call> repeat(final ControlClient client, final List<Command> line)
    {
        final List<Call> calls = new ArrayList<>();
        for (final Command each : line)
        {
            calls.add(client.submit(each, new CommandId(9, calls.size())));
        }
        client.await(calls);
        return calls;
    }

    private static List<Code> codes(final List<Call> calls, final int without)
    {
        return calls.stream().filter((each) -> without < 0 || each != calls.get(without)).map(Call::code).toList();
    }

    @Test
    void shouldDoWhatComesBehindARollbackBehindIt()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            client.deleteDevice("mem0");
            final List<Call> calls = List.of(
                client.submit(new Command.Rollback(2)),
                client.submit(new Command.CreateDevice(DeviceSpec.memory("mem0", 2 * MIB, 4096))),
                client.submit(new Command.CreateDevice(DeviceSpec.memory("mem1", MIB, 4096))),
                client.submit(new Command.Rollback(1)),
                client.submit(new Command.BeginChange("")),
                client.submit(new Command.CreateDevice(DeviceSpec.memory("mem2", MIB, 4096))),
                client.submit(new Command.CommitChange()),
                client.submit(new Command.List(Kind.DEVICE, "")));
            client.await(calls);
            assertEquals(List.of(Code.OK, Code.EXISTS, Code.OK, Code.OK, Code.OK, Code.OK, Code.OK, Code.OK),
                codes(calls, -1));
            assertEquals(1, calls.getLast().resources().size());
            assertEquals(List.of("mem2"), names(client.devices("")));
        }
    }

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
                client.manager().reconcile(ReconcileMode.TAKE_OVER);
                ManagerFixture.until(client, (each) -> Health.DRIFTED == each.health() && 1 == each.driftSteps());
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

    @Test
    void shouldKeepSeveralDataPlanesApart()
    {
        try (TestPlane a = TestPlane.started(directory, "a");
            TestPlane b = TestPlane.started(directory, "b");
            ManagerFixture fixture = ManagerFixture.of(directory, a.config("dp0"), b.config("dp1")))
        {
            final ControlClient all = fixture.connect();
            assertEquals(2, all.manager().managed("").size());
            assertEquals(Code.INVALID, codeOf(() -> all.devices("")));
            assertEquals(Code.INVALID, codeOf(() -> all.createDevice(DeviceSpec.memory("mem0", MIB, 4096))));
            assertEquals(Code.NOT_FOUND, codeOf(() -> fixture.connect(fixture.context().dataPlaneName("dp2"))));
            final List<ControlEvent> events = new ArrayList<>();
            final ControlClient first = fixture.connect(fixture.context().dataPlaneName("dp0"));
            final ControlClient second = fixture.connect(
                fixture.context().dataPlaneName("dp1").listener((ControlListener)events::add));
            ManagerFixture.untilWell(first);
            ManagerFixture.untilWell(second);
            first.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            second.createDevice(DeviceSpec.memory("mem1", MIB, 4096));
            assertEquals(List.of("mem0"), names(first.devices("")));
            assertEquals(List.of("mem1"), names(second.devices("")));
            final long deadlineNs = System.nanoTime() + ManagerFixture.WAIT_NS;
            while (events.stream().noneMatch((each) -> Kind.DEVICE == each.kind()))
            {
                second.poll();
                assertTrue(System.nanoTime() - deadlineNs < 0);
            }
            assertTrue(events.stream().noneMatch((each) -> "mem0".equals(each.name())), events::toString);
            assertTrue(events.stream().anyMatch((each) -> "mem1".equals(each.name()) &&
                Change.CREATED == each.change()));
            assertEquals(1, all.manager().audit("dp1").size());
            assertEquals(2, all.manager().audit("").size());
            assertEquals(2, all.manager().versions("dp0").size());
            assertEquals(new ControllerIds(1, 1023), a.dataPlane().controllers().ids());
            assertEquals(new ControllerIds(1024, 2046), b.dataPlane().controllers().ids());
        }
    }

    @Test
    void shouldBeginWithItsControllerIdsWhenItIsStartedAgainWithoutItsManager()
    {
        try (TestPlane a = TestPlane.started(directory, "a"); TestPlane b = TestPlane.started(directory, "b"))
        {
            try (ManagerFixture fixture = ManagerFixture.of(directory, a.config("dp0"), b.config("dp1")))
            {
                ManagerFixture.untilWell(fixture.connect(fixture.context().dataPlaneName("dp1")));
                assertEquals(new ControllerIds(1024, 2046), b.dataPlane().controllers().ids());
            }
            b.restart();
            assertEquals(new ControllerIds(1024, 2046), b.dataPlane().controllers().ids());
            assertEquals(List.of(), b.errors());
        }
    }

    @Test
    void shouldWriteDownWhoAskedForWhat()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect(fixture.context().clientName("alice"));
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            assertEquals(Code.EXISTS, codeOf(() -> client.createDevice(DeviceSpec.memory("mem0", 2 * MIB, 4096))));
            client.setState(State.PAUSED);
            final ControlClient reader = fixture.connect(fixture.context().clientName("bob").role(Role.READ));
            assertEquals(Code.NOT_PERMITTED, codeOf(() -> reader.deleteDevice("mem0")));
            client.beginChange("away with it");
            client.deleteDevice("mem0");
            client.commitChange();
            final List<AuditInfo> audit = client.manager().audit("");
            assertEquals(List.of("create device mem0 (memory of 1MiB)", "create device mem0 (memory of 2MiB)",
                "set state PAUSED", "delete device mem0", "commit change: away with it"),
                audit.stream().map(AuditInfo::command).toList());
            assertEquals(List.of(Code.OK, Code.EXISTS, Code.OK, Code.NOT_PERMITTED, Code.OK),
                audit.stream().map(AuditInfo::code).toList());
            assertEquals(List.of("alice", "alice", "alice", "bob", "alice"),
                audit.stream().map(AuditInfo::client).toList());
            assertEquals(2, audit.getFirst().version());
            assertEquals(1, audit.getFirst().sequence());
        }
    }

    @Test
    void shouldRunHooksWhenADataPlaneGoesAndComes() throws IOException
    {
        final Path log = directory.resolve("hooks.log");
        final HookConfig hooks = new HookConfig(
            List.of("/bin/sh", "-c", "echo down $MILLRACE_DATA_PLANE by $MILLRACE_CONTROL >> " + log + "; exit 3"),
            List.of("/bin/sh", "-c", "echo up $MILLRACE_DATA_PLANE: $MILLRACE_REASON >> " + log),
            TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(20));
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = new ManagerFixture(directory, "test", hooks, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            // It may have taken longer to come up than it may be gone: then both have run already, or are about to.
            final int before = 2 * (int)fixture.lines().stream().filter((line) -> line.contains("down:"))
                .count();
            awaitHooks(fixture, client, before);
            plane.stop();
            awaitHooks(fixture, client, before + 1);
            plane.start();
            final List<AuditInfo> audit = awaitHooks(fixture, client, before + 2);
            assertEquals(List.of("down dp0 by " + fixture.config().control().directory(), "up dp0: connected again"),
                Files.readAllLines(log).subList(before, before + 2));
            assertEquals(Code.FAILED, audit.get(before).code());
            assertEquals("exit code 3", audit.get(before).text());
            assertEquals("hook data-plane-down /bin/sh", audit.get(before).command());
            assertEquals(Code.OK, audit.get(before + 1).code());
        }
    }

    private static List<AuditInfo> hooksOf(final ControlClient client)
    {
        return client.manager().audit("").stream().filter((each) -> each.command().startsWith("hook ")).toList();
    }

    private static List<AuditInfo> awaitHooks(
        final ManagerFixture fixture, final ControlClient client, final int count)
    {
        final long deadlineNs = System.nanoTime() + ManagerFixture.WAIT_NS;
        while (hooksOf(client).size() < count)
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> fixture.lines().toString());
        }
        return hooksOf(client);
    }

    @Test
    void shouldApplyAndListTenThousandNamespaces()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createSubsystem(new SubsystemSpec(NQN, true));
            final long beginNs = System.nanoTime();
            final List<Call> calls = new ArrayList<>(2 * MANY);
            for (int i = 1; i <= MANY; i++)
            {
                calls.add(client.submit(new Command.CreateDevice(DeviceSpec.discard("null" + i, MIB, 4096))));
                calls.add(client.submit(new Command.AddNamespace(new NamespaceSpec(NQN, i, "null" + i))));
            }
            client.await(calls);
            final long appliedNs = System.nanoTime();
            calls.forEach(Call::orThrow);
            final long versions = client.manager().versions("").getLast().version();
            final long listNs = System.nanoTime();
            assertEquals(MANY, client.namespaces(NQN).size());
            final long listedNs = System.nanoTime();
            client.beginChange("");
            client.deleteSubsystem(NQN);
            client.commitChange();
            ManagerFixture.untilWell(client);
            final long rollbackNs = System.nanoTime();
            client.manager().rollback(versions);
            final long rolledBackNs = System.nanoTime();
            assertEquals(MANY, client.namespaces(NQN).size());
            System.out.printf("%d namespaces with their devices through a manager: applied in %.2f s (%d versions), " +
                "listed in %.0f ms, in one change %.2f s%n", MANY, (appliedNs - beginNs) / 1e9, versions,
                (listedNs - listNs) / 1e6, (rolledBackNs - rollbackNs) / 1e9);
            assertTrue(appliedNs - beginNs < TimeUnit.SECONDS.toNanos(60));
        }
    }
}

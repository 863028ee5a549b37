package io.millrace.manager;

import static io.millrace.manager.ManagerFixture.HOST;
import static io.millrace.manager.ManagerFixture.MIB;
import static io.millrace.manager.ManagerFixture.NQN;
import static io.millrace.manager.ManagerFixture.codeOf;
import static io.millrace.manager.ManagerFixture.names;
import static io.millrace.manager.ManagerFixture.serve;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.message.VersionInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.config.HookConfig;
import io.millrace.nvmf.config.ControllerIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    private static final int MANY = 10_000;
    private static final int BATCH = 1000;

    @TempDir
    private Path directory;

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
                    .startsWith("1 difference to version 1 is left: "));
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
                if (0 == i % BATCH)
                {
                    // On a busy host the last of all would wait for longer than a command may.
                    client.await(calls.subList(calls.size() - 2 * BATCH, calls.size()));
                }
            }
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

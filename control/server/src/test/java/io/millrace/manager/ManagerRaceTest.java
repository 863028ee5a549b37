package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.agent.SteeredPlane;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.service.Caller;
import io.millrace.control.service.ControlBackend;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.manager.config.PlaneConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others do to a data plane at moments that a manager does not choose. */
class ManagerRaceTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2026-11.io.millrace:host0";

    private static final long MIB = 1L << 20;

    @TempDir
    private Path directory;

    /** Changes something directly when the manager lists resources of a kind, right before it is told. */
    private static final class DirectChange extends SteeredPlane.Steering
    {
        private final ControlBackend plane;
        private final AtomicReference<Kind> armed;
        private final Command change;

        private DirectChange(final ControlBackend plane, final AtomicReference<Kind> armed, final Command change)
        {
            super(plane);
            this.plane = plane;
            this.armed = armed;
            this.change = change;
        }

        @Override
        public CompletableFuture<Listing<?>> list(final Caller caller, final Command.List list)
        {
            final Kind kind = armed.get();
            if (kind == list.kind() && armed.compareAndSet(kind, null))
            {
                plane.carryOut(caller, CommandId.NONE, CommandHeader.DIRECT, change);
            }
            return super.list(caller, list);
        }
    }

    private static PlaneConfig config(final SteeredPlane plane)
    {
        return new PlaneConfig("dp0", plane.aeronDirectory(), ControlSettings.IPC_CHANNEL, 4420, "", null,
            ControlSettings.IPC_CHANNEL);
    }

    private void shouldNotUndoWhatIsChangedDirectly(final Kind kind)
    {
        final AtomicReference<Kind> armed = new AtomicReference<>();
        try (SteeredPlane plane = new SteeredPlane(directory, (backend) ->
            new DirectChange(backend, armed, new Command.DenyHost(NQN, HOST)));
            ManagerFixture fixture = ManagerFixture.of(directory, config(plane)))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createSubsystem(new SubsystemSpec(NQN, false));
            client.allowHost(NQN, HOST);
            client.manager().reconcile(ReconcileMode.REPAIR);
            assertEquals(1, client.hosts(NQN).size());
            armed.set(kind);
            client.manager().reconcile(ReconcileMode.REPAIR);
            client.manager().reconcile(ReconcileMode.REPAIR);
            assertEquals(List.of(), client.hosts(NQN));
            final List<DriftInfo> drift = client.manager().drift("");
            assertEquals(1, drift.size());
            assertTrue(drift.getFirst().isWithheld(), drift::toString);
        }
    }

    @Test
    void shouldNotUndoADirectChangeThatIsMadeWhileItLooks()
    {
        shouldNotUndoWhatIsChangedDirectly(Kind.HOST);
    }

    /** Behind the list that would have shown it: it is not taken for seen. */
    @Test
    void shouldNotTakeADirectChangeForSeenThatItsListsDoNotShow()
    {
        shouldNotUndoWhatIsChangedDirectly(Kind.LISTENER);
    }

    /** What was answered while the data plane was away is done, though somebody changed something else meanwhile. */
    @Test
    void shouldCarryOutWhatWasAskedThoughSomethingElseIsChangedDirectly()
    {
        final AtomicReference<Kind> armed = new AtomicReference<>();
        try (SteeredPlane plane = new SteeredPlane(directory, (backend) -> new DirectChange(
            backend, armed, new Command.CreateDevice(DeviceSpec.memory("foreign", MIB, 4096))));
            ManagerFixture fixture = ManagerFixture.of(directory, config(plane)))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            client.createSubsystem(new SubsystemSpec(NQN, false));
            client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
            client.allowHost(NQN, HOST);
            client.manager().reconcile(ReconcileMode.REPAIR);
            plane.cut();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            client.denyHost(NQN, HOST);
            client.setAnaState(NQN, Transport.TCP, "", 0, 1, AnaState.INACCESSIBLE);
            client.removeNamespace(NQN, 1);
            client.deleteDevice("mem0");
            armed.set(Kind.LEADERSHIP);
            plane.join();
            ManagerFixture.until(client, (info) -> info.isConnected() && 1 == info.driftSteps());
            assertEquals(List.of(), client.hosts(NQN));
            assertEquals(List.of(), client.namespaces(NQN));
            assertEquals(List.of("foreign"), client.devices("").stream().map(DeviceInfo::name).toList());
            assertEquals("delete memory device foreign; its data is lost",
                client.manager().drift("").getFirst().step());
        }
    }

    /** What both changed waits for a person. */
    @Test
    void shouldNotCarryOutWhatWasAskedWhereTheSameIsChangedDirectly()
    {
        final AtomicReference<Kind> armed = new AtomicReference<>();
        try (SteeredPlane plane = new SteeredPlane(directory, (backend) -> new DirectChange(
            backend, armed, new Command.SetQos(new QosSpec(NQN, 0, HOST, 100, 0, 0, 0, 0, 0, 100))));
            ManagerFixture fixture = ManagerFixture.of(directory, config(plane)))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createSubsystem(new SubsystemSpec(NQN, false));
            client.manager().reconcile(ReconcileMode.REPAIR);
            plane.cut();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            client.setQos(new QosSpec(NQN, 0, HOST, 5_000, 0, 0, 0, 0, 0, 100));
            armed.set(Kind.LEADERSHIP);
            plane.join();
            ManagerFixture.until(client, (info) -> info.isConnected() && 1 == info.driftSteps());
            assertEquals(100, client.qos(NQN).getFirst().limits().readIops());
            client.manager().reconcile(ReconcileMode.ALLOW_DESTROY);
            assertEquals(5_000, client.qos(NQN).getFirst().limits().readIops());
        }
    }

    /** What the manager was asked to delete is gone already; what has its name is somebody else's. */
    @Test
    void shouldNotDeleteWhatWasMadeDirectlyUnderTheNameOfWhatItWasAskedToDelete()
    {
        final AtomicReference<DeviceSpec> made = new AtomicReference<>();
        try (SteeredPlane plane = new SteeredPlane(directory, (backend) -> replacedDirectly(backend, made.get()));
            ManagerFixture fixture = ManagerFixture.of(directory, config(plane)))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            final DeviceSpec spec = DeviceSpec.memory("mem0", MIB, 4096);
            client.createDevice(spec);
            client.manager().reconcile(ReconcileMode.REPAIR);
            plane.cut();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            client.deleteDevice("mem0");
            made.set(spec);
            plane.join();
            ManagerFixture.until(client, (info) -> info.isConnected() && 1 == info.driftSteps());
            client.manager().reconcile(ReconcileMode.REPAIR);
            assertEquals(List.of("mem0"), client.devices("").stream().map(DeviceInfo::name).toList());
            assertTrue(client.manager().drift("").getFirst().isWithheld());
            client.manager().reconcile(ReconcileMode.ALLOW_DESTROY);
            assertEquals(List.of(), client.devices(""));
        }
    }

    /** Before anybody is connected. */
    private static ControlBackend replacedDirectly(final ControlBackend backend, final DeviceSpec made)
    {
        if (null != made)
        {
            carryOutDirectly(backend, new Command.DeleteDevice(made.name()));
            carryOutDirectly(backend, new Command.CreateDevice(made));
        }
        return backend;
    }

    private static void carryOutDirectly(final ControlBackend backend, final Command command)
    {
        final CompletableFuture<Reply> reply =
            backend.carryOut(new Caller(1, Role.ADMIN, "test", "", "dp0"), CommandId.NONE,
                CommandHeader.DIRECT, command);
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!reply.isDone())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "waited for 10 s: " + command);
            backend.poll();
            LockSupport.parkNanos(100_000);
        }
        assertEquals(Code.OK, reply.join().code(), reply.join().text());
    }

    /** Late commands of a session that was lost would undo what was asked for since. */
    @Test
    void shouldHaveCommandsOfFormerSessionsRefused()
    {
        try (SteeredPlane plane = new SteeredPlane(directory, SteeredPlane.Steering::new);
            ManagerFixture fixture = ManagerFixture.of(directory, config(plane)))
        {
            final ControlClient client = fixture.connect();
            final long term = ManagerFixture.untilWell(client).term();
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            plane.cut();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            plane.join();
            ManagerFixture.until(client, ManagedInfo::isConnected);
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem1", MIB, 4096));
            try (ControlClient late = ControlClient.connect(plane.context().term(term)))
            {
                assertEquals(Code.STALE_TERM,
                    assertThrows(ControlException.class, () -> late.deleteDevice("mem0")).code());
            }
            assertEquals(2, client.devices("").size());
        }
    }
}

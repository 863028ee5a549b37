package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosInfo;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.state.DesiredState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ANA states and limits, kept by a real manager of a real data plane. */
class ManagerAccessTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2026-11.io.millrace:host0";
    private static final String ADDRESS = "192.0.2.7";
    private static final int PORT = 4420;
    private static final int RESTARTS = 5;
    private static final QosSpec NAMESPACE_LIMITS = new QosSpec(NQN, 1, "", 0, 0, 20_000, 0, 200 << 20, 0, 10);
    private static final QosSpec HOST_LIMITS = new QosSpec(NQN, 0, HOST, 5_000, 0, 0, 0, 0, 0, 100);

    @TempDir
    private Path directory;

    private static void serve(final ControlClient client)
    {
        client.createDevice(DeviceSpec.memory("mem0", 1 << 20, 4096));
        client.createSubsystem(new SubsystemSpec(NQN, true));
        client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
    }

    private static void set(final ControlClient client, final int group, final AnaState state)
    {
        client.setAnaState(NQN, Transport.TCP, ADDRESS, PORT, group, state);
    }

    private static AnaState stateOf(final ControlClient client, final int group)
    {
        return client.anaStates(NQN).stream().filter((each) -> ADDRESS.equals(each.address()) && group == each.group())
            .map(AnaInfo::state).findFirst().orElse(AnaState.OPTIMIZED);
    }

    private static List<QosSpec> limits(final ControlClient client)
    {
        return client.qos(NQN).stream().map(QosInfo::limits).toList();
    }

    private static void until(final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + ManagerFixture.WAIT_NS;
        while (!condition.getAsBoolean())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "waited for 30 s");
            LockSupport.parkNanos(500_000);
        }
    }

    @Test
    void shouldKeepThemThroughRestartsOfBoth()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            serve(client);
            set(client, 2, AnaState.INACCESSIBLE);
            set(client, 1, AnaState.NON_OPTIMIZED);
            client.setQos(NAMESPACE_LIMITS);
            client.setQos(HOST_LIMITS);
            final DesiredState before = ManagerFixture.actual(client);
            plane.restart();
            ManagerFixture.until(client, ManagedInfo::isConnected);
            try (ControlClient beside = ControlClient.connect(plane.context()))
            {
                until(() -> before.equals(ManagerFixture.actual(beside)));
            }
            fixture.stop();
            plane.restart();
            fixture.start();
            final ControlClient again = fixture.connect();
            ManagerFixture.untilWell(again);
            assertEquals(before, ManagerFixture.actual(again));
            assertEquals(AnaState.INACCESSIBLE, stateOf(again, 2));
            assertEquals(List.of(NAMESPACE_LIMITS, HOST_LIMITS), limits(again));

            // Away, they are changed all the same.
            plane.stop();
            ManagerFixture.until(again, (info) -> !info.isConnected());
            set(again, 2, AnaState.PERSISTENT_LOSS);
            again.setQos(QosSpec.noneOfHost(NQN, HOST));
            plane.start();
            ManagerFixture.untilWell(again);
            assertEquals(AnaState.PERSISTENT_LOSS, stateOf(again, 2));
            assertEquals(List.of(NAMESPACE_LIMITS), limits(again));
            assertEquals(List.of(), plane.errors());
        }
    }

    @Test
    void shouldAdoptThemAndPutThemRight()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ControlClient beside = ControlClient.connect(plane.context()))
        {
            serve(beside);
            set(beside, 1, AnaState.INACCESSIBLE);
            beside.setQos(NAMESPACE_LIMITS);
            try (ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
            {
                final ControlClient client = fixture.connect();
                assertEquals(1, ManagerFixture.untilWell(client).desiredVersion());
                assertEquals(AnaState.INACCESSIBLE, stateOf(client, 1));
                // What others change stays until a person decides.
                beside.term(CommandHeader.DIRECT);
                set(beside, 1, AnaState.OPTIMIZED);
                beside.setQos(HOST_LIMITS);
                beside.setQos(QosSpec.noneOfNamespace(NQN, 1));
                until(() -> 3 == client.manager().drift("").size());
                client.manager().reconcile(ReconcileMode.ALLOW_DESTROY);
                assertEquals(AnaState.INACCESSIBLE, stateOf(beside, 1));
                assertEquals(List.of(NAMESPACE_LIMITS), limits(beside));
                ManagerFixture.untilWell(client);
            }
        }
    }

    /** A host that is cut off while the manager is down stays so until a person decides. */
    @Test
    void shouldNotAllowAgainWhatWasRevokedDirectly()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            serve(client);
            client.allowHost(NQN, HOST);
            client.createSubsystem(new SubsystemSpec(NQN + "b", true, "", ""));
            ManagerFixture.untilWell(client);
            fixture.stop();
            try (ControlClient beside = ControlClient.connect(plane.directContext()))
            {
                beside.denyHost(NQN, HOST);
                beside.setAllowAnyHost(NQN + "b", false);
                fixture.start();
                final ControlClient again = fixture.connect();
                until(() -> 2 == again.manager().drift("").size());
                assertTrue(again.manager().drift("").stream().allMatch((each) -> each.isWithheld() &&
                    "allows access that may have been revoked directly".equals(each.reason())));
                assertEquals(List.of(), beside.hosts(NQN));
                assertEquals("dp0 is in sync with version 6",
                    again.manager().reconcile(ReconcileMode.ALLOW_DESTROY).replaceFirst("^data plane ", ""));
                assertEquals(HOST, beside.hosts(NQN).getFirst().hostNqn());
            }
        }
    }

    /** What somebody did in an emergency, while the manager was down, is not undone by its return. */
    @Test
    void shouldNotUndoWhatWasSetDirectly()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            serve(client);
            client.setQos(NAMESPACE_LIMITS);
            ManagerFixture.untilWell(client);
            fixture.stop();
            try (ControlClient beside = ControlClient.connect(plane.directContext()))
            {
                set(beside, 1, AnaState.INACCESSIBLE);
                beside.setQos(HOST_LIMITS);
                beside.setQos(QosSpec.noneOfNamespace(NQN, 1));
                beside.setState(State.PAUSED);
                fixture.start();
                final ControlClient again = fixture.connect();
                until(() -> 3 == again.manager().drift("").size());
                assertTrue(again.manager().drift("").stream().allMatch((each) -> each.isWithheld() &&
                    "reverts settings that may have been changed directly".equals(each.reason())), () -> "" +
                        again.manager().drift(""));
                assertEquals(Health.DRIFTED, again.manager().managed("").getFirst().health());
                again.manager().reconcile(ReconcileMode.REPAIR);
                // So it stays when the data plane is started again, too.
                plane.restart();
                ManagerFixture.until(again, (info) -> info.isConnected() && 3 == info.driftSteps());
            }
            try (ControlClient beside = ControlClient.connect(plane.directContext()))
            {
                assertEquals(AnaState.INACCESSIBLE, stateOf(beside, 1));
                assertEquals(List.of(HOST_LIMITS), limits(beside));
                beside.setState(State.PAUSED);
                final ControlClient again = fixture.connect();
                // What is asked of the manager is done nevertheless.
                set(again, 2, AnaState.NON_OPTIMIZED);
                assertEquals(AnaState.NON_OPTIMIZED, stateOf(beside, 2));
                assertEquals(AnaState.INACCESSIBLE, stateOf(beside, 1));
                again.manager().reconcile(ReconcileMode.ALLOW_DESTROY);
                ManagerFixture.untilWell(again);
                assertEquals(AnaState.OPTIMIZED, stateOf(beside, 1));
                assertEquals(AnaState.NON_OPTIMIZED, stateOf(beside, 2));
                assertEquals(List.of(NAMESPACE_LIMITS), limits(beside));
                assertEquals(State.PAUSED, beside.dataPlane().state(), "a pause is not the manager's");
                beside.setState(State.SERVING);
            }
        }
    }

    @Test
    void shouldRollThemBackAndRefuseWhatCannotBe()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            serve(client);
            client.setQos(NAMESPACE_LIMITS);
            final long version = client.manager().versions("").getLast().version();
            set(client, 1, AnaState.INACCESSIBLE);
            client.setQos(QosSpec.noneOfNamespace(NQN, 1));
            client.manager().rollback(version);
            assertEquals(AnaState.OPTIMIZED, stateOf(client, 1));
            assertEquals(List.of(NAMESPACE_LIMITS), limits(client));
            final long kept = client.manager().versions("").getLast().version();
            for (final Runnable wrong : List.<Runnable>of(
                () -> set(client, 129, AnaState.INACCESSIBLE),
                () -> client.setAnaState(NQN, Transport.TCP, "there", PORT, 1, AnaState.INACCESSIBLE),
                () -> client.setQos(new QosSpec(NQN, 1, HOST, 1, 0, 0, 0, 0, 0, 0)),
                () -> client.setQos(new QosSpec(NQN, 1, "", 0, 0, 0, 1, 0, 0, 0))))
            {
                assertEquals(Code.INVALID, assertThrows(ControlException.class, wrong::run).code());
            }
            assertEquals(Code.NOT_FOUND, assertThrows(ControlException.class, () ->
                client.setQos(new QosSpec(NQN, 2, "", 1, 0, 0, 0, 0, 0, 0))).code());
            assertEquals(kept, client.manager().versions("").getLast().version());
        }
    }

    @Test
    void shouldPassATransitionOnAndKeepWhatItBecomes()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            serve(client);
            set(client, 1, AnaState.CHANGE);
            assertEquals(AnaState.CHANGE, stateOf(client, 1));
            // Compared with what should be, it is left.
            fixture.stop();
            fixture.start();
            final ControlClient again = fixture.connect();
            ManagerFixture.untilWell(again);
            assertEquals(AnaState.CHANGE, stateOf(again, 1));
            plane.restart();
            until(() -> AnaState.INACCESSIBLE == stateOfConnected(plane));
            ManagerFixture.untilWell(again);
            set(again, 1, AnaState.OPTIMIZED);
            assertEquals(AnaState.OPTIMIZED, stateOf(again, 1));
        }
    }

    @Test
    void shouldShowHostsNoOtherStateWhenTheDataPlaneIsStartedAgain() throws IOException
    {
        final int port = FreePorts.tcp();
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.memory("mem0", 1 << 20, 4096));
            client.createSubsystem(new SubsystemSpec(NQN, true));
            client.setAnaState(NQN, Transport.TCP, "127.0.0.1", port, 0, AnaState.INACCESSIBLE);
            client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
            client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", port, false));
            try (WatchingHost host = new WatchingHost(NQN, port))
            {
                for (int i = 0; i < RESTARTS; i++)
                {
                    final int looks = host.looks();
                    until(() -> host.looks() > looks);
                    plane.restart();
                }
                final int looks = host.looks();
                until(() -> host.looks() > looks);
                assertEquals(Set.of(io.millrace.nvme.AnaState.INACCESSIBLE), host.seen());
                client.setAnaState(NQN, Transport.TCP, "127.0.0.1", port, 0, AnaState.OPTIMIZED);
                // It would have seen another one.
                until(() -> host.seen().contains(io.millrace.nvme.AnaState.OPTIMIZED));
            }
        }
    }

    private static AnaState stateOfConnected(final TestPlane plane)
    {
        try (ControlClient beside = ControlClient.connect(plane.context()))
        {
            return beside.subsystems("").isEmpty() ? null : stateOf(beside, 1);
        }
    }
}

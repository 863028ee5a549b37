package io.millrace.manager;

import static io.millrace.manager.ManagerFixture.MIB;
import static io.millrace.manager.ManagerFixture.NQN;
import static io.millrace.manager.ManagerFixture.codeOf;
import static io.millrace.manager.ManagerFixture.names;
import static io.millrace.manager.ManagerFixture.serve;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.State;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.message.VersionInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.manager.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of several steps, rollbacks, refusals of the data plane, and commands that are sent again. */
class ManagerChangeTest
{
    @TempDir
    private Path directory;

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
}

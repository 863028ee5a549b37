package io.millrace.control.agent;

import static io.millrace.control.agent.AgentFixture.codeOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.State;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.Terms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Terms of managers: who may change a data plane, and that others do so on purpose only. */
class ControlAgentTermTest
{
    private static final long MIB = 1L << 20;

    @TempDir
    private Path directory;

    private static Command.TakeTerm term(final long term, final long manager)
    {
        return new Command.TakeTerm(term, new UUID(0, manager), "m" + manager, "/dev/shm/m" + manager);
    }

    static Code take(final ControlClient client, final long term, final long manager)
    {
        return client.await(client.submit(term(term, manager))).code();
    }

    @Test
    void shouldRefuseOlderManagerWhenNewerOneTookATerm()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient older = fixture.connect(fixture.context().term(3));
            // Of a version that takes no terms: as anybody, while there is no manager.
            older.createDevice(DeviceSpec.memory("a", MIB, 4096));
            assertEquals(0, fixture.connect(fixture.context()).session().term(), "commands raise no term");
            assertEquals(Code.OK, take(older, 3, 1));
            older.createDevice(DeviceSpec.memory("b", MIB, 4096));
            final ControlClient newer = fixture.connect(fixture.context().term(4));
            assertEquals(Code.STALE_TERM, codeOf(() -> newer.createDevice(DeviceSpec.memory("c", MIB, 4096))));
            assertEquals(Code.STALE_TERM, take(newer, 3, 2));
            assertEquals(Code.OK, take(newer, 3, 1), "the same again");
            assertEquals(Code.OK, take(newer, 4, 2));
            assertEquals(Code.STALE_TERM, codeOf(() -> older.createDevice(DeviceSpec.memory("c", MIB, 4096))));
            newer.createDevice(DeviceSpec.memory("d", MIB, 4096));
            final ControlClient person = fixture.connect(fixture.context());
            assertEquals(4, person.session().term());
            assertEquals(3, person.devices("").size());
            final LeadershipInfo leadership = person.leadership();
            assertEquals("m2", leadership.managerName());
            assertEquals("/dev/shm/m2", leadership.managerAddress());
            assertTrue(leadership.sinceEpochNs() > 0 && leadership.isManaged());
            assertEquals(StatePosition.NONE, leadership.position());
        }
    }

    /** No key and no mistake uses the terms up. */
    @Test
    void shouldTakeTermsInSmallStepsFromManagersOnly() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient client = fixture.connect(fixture.context());
            for (final long far : List.of(Long.MAX_VALUE, Long.MIN_VALUE, -1L, 0L, Terms.MAX, Terms.STEP_MAX + 1))
            {
                assertEquals(Code.INVALID, take(client, far, 1), "" + far);
            }
            assertEquals(Code.OK, take(client, Terms.STEP_MAX, 1));
            assertEquals(Code.INVALID, take(client, 2 * Terms.STEP_MAX + 1, 2));
            assertEquals(Code.OK, take(client, 2 * Terms.STEP_MAX, 2));
            client.term(Terms.MAX);
            assertEquals(Code.STALE_TERM, codeOf(() -> client.setState(State.DRAINING)));
            assertEquals(2 * Terms.STEP_MAX, client.leadership().term());
        }
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            // All but that: the key is no manager's.
            final ControlClient admin = fixture.connect(fixture.udpContext());
            admin.createDevice(DeviceSpec.memory("a", MIB, 4096));
            assertEquals(Code.NOT_PERMITTED, take(admin, 1, 1));
            assertEquals(0, admin.leadership().term());
        }
    }

    @Test
    void shouldChangeAManagedDataPlaneDirectlyOnPurposeOnly()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient person = fixture.connect(fixture.context());
            person.createDevice(DeviceSpec.memory("a", MIB, 4096));
            assertEquals(Code.OK, take(person, 1, 1));
            final ControlException e = assertThrows(ControlException.class, () -> person.deleteDevice("a"));
            assertEquals(Code.STALE_TERM, e.code());
            assertTrue(e.getMessage().startsWith("data plane test is managed by manager m1 (term 1 since ") &&
                e.getMessage().contains("takes commands in /dev/shm/m1): change it there. --direct "), e.getMessage());
            // What is of a moment is nobody's to undo.
            person.setState(State.DRAINING);
            assertEquals(1, person.devices("").size());
            person.term(CommandHeader.DIRECT);
            person.deleteDevice("a");
            assertEquals(1, person.leadership().directChanges());
            assertEquals(0, person.leadership().directChangesSeen());
            // The command that reports the applied version carries the term of the present manager.
            final StatePosition position = new StatePosition(new UUID(1, 2), 1, 5);
            final Command begin = new Command.ApplyVersion(position, false, 0);
            assertEquals(Code.STALE_TERM, person.await(person.submit(begin)).code());
            person.term(1);
            assertEquals(Code.OK, person.await(person.submit(begin)).code());
            assertEquals(position, person.leadership().position());
            assertEquals(2, person.leadership().directChanges(), "what was there before is not of this lineage");
            assertEquals(Code.OK, person.await(person.submit(new Command.ApplyVersion(position, true, 2))).code());
            assertEquals(2, person.leadership().directChangesSeen());
            assertEquals(Code.INVALID, person.await(person.submit(
                new Command.ApplyVersion(StatePosition.NONE, false, 0))).code());
        }
    }
}

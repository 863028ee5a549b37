package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.State;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.Terms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Terms and versions are a manager's to say. */
class ManagerTermsTest
{
    private static final long MIB = 1L << 20;

    @TempDir
    private Path directory;

    private static Code codeOf(final Runnable call)
    {
        final ControlException e = assertThrows(ControlException.class, call::run);
        assertFalse(e.getMessage().isBlank());
        return e.code();
    }

    /** Everybody may read the term: it must not make a change the manager's own. */
    @Test
    void shouldTakeTheTermOfTheManagerFromManagersOnly() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            final ControlClient manager = fixture.connect(fixture.managerContext());
            assertEquals(Code.OK, ControlAgentTermTest.take(manager, 1, 1));
            manager.term(1);
            manager.createDevice(DeviceSpec.memory("a", MIB, 4096));
            final ControlClient admin = fixture.connect(fixture.udpContext().term(1));
            assertEquals(1, admin.leadership().term());
            final StatePosition position = new StatePosition(new UUID(1, 2), 1, 5);
            final List<Command> ofManagers = List.of(
                new Command.ApplyVersion(position, true, 0), new Command.AssignControllerIds(7, 9));
            for (final long term : List.of(1L, 0L, CommandHeader.DIRECT))
            {
                admin.term(term);
                for (final Command each : ofManagers)
                {
                    final Call call = admin.submit(each);
                    admin.await(call);
                    assertEquals(Code.NOT_PERMITTED, call.code(), each + " with term " + term);
                    assertTrue(call.text().startsWith("key admin lacks the role manager; "), call.text());
                }
            }
            for (final long term : List.of(1L, 2L, Terms.MAX))
            {
                admin.term(term);
                assertEquals(Code.NOT_PERMITTED,
                    codeOf(() -> admin.createDevice(DeviceSpec.memory("b", MIB, 4096))));
                assertEquals(Code.NOT_PERMITTED, codeOf(() -> admin.deleteDevice("a")));
                assertEquals(Code.NOT_PERMITTED, codeOf(() -> admin.setState(State.DRAINING)));
                assertEquals(1, admin.devices("").size(), "whoever only looks may say any term");
            }
            assertEquals(StatePosition.NONE, admin.leadership().position());
            assertEquals(0, admin.leadership().directChanges());
            admin.term(CommandHeader.DIRECT);
            admin.createDevice(DeviceSpec.memory("b", MIB, 4096));
            assertEquals(1, admin.leadership().directChanges());
            for (final Command each : ofManagers)
            {
                assertEquals(Code.OK, manager.await(manager.submit(each)).code());
            }
            assertEquals(position, manager.leadership().position());
        }
    }

    /** What a data plane keeps, it and its manager have to be able to read again. */
    @Test
    void shouldRefuseAVersionThatNoFileHolds()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient manager = fixture.connect(fixture.context());
            assertEquals(Code.OK, ControlAgentTermTest.take(manager, 1, 1));
            manager.term(1);
            for (final long version : List.of(Long.MAX_VALUE, 999_999_999_999_999_999L, StatePosition.VERSION_MAX + 1,
                0L, -1L, Long.MIN_VALUE))
            {
                final Call call = manager.submit(
                    new Command.ApplyVersion(new StatePosition(new UUID(1, 2), 1, version), true, 0));
                manager.await(call);
                assertEquals(Code.INVALID, call.code(), "" + version);
                assertTrue(call.text().contains("its version 1 to " + StatePosition.VERSION_MAX), call.text());
            }
            assertEquals(StatePosition.NONE, manager.leadership().position());
            final StatePosition last = new StatePosition(new UUID(1, 2), 1, StatePosition.VERSION_MAX);
            assertEquals(Code.OK, manager.await(manager.submit(new Command.ApplyVersion(last, true, 0))).code());
            assertEquals(last, manager.leadership().position());
        }
    }
}

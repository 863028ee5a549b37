package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlListener;
import io.millrace.control.client.ControlTimeoutException;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.SessionInfo;
import io.millrace.testing.MeasuresTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that want more than there is: they are told so, and others notice nothing. */
@MeasuresTime
class ControlOverloadTest
{
    private static final long MIB = 1L << 20;
    private static final int SESSIONS_MAX = 256;
    private static final int COMMANDS_MAX = 1024;
    private static final int LISTS_MAX = 32;
    private static final int EVENTS_MAX = 4 * 1024;
    private static final int MANY = 3 * EVENTS_MAX;
    private static final int ATTEMPTS = 5;

    @TempDir
    private Path directory;

    private static RawClient raw(final AgentFixture fixture)
    {
        return new RawClient(fixture.settings().directory().toString());
    }

    private static long count(final RawClient client, final Code code)
    {
        return client.answers().stream().filter((each) -> code == each.code()).count();
    }

    @Test
    void shouldSayThatThereIsNoRoomForAnotherSession() throws IOException
    {
        boolean isRefused = false;
        for (int i = 0; i < ATTEMPTS && !isRefused; i++)
        {
            isRefused = isAnotherSessionRefused(Files.createDirectory(directory.resolve("attempt-" + i)));
        }
        assertTrue(isRefused, "there was room for another session in each of " + ATTEMPTS + " attempts");
    }

    /** {@return false where there was room: a slow machine may keep none of the others alive in time} */
    private static boolean isAnotherSessionRefused(final Path directory)
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory);
            RawClient raw = raw(fixture))
        {
            final ControlClient client = fixture.connect(fixture.context());
            for (int i = 1; i < SESSIONS_MAX; i++)
            {
                raw.open(i);
                if (0 == i % 16)
                {
                    final int opened = i;
                    raw.until(() -> opened == raw.sessions().size());
                    raw.sessions().forEach(raw::keepAlive);
                    client.poll();
                }
            }
            raw.until(() -> SESSIONS_MAX - 1 == raw.sessions().size());
            raw.open(SESSIONS_MAX);
            raw.until(() -> 1 == raw.answers().size() || SESSIONS_MAX == raw.sessions().size());
            if (raw.answers().isEmpty())
            {
                return false;
            }
            assertEquals(new RawClient.Answer(SESSIONS_MAX, Code.OVERLOADED,
                "256 sessions are open, which is the limit; close some"), raw.answers().getFirst());
            String refusal = "";
            // The answer may come too late for an attempt.
            for (int i = 0; i < ATTEMPTS && !refusal.contains("256 sessions are open"); i++)
            {
                raw.sessions().forEach(raw::keepAlive);
                client.poll();
                try
                {
                    fixture.connect(fixture.context().connectTimeoutNs(TimeUnit.SECONDS.toNanos(3)));
                    return false;
                }
                catch (final ControlTimeoutException e)
                {
                    refusal = e.getMessage();
                }
            }
            assertTrue(refusal.contains("256 sessions are open"), refusal);
            raw.sessions().forEach(raw::keepAlive);
            client.poll();
            if (!client.isConnected())
            {
                return false;
            }
            // Who is in stays in, and room that is given back is there.
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            raw.command(raw.sessions().getLast(), 1_000, new Command.List(Kind.DEVICE, ""));
            raw.until(() -> 1 == count(raw, Code.OK));
            raw.close(raw.sessions().getFirst());
            assertEquals(1, fixture.connect(fixture.context()).devices("").size());
            assertEquals(List.of(), fixture.errors());
            return true;
        }
    }

    @Test
    void shouldRefuseCommandsBeyondThoseThatWaitForTheirAnswers()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory);
            RawClient raw = raw(fixture))
        {
            final ControlClient client = fixture.connect(fixture.context());
            for (int i = 0; i < 1_500; i++)
            {
                client.submit(new Command.CreateDevice(DeviceSpec.discard("null" + i, MIB, 4096)));
            }
            assertEquals(1_500, client.devices("").size());
            raw.open(1);
            raw.open(2);
            raw.until(() -> 2 == raw.sessions().size());
            // The first lists are more than what fits between it and the data plane, and nothing is read.
            final SessionInfo session = raw.sessions().getFirst();
            final int sent = 2 * COMMANDS_MAX;
            for (int i = 1; i <= sent; i++)
            {
                raw.command(session, i, new Command.List(Kind.DEVICE, ""));
            }
            // What another session sends after them on the same stream is executed when all of them have been taken.
            raw.command(raw.sessions().getLast(), sent + 1,
                new Command.CreateDevice(DeviceSpec.memory("mem0", MIB, 4096)));
            final Pace pace = new Pace(() -> raw.sessions().forEach(raw::keepAlive));
            AgentFixture.until(client, () ->
            {
                pace.poll();
                return 1_501 == client.devices("").size();
            });
            raw.until(() -> sent + 1 == raw.answers().size());
            assertEquals(LISTS_MAX + 1, count(raw, Code.OK));
            assertEquals(sent - LISTS_MAX, count(raw, Code.OVERLOADED));
            assertEquals(COMMANDS_MAX - LISTS_MAX, raw.answers().stream()
                .filter((each) -> each.text().startsWith("32 lists of this session are incomplete")).count());
            assertEquals(sent - COMMANDS_MAX, raw.answers().stream()
                .filter((each) -> each.text().startsWith("1024 commands of this session are outstanding")).count());
            // It may go on.
            raw.command(session, sent + 2, new Command.CreateDevice(DeviceSpec.memory("mem1", MIB, 4096)));
            raw.until(() -> sent + 2 == raw.answers().size());
            assertEquals(Code.OK, raw.answers().getLast().code());
            assertEquals(1_502, client.devices("").size());
            assertTrue(client.isConnected());
        }
    }

    /** Reads nothing, but for what keeps its session. */
    private static final class Watcher implements ControlListener
    {
        private long events;
        private long lost;
        private long disconnected;

        @Override
        public void onEvent(final ControlEvent event)
        {
            events++;
        }

        @Override
        public void onEventsLost(final long count)
        {
            lost += count;
        }

        @Override
        public void onDisconnected(final String reason)
        {
            disconnected++;
        }

        /** Or never will have, as events without a session are not counted. */
        private boolean hasAll(final long count)
        {
            return count == events + lost || 0 != disconnected;
        }
    }

    /** Does something once a second: as often as a session needs, and far too seldom for its events. */
    private static final class Pace
    {
        private final Runnable task;
        private long doneNs = System.nanoTime();

        private Pace(final Runnable task)
        {
            this.task = task;
        }

        private void poll()
        {
            if (System.nanoTime() - doneNs > TimeUnit.SECONDS.toNanos(1))
            {
                task.run();
                doneNs = System.nanoTime();
            }
        }
    }

    @Test
    void shouldCountTheEventsThatASlowClientMisses() throws IOException
    {
        boolean isCounted = false;
        for (int i = 0; i < ATTEMPTS && !isCounted; i++)
        {
            isCounted = isEachEventCounted(Files.createDirectory(directory.resolve("attempt-" + i)));
        }
        assertTrue(isCounted, "nothing was lost, or the session, in each of " + ATTEMPTS + " attempts");
    }

    /** {@return false where a slow machine has lost the session, or took so long that all events were read} */
    private static boolean isEachEventCounted(final Path directory)
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final Watcher watcher = new Watcher();
            final ControlClient slow = fixture.connect(fixture.context().listener(watcher));
            final ControlClient client = fixture.connect(fixture.context());
            final Pace pace = new Pace(slow::poll);
            Call last = null;
            for (int i = 0; i < MANY; i++)
            {
                last = client.submit(new Command.CreateDevice(DeviceSpec.discard("null" + i, MIB, 4096)));
                pace.poll();
            }
            final Call created = last;
            AgentFixture.until(client, () ->
            {
                pace.poll();
                return created.isDone();
            });
            assertEquals(Code.OK, created.code());
            AgentFixture.until(slow, () -> watcher.hasAll(MANY));
            if (0 == watcher.lost || 0 != watcher.disconnected)
            {
                return false;
            }
            assertTrue(watcher.events >= EVENTS_MAX, watcher.events + " events");
            client.deleteDevice("null0");
            AgentFixture.until(slow, () -> watcher.hasAll(MANY + 1));
            return 0 == watcher.disconnected;
        }
    }
}

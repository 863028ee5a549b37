package io.millrace.manager;

import static io.millrace.manager.ManagerFixture.MIB;
import static io.millrace.manager.ManagerFixture.NQN;
import static io.millrace.manager.ManagerFixture.names;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceInfo;
import io.millrace.control.message.DeviceSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lists through a manager while its data plane waits for a target that does not answer: those of the session that sent
 * the command come behind it, others at once.
 */
class ManagerListOrderTest
{
    private static final long SOON_NS = TimeUnit.MILLISECONDS.toNanos(300);

    @TempDir
    private Path directory;
    private ServerSocket target;
    private TestPlane plane;
    private ManagerFixture fixture;
    private ControlClient sender;
    private ControlClient other;

    @BeforeEach
    void start() throws IOException
    {
        target = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        target.setSoTimeout((int)TimeUnit.NANOSECONDS.toMillis(ManagerFixture.WAIT_NS));
        plane = TestPlane.started(directory, "a");
        fixture = ManagerFixture.of(directory, plane.config("dp0"));
        sender = fixture.connect();
        other = fixture.connect();
        ManagerFixture.untilWell(sender);
        // What a session has got an answer to does not delay its lists.
        other.createDevice(DeviceSpec.memory("mine", MIB, 4096));
    }

    @AfterEach
    void stop() throws IOException
    {
        fixture.close();
        plane.close();
        target.close();
    }

    private Command.CreateDevice createFar()
    {
        return new Command.CreateDevice(new DeviceSpec("far0", "remote", Map.of("addresses",
            "tcp://127.0.0.1:" + target.getLocalPort(), "subsystem", NQN, "nsid", "1", "connect-timeout", "25s")));
    }

    private static List<String> devices(final Call list)
    {
        return names(list.orThrow().resources().stream().map(DeviceInfo.class::cast).toList()).stream().sorted()
            .toList();
    }

    private Call list(final ControlClient client, final long version)
    {
        return client.submit(new Command.List(Kind.DEVICE, "", version));
    }

    private void assertUnanswered(final Call... calls)
    {
        final long untilNs = System.nanoTime() + SOON_NS;
        while (System.nanoTime() - untilNs < 0)
        {
            sender.poll();
        }
        assertEquals(List.of(), Stream.of(calls).filter(Call::isDone).map(Call::text).toList(), "not in order");
    }

    @Test
    void shouldListForOthersAtOnceAndForTheSenderInOrder() throws IOException
    {
        final Call first = sender.submit(new Command.CreateDevice(DeviceSpec.memory("mem0", MIB, 4096)));
        final Call slow = sender.submit(createFar());
        final Call behind = sender.submit(new Command.CreateDevice(DeviceSpec.memory("mem1", MIB, 4096)));
        final Call ordered = list(sender, Command.List.ACTUAL);
        try (Socket _ = target.accept())
        {
            sender.await(first);
            // What was acknowledged is there, whoever lists.
            assertEquals(List.of("mem0", "mine"), devices(other.await(list(other, Command.List.ACTUAL))));
            assertEquals(List.of("mem0", "mine"), devices(other.await(list(other, Command.List.DESIRED))));
            assertEquals(List.of(), devices(other.await(list(other, 1))));
            assertEquals(2, other.reactors().size());
            assertUnanswered(slow, behind, ordered);
            target.close();
        }
        sender.await(List.of(slow, behind, ordered));
        assertFalse(slow.text().isEmpty());
        assertEquals(Code.OK, behind.code(), behind::text);
        assertEquals(List.of("mem0", "mem1", "mine"), devices(ordered));
    }

    @Test
    void shouldListForOthersAtOnceDuringAChangeOfSeveralSteps() throws IOException
    {
        sender.execute(new Command.BeginChange(""));
        sender.execute(createFar());
        final Call slow = sender.submit(new Command.CommitChange());
        final Call ordered = list(sender, Command.List.ACTUAL);
        try (Socket _ = target.accept())
        {
            assertEquals(List.of("mine"), devices(other.await(list(other, Command.List.ACTUAL))));
            assertEquals(List.of("mine"), devices(other.await(list(other, Command.List.DESIRED))));
            assertUnanswered(slow, ordered);
            target.close();
        }
        sender.await(List.of(slow, ordered));
        assertFalse(slow.text().isEmpty());
        assertEquals(List.of("mine"), devices(ordered));
    }

    /** The limit of each session counts, not that of the manager's own session at its data plane. */
    @Test
    void shouldAnswerListsOfManySessionsAtATime() throws IOException
    {
        final Call slow = sender.submit(createFar());
        final List<ControlClient> clients = new ArrayList<>();
        try (Socket _ = target.accept())
        {
            for (int i = 0; i < 6; i++)
            {
                clients.add(fixture.connect());
            }
            final List<List<Call>> calls = clients.stream().map((client) ->
                IntStream.range(0, 32).mapToObj((_) -> list(client, Command.List.ACTUAL)).toList()).toList();
            for (int i = 0; i < clients.size(); i++)
            {
                clients.get(i).await(calls.get(i));
            }
            assertEquals(List.of(), calls.stream().flatMap(List::stream).map(Call::text)
                .filter((text) -> !text.isEmpty()).toList());
            assertUnanswered(slow);
            target.close();
        }
        finally
        {
            clients.forEach(ControlClient::close);
        }
        sender.await(slow);
    }
}

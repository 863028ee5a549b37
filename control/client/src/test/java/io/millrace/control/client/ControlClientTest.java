package io.millrace.control.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.CncFileDescriptor;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.ListenerProvider;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.Samples;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.session.SharedSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlClientTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:volume";
    private static final long SEED = 4420;
    private ControlFixture fixture;

    private ControlFixture start(final String medium)
    {
        fixture = "udp".equals(medium) ? ControlFixture.udp() : ControlFixture.ipc();
        return fixture;
    }

    @AfterEach
    void stop()
    {
        if (null != fixture)
        {
            fixture.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void shouldCarryEveryCommandAndEveryResource(final String medium)
    {
        start(medium);
        final ControlClient client = fixture.connect();
        final Samples samples = new Samples(SEED);
        for (final Command command : samples.commands())
        {
            client.execute(command);
            assertEquals(command, fixture.peer().carriedOut().getLast());
        }
        for (final Resource resource : samples.resources())
        {
            fixture.peer().show(resource.kind(), resource);
            assertEquals(
                List.of(resource), client.execute(new Command.List(resource.kind(), "")).resources(), "seed " + SEED);
        }
        assertEquals(1, client.reactors().size() * client.devices("").size() * client.subsystems("").size() *
            client.namespaces("").size() * client.hosts("").size() * client.listeners().size() *
            client.controllers("").size());
        assertEquals("peer", client.session().dataPlaneName());
        assertEquals(fixture.peer().dataPlaneId(), client.session().dataPlaneId());
        assertEquals(0, client.refusedCount());
    }

    @Test
    void shouldCallWhatItsMethodsSay()
    {
        start("ipc");
        final ControlClient client = fixture.connect();
        client.createDevice(DeviceSpec.memory("mem0", 1 << 20, 512));
        client.resizeDevice("mem0", 2 << 20);
        client.setAllowAnyHost(NQN, true);
        client.allowHost(NQN, "host");
        client.denyHost(NQN, "host");
        client.removeNamespace(NQN, 7);
        client.deleteDevice("mem0");
        assertEquals(TestPeer.PORT, client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 0, false)));
        client.removeListener(Transport.TCP, "127.0.0.1", TestPeer.PORT);
        assertEquals(List.of(
            new Command.CreateDevice(DeviceSpec.memory("mem0", 1 << 20, 512)),
            new Command.ResizeDevice("mem0", 2 << 20),
            new Command.SetAllowAnyHost(NQN, true),
            new Command.AllowHost(NQN, "host"),
            new Command.DenyHost(NQN, "host"),
            new Command.RemoveNamespace(NQN, 7),
            new Command.DeleteDevice("mem0"),
            new Command.AddListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 0, false)),
            new Command.RemoveListener(Transport.TCP, "127.0.0.1", TestPeer.PORT)), fixture.peer().carriedOut());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void shouldSendTenThousandCommandsWithoutWaitingForEach(final String medium)
    {
        start(medium);
        fixture.peer().commandsMax(300);
        final ControlClient client = fixture.connect();
        final List<Call> calls = new ArrayList<>();
        for (int i = 1; i <= 10_000; i++)
        {
            calls.add(client.submit(new Command.AddNamespace(new NamespaceSpec(NQN, i, "mem" + i))));
        }
        client.await(calls);
        calls.forEach(Call::orThrow);
        assertEquals(calls.stream().map(Call::command).toList(), fixture.peer().carriedOut());
    }

    @Test
    void shouldThrowWhatTheDataPlaneAnswers()
    {
        start("ipc");
        final ControlClient client = fixture.connect();
        fixture.peer().reply(Code.IN_USE, "namespace 1 shows mem0");
        final ControlException error = assertThrows(ControlException.class, () -> client.deleteDevice("mem0"));
        assertEquals(Code.IN_USE, error.code());
        assertEquals("namespace 1 shows mem0", error.getMessage());
    }

    @Test
    void shouldTellWhatAnAnswerSaysThatWentWell()
    {
        start("ipc");
        final List<String> remarks = new ArrayList<>();
        final ControlClient client = fixture.connect(fixture.context().onWarning(remarks::add));
        client.deleteDevice("mem0");
        assertEquals(List.of(), remarks);
        fixture.peer().reply(Code.OK, "kept, and carried out later");
        client.deleteDevice("mem0");
        assertEquals(List.of("kept, and carried out later"), remarks);
        fixture.peer().reply(Code.IN_USE, "namespace 1 shows mem0");
        assertThrows(ControlException.class, () -> client.deleteDevice("mem0"));
        assertEquals(1, remarks.size());
    }

    @Test
    void shouldBeRefusedWhenTheRoleIsTooLowOrTheTermIsOld()
    {
        start("ipc");
        final ControlClient reader = fixture.connect(fixture.context().role(Role.READ));
        assertEquals(Code.NOT_PERMITTED,
            assertThrows(ControlException.class, () -> reader.deleteDevice("mem0")).code());
        final ControlClient manager = fixture.connect(fixture.context().term(3));
        manager.deleteDevice("mem0");
        manager.term(2);
        assertEquals(Code.STALE_TERM,
            assertThrows(ControlException.class, () -> manager.deleteDevice("mem0")).code());
    }

    @Test
    void shouldTimeOutWhenNoAnswerComes()
    {
        start("ipc");
        final ControlClient client = fixture.connect(
            fixture.context().callTimeoutNs(TimeUnit.SECONDS.toNanos(1)));
        fixture.peer().loseAnswers(1);
        final ControlTimeoutException changed =
            assertThrows(ControlTimeoutException.class, () -> client.deleteDevice("mem0"));
        assertTrue(changed.getMessage().endsWith("no answer in time; the command may still be executed: check " +
            "whether it was"), changed.getMessage());
        client.deleteDevice("mem1");
    }

    @Test
    void shouldAnswerARepeatedIdAsBeforeAndDoNothing()
    {
        start("ipc");
        final ControlClient client = fixture.connect();
        final CommandId id = new CommandId(1, 2);
        client.execute(new Command.DeleteDevice("mem0"), id);
        fixture.peer().reply(Code.NOT_FOUND, "gone");
        client.execute(new Command.DeleteDevice("mem0"), id);
        assertEquals(1, fixture.peer().carriedOut().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void shouldRepeatWhatWasNotAnsweredWhenTheSessionIsLost(final String medium)
    {
        start(medium);
        final ControlClient client = fixture.connect();
        fixture.peer().loseAnswers(20);
        final List<Call> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++)
        {
            calls.add(client.submit(new Command.DeleteDevice("mem" + i)));
        }
        final Call once = client.submit(new Command.DeleteDevice("once"), CommandId.NONE);
        fixture.peer().mute(true);
        fixture.until(client, () -> 21 == fixture.peer().headers().size());
        fixture.peer().mute(false);
        fixture.peer().dropSessions();
        client.await(calls);
        calls.forEach(Call::orThrow);
        client.await(once);
        assertThrows(ControlException.class, once::orThrow);
        assertEquals(21, fixture.peer().carriedOut().size());
        assertEquals(41, fixture.peer().headers().size());
        assertEquals(calls.stream().map(Call::commandId).toList(),
            fixture.peer().headers().subList(21, 41).stream().map(header -> header.commandId()).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void shouldTellEventsInOrderAndWhichWereLost(final String medium)
    {
        start(medium);
        final RecordingListener notes = new RecordingListener();
        final ControlClient client = fixture.connect(
            fixture.context().listener(notes).livenessTimeoutNs(TimeUnit.SECONDS.toNanos(4)));
        fixture.peer().event("a");
        fixture.peer().loseEvents(2);
        fixture.peer().event("b");
        fixture.until(client, () -> 4 == notes.lines.size());
        fixture.peer().loseEvents(3);
        // Nothing follows that would show the gap but the answer to a keep-alive.
        fixture.until(client, () -> 5 == notes.lines.size());
        assertEquals(List.of("connected", "event a", "lost 2", "event b", "lost 3"), notes.lines);
    }

    @Test
    void shouldOpenAnotherSessionWhenDataPlaneAndDriverWereStartedAgain()
    {
        start("ipc");
        final RecordingListener notes = new RecordingListener();
        final ControlClient client = fixture.connect(fixture.context().listener(notes));
        final UUID before = client.session().dataPlaneId();
        fixture.stopPeer();
        fixture.stopDriver();
        final Call waiting = client.submit(new Command.DeleteDevice("mem0"));
        fixture.until(client, () -> notes.lines.contains("disconnected"));
        assertFalse(client.isConnected());
        fixture.startDriver();
        fixture.startPeer();
        fixture.until(client, waiting::isDone);
        waiting.orThrow();
        assertNotEquals(before, client.session().dataPlaneId());
        fixture.peer().event("c");
        fixture.until(client, () -> notes.lines.contains("event c"));
        assertEquals(List.of("connected", "disconnected", "connected", "lost -1", "event c"), notes.lines);
    }

    @Test
    void shouldLoseASessionWhosePeerSaysNothing()
    {
        start("udp");
        final RecordingListener notes = new RecordingListener();
        final ControlClient client = fixture.connect(
            fixture.context().listener(notes).livenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(200)));
        fixture.peer().mute(true);
        fixture.until(client, () -> notes.lines.contains("disconnected"));
        fixture.peer().mute(false);
        fixture.until(client, client::isConnected);
        client.deleteDevice("mem0");
    }

    @Test
    void shouldSendEventsOnlyWhenAskedAndLetTheListenerCall()
    {
        start("ipc");
        final List<String> seen = new ArrayList<>();
        final ControlClient[] self = new ControlClient[1];
        fixture.peer().show(Kind.HOST, new HostInfo(NQN, "host"));
        self[0] = fixture.connect(fixture.context().listener(
            event -> seen.add(event.name() + self[0].hosts("").size())));
        fixture.peer().event("a");
        fixture.peer().event("b");
        fixture.until(self[0], () -> 2 == seen.size());
        assertEquals(List.of("a1", "b1"), seen);
    }

    @Test
    void shouldBeRefusedWithTheWrongSecret()
    {
        start("udp");
        final SharedSecret other = SharedSecret.of(new byte[32]);
        final ControlException error = assertThrows(ControlException.class,
            () -> fixture.connect(fixture.context().secret(other)));
        assertEquals(Code.NOT_AUTHENTICATED, error.code());
        assertEquals(0, fixture.peer().carriedOut().size());
    }

    @Test
    void shouldRefuseADataPlaneThatDoesNotKnowTheSecret()
    {
        start("udp");
        fixture.peer().forge();
        final ControlException error = assertThrows(ControlException.class, () -> fixture.connect());
        assertEquals(Code.NOT_AUTHENTICATED, error.code());
        assertTrue(error.getMessage().contains("did not prove"), error.getMessage());
    }

    @Test
    void shouldRefuseADataPlaneThatDoesNotEncrypt()
    {
        start("udp");
        fixture.peer().plain();
        final ControlException e = assertThrows(ControlException.class, () -> fixture.connect(fixture.context()));
        assertEquals(Code.NOT_AUTHENTICATED, e.code());
        assertTrue(e.getMessage().startsWith("the data plane does not encrypt"), e.getMessage());
        assertEquals(List.of(), fixture.connect(fixture.context().encrypted(false)).devices(""));
    }

    @Test
    void shouldSendNothingThatThePeerDoesNotKnow()
    {
        start("ipc");
        fixture.peer().knows("memory");
        final ControlClient client = fixture.connect(fixture.context());
        final ControlException e = assertThrows(ControlException.class,
            () -> client.createDevice(DeviceSpec.file("f", "/f", 0)));
        assertEquals(Code.UNSUPPORTED, e.code());
        assertEquals("peer does not know device type file (schema version 7): update it", e.getMessage());
        client.createDevice(DeviceSpec.memory("m", 1 << 20, 0));
        assertEquals(1, fixture.peer().carriedOut().size());
    }

    @Test
    void shouldSendNoListenersOverRdmaToAPeerThatDoesNotKnowThem()
    {
        start("ipc");
        fixture.peer().knowsVersion(4);
        final ControlClient client = fixture.connect(fixture.context());
        final ListenerSpec rdma = new ListenerSpec(Transport.RDMA, "127.0.0.1", 4420, false);
        final ControlException e = assertThrows(ControlException.class, () -> client.addListener(rdma));
        assertEquals(Code.UNSUPPORTED, e.code());
        assertEquals("peer does not know listeners over RDMA (schema version 4): update it", e.getMessage());
        assertEquals(Code.UNSUPPORTED, assertThrows(ControlException.class, () -> client.setAnaState(
            "nqn.2026-11.io.a", Transport.RDMA, "127.0.0.1", 4420, 1, AnaState.OPTIMIZED)).code());
        assertEquals(List.of(), fixture.peer().carriedOut());
        client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 0, false));
        fixture.peer().knowsVersion(5);
        fixture.connect(fixture.context()).addListener(rdma);
        assertEquals(new Command.AddListener(rdma), fixture.peer().carriedOut().getLast());
    }

    @Test
    void shouldSendNoListenersOfSpdkToAPeerThatDoesNotKnowThem()
    {
        start("ipc");
        fixture.peer().knowsVersion(5);
        final ListenerSpec spdk = new ListenerSpec(Transport.TCP, "127.0.0.1", 4430, false, ListenerProvider.SPDK);
        final ControlClient client = fixture.connect(fixture.context());
        final ControlException e = assertThrows(ControlException.class, () -> client.addListener(spdk));
        assertEquals(Code.UNSUPPORTED, e.code());
        assertEquals("peer does not know listeners of provider spdk (schema version 5): update it", e.getMessage());
        assertEquals(List.of(), fixture.peer().carriedOut());
        fixture.peer().knowsVersion(6);
        fixture.connect(fixture.context()).addListener(spdk);
        assertEquals(new Command.AddListener(spdk), fixture.peer().carriedOut().getLast());
    }

    @Test
    void shouldSendNoListenersOfVfioUserToAPeerThatDoesNotKnowThem()
    {
        start("ipc");
        fixture.peer().knowsVersion(6);
        final ListenerSpec local = new ListenerSpec(Transport.VFIO_USER, "/run/vm", 0, false, ListenerProvider.SPDK);
        final ControlClient client = fixture.connect(fixture.context());
        final ControlException e = assertThrows(ControlException.class, () -> client.addListener(local));
        assertEquals("peer does not know listeners over vfio-user (schema version 6): update it", e.getMessage());
        assertEquals(List.of(), fixture.peer().carriedOut());
        fixture.peer().knowsVersion(7);
        fixture.connect(fixture.context()).addListener(local);
        assertEquals(new Command.AddListener(local), fixture.peer().carriedOut().getLast());
    }

    @Test
    void shouldRefuseAPeerOfAnEarlierVersion()
    {
        start("ipc");
        fixture.peer().version(3);
        final ControlException e = assertThrows(ControlException.class, () -> fixture.connect(fixture.context()));
        assertEquals(Code.UNSUPPORTED, e.code());
        assertTrue(e.getMessage().contains("the peer has schema version 3, and this client 7: update the peer"),
            e.getMessage());
    }

    @Test
    void shouldRefuseADataPlaneThatAsksForNoProof()
    {
        start("ipc");
        assertEquals(Code.NOT_AUTHENTICATED, assertThrows(ControlException.class, () -> fixture.connect(
            fixture.context().secret(ControlFixture.SECRET).keyName(ControlFixture.KEY_NAME))).code());
    }

    /** Who floods the port is not seen by a client. */
    @Test
    void shouldNotSayThatNobodyListensWhereAnAnswerMayBeLost()
    {
        start("udp");
        fixture.stopPeer();
        final String message = assertThrows(ControlTimeoutException.class, () -> fixture.connect(
            fixture.context().connectTimeoutNs(TimeUnit.SECONDS.toNanos(2)))).getMessage();
        assertTrue(message.contains("no answer came in time from aeron:udp"), message);
        assertTrue(message.contains("floods the port"), message);
    }

    @Test
    void shouldSayWhyNoSessionCouldBeOpened()
    {
        start("ipc");
        fixture.stopPeer();
        final ControlTimeoutException nobody = assertThrows(ControlTimeoutException.class,
            () -> fixture.connect(fixture.context().connectTimeoutNs(TimeUnit.SECONDS.toNanos(2))));
        assertTrue(nobody.getMessage().contains("no data plane listens on aeron:ipc"), nobody.getMessage());
        final ControlTimeoutException nothing = assertThrows(ControlTimeoutException.class,
            () -> fixture.connect(fixture.context().aeronDirectoryName(fixture.directory() + "-none")
                .connectTimeoutNs(TimeUnit.MILLISECONDS.toNanos(200))));
        assertTrue(nothing.getMessage().contains("no process accepts commands in"), nothing.getMessage());
    }

    @Test
    void shouldRefuseACommandThatCannotBeSent()
    {
        start("ipc");
        final ControlClient client = fixture.connect();
        assertThrows(IllegalArgumentException.class, () -> client.deleteDevice("a\nb"));
        assertThrows(IllegalArgumentException.class, () -> client.deleteDevice("x".repeat(4097)));
        // Longer than a term buffer of 64 KiB lets through.
        assertEquals(Code.INVALID, assertThrows(ControlException.class, () -> client.createSubsystem(
            new SubsystemSpec("x".repeat(4096), true, "y".repeat(4096), ""))).code());
        client.deleteDevice("x".repeat(4096));
    }

    @Test
    void shouldEndItsSessionAndItsCallsWhenClosed()
    {
        start("ipc");
        final ControlClient client = fixture.connect();
        fixture.peer().mute(true);
        final Call call = client.submit(new Command.DeleteDevice("mem0"));
        client.close();
        client.close();
        assertThrows(ControlException.class, call::orThrow);
        assertThrows(IllegalStateException.class, client::poll);
        fixture.peer().mute(false);
        final ControlClient next = fixture.connect();
        fixture.until(next, () -> 1 == fixture.peer().sessionCount());
    }

    @Test
    void shouldSayWhichDataPlaneItMeans()
    {
        start("ipc");
        fixture.connect(fixture.context().dataPlaneName("dp1"));
        assertEquals("dp1", fixture.peer().requests().getLast().dataPlane());
    }

    @Test
    void shouldOpenASessionLaterWhenItDoesNotWaitForIt()
    {
        start("ipc");
        fixture.stopPeer();
        final ControlClient client = fixture.add(ControlClient.open(fixture.context()));
        assertFalse(client.isConnected());
        final List<Call> done = new ArrayList<>();
        client.submit(new Command.DeleteDevice("mem0")).onDone(done::add);
        fixture.startPeer();
        fixture.until(client, () -> !done.isEmpty());
        assertEquals(Code.OK, done.getFirst().code());
        assertTrue(client.isConnected());
        client.submit(new Command.DeleteDevice("mem1")).onDone(done::add);
        fixture.until(client, () -> 2 == done.size());
    }

    @Test
    void shouldEndWhatWasNotAnsweredWhenItMustNotBeRepeated()
    {
        start("ipc");
        fixture.peer().commandsMax(5);
        final ControlClient client = fixture.connect(fixture.context().retryOnReconnect(false));
        fixture.peer().mute(true);
        final List<Call> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++)
        {
            calls.add(client.submit(new Command.DeleteDevice("mem" + i)));
        }
        fixture.until(client, () -> 5 == fixture.peer().headers().size());
        fixture.peer().mute(false);
        fixture.peer().dropSessions();
        client.await(calls);
        calls.forEach((call) -> assertEquals(Code.NULL_VAL, call.code()));
        assertTrue(calls.getFirst().text().endsWith("check whether it was executed"), calls.getFirst().text());
        client.deleteDevice("after");
        assertEquals(6, fixture.peer().headers().size());
    }

    @Test
    void shouldSendNothingOfAChangeInAnotherSessionThanThatInWhichItWasBegun()
    {
        start("ipc");
        fixture.peer().commandsMax(5);
        final ControlClient client = fixture.connect();
        client.beginChange("new volumes");
        fixture.peer().mute(true);
        final List<Call> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++)
        {
            calls.add(client.submit(new Command.DeleteDevice("mem" + i)));
        }
        fixture.until(client, () -> 6 == fixture.peer().headers().size());
        fixture.peer().mute(false);
        fixture.peer().dropSessions();
        client.await(calls);
        calls.forEach((call) -> assertThrows(ControlException.class, call::orThrow));
        assertThrows(ControlException.class, () -> client.deleteDevice("more"));
        assertThrows(ControlException.class, client::commitChange);
        assertEquals(6, fixture.peer().headers().size());
        client.deleteDevice("alone");
        client.beginChange("again");
        client.deleteDevice("other");
        client.commitChange();
        client.deleteDevice("alone too");
        assertEquals(11, fixture.peer().carriedOut().size());
    }

    /** It was killed while it made its file; whoever polls has other things to do. */
    @Test
    @Timeout(60)
    void shouldNotWaitForADriverThatDoesNotComeUp(@TempDir final Path directory) throws IOException
    {
        Files.write(directory.resolve(CncFileDescriptor.CNC_FILE), new byte[64 * 1024]);
        try (ControlClient client = ControlClient.open(new ControlClientContext()
            .aeronDirectoryName(directory.toString()).livenessTimeoutNs(TimeUnit.HOURS.toNanos(1))))
        {
            client.poll();
            assertTrue(client.lastError().startsWith("no process accepts commands in "), client.lastError());
        }
    }
}

package io.millrace.control.agent;

import static io.millrace.control.agent.AgentFixture.codeOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.CncFileDescriptor;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.client.ControlListener;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.State;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlEvent;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceErrorInfo;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.QosInfo;
import io.millrace.control.message.QosSpec;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.dataplane.config.SettingException;
import io.millrace.perf.load.LoadConfig;
import io.millrace.perf.load.LoadGenerator;
import io.millrace.perf.load.LoadPattern;
import io.millrace.perf.load.LoadReport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real data plane, a real agent and the real client, over IPC and UDP of one media driver. */
class ControlAgentTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2026-11.io.millrace:host0";
    private static final long MIB = 1L << 20;

    @TempDir
    private Path directory;

    private static int serve(final ControlClient client)
    {
        client.createDevice(DeviceSpec.memory("mem0", 16 * MIB, 4096));
        client.createSubsystem(new SubsystemSpec(NQN, true));
        client.addNamespace(new NamespaceSpec(NQN, 1, "mem0"));
        return client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 0, false));
    }

    private static LoadConfig.Builder load(final int port)
    {
        return LoadConfig.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), NQN)
            .pattern(LoadPattern.RANDRW).sizeBytes(4096).queues(8, 1).verify(true).regionBytes(8 * MIB).warmUpMs(0);
    }

    private static void check(final LoadReport report)
    {
        assertEquals(List.of(), report.failures());
        assertTrue(report.verifiedBlocks() > 0);
        assertEquals(0, report.verifyFailures());
    }

    private static void verify(final int port)
    {
        try (LoadGenerator generator = new LoadGenerator(load(port).operationCount(4_000).build()))
        {
            check(generator.run());
        }
    }

    private static String state(final ControlClient client, final int port, final int group)
    {
        return client.anaStates(NQN).stream()
            .filter((each) -> port == each.port() && group == each.group())
            .map((each) -> each.address() + ' ' + each.state() + ' ' + each.changes() + ' ' + each.namespaces())
            .findFirst().orElse("");
    }

    /** No machine has an RDMA device with an address for documentation; states are stored for it nevertheless. */
    private static void exerciseRdma(final ControlClient client, final int port)
    {
        final ControlException e = assertThrows(ControlException.class,
            () -> client.addListener(new ListenerSpec(Transport.RDMA, "192.0.2.7", port, false)));
        assertTrue(e.getMessage().startsWith("listener rdma://192.0.2.7:" + port + ": "), e.getMessage());
        assertEquals(1, e.getMessage().lines().count());
        assertEquals(1, client.listeners().size());
        client.setAnaState(NQN, Transport.RDMA, "127.0.0.1", port, 1, AnaState.INACCESSIBLE);
        assertEquals(List.of(AnaState.OPTIMIZED, AnaState.INACCESSIBLE), client.anaStates(NQN).stream()
            .filter((each) -> port == each.port() && 1 == each.group())
            .sorted(Comparator.comparing((each) -> Transport.RDMA == each.transport())).map(AnaInfo::state).toList());
        client.setAnaState(NQN, Transport.RDMA, "127.0.0.1", port, 1, AnaState.OPTIMIZED);
    }

    private static void exerciseAna(final ControlClient client, final int port)
    {
        assertEquals(1, client.namespaces(NQN).getFirst().anaGroup());
        assertEquals("127.0.0.1 OPTIMIZED 0 1", state(client, port, 1));
        client.setAnaState(NQN, Transport.TCP, "127.0.0.1", port, 1, AnaState.INACCESSIBLE);
        client.setAnaState(NQN, Transport.TCP, "", 0, 0, AnaState.NON_OPTIMIZED);
        client.setAnaState(NQN, Transport.TCP, "0.0.0.0", port, 128, AnaState.CHANGE);
        assertEquals("127.0.0.1 NON_OPTIMIZED 2 1", state(client, port, 1));
        assertEquals("127.0.0.1 CHANGE 2 0", state(client, port, 128));
        assertEquals(" NON_OPTIMIZED 1 0", state(client, 0, 128));
        assertEquals(Code.INVALID, codeOf(() ->
            client.setAnaState(NQN, Transport.TCP, "127.0.0.1", port, 129, AnaState.OPTIMIZED)));
        assertEquals(Code.INVALID, codeOf(() ->
            client.setAnaState(NQN, Transport.TCP, "127.0.0.1", port, -1, AnaState.OPTIMIZED)));
        assertEquals(Code.INVALID, codeOf(() ->
            client.setAnaState(NQN, Transport.TCP, "127.0.0.1", port, 1, AnaState.SBE_UNKNOWN)));
        assertEquals(Code.INVALID, codeOf(() ->
            client.setAnaState(NQN, Transport.TCP, "localhost", port, 1, AnaState.OPTIMIZED)));
        assertEquals(Code.INVALID, codeOf(() ->
            client.setAnaState(NQN, Transport.TCP, "127.0.0.1", 65_536, 1, AnaState.OPTIMIZED)));
        assertEquals(Code.INVALID, codeOf(() ->
            client.setAnaState(NQN, Transport.TCP, "127.0.0.1", 0, 1, AnaState.OPTIMIZED)));
        assertEquals(Code.INVALID, codeOf(() ->
            client.setAnaState(NQN, Transport.TCP, "", port, 1, AnaState.OPTIMIZED)));
        assertEquals(Code.NOT_FOUND, codeOf(() ->
            client.setAnaState("nqn.2026-11.io.millrace:none", Transport.TCP, "", 0, 0, AnaState.OPTIMIZED)));
        assertEquals(Code.NOT_FOUND, codeOf(() -> client.anaStates("nqn.2026-11.io.millrace:none")));
        assertEquals("127.0.0.1 NON_OPTIMIZED 2 1", state(client, port, 1));
        client.setAnaState(NQN, Transport.TCP, "", 0, 0, AnaState.OPTIMIZED);
        assertEquals(Code.INVALID, codeOf(() ->
            client.addNamespace(new NamespaceSpec(NQN, 2, new UUID(0, 0), "mem0", 129))));
    }

    private static void exerciseQos(final ControlClient client)
    {
        final QosSpec namespace = new QosSpec(NQN, 1, "", 100, 200, 300, 40_960, 50_960, 60_960, 70);
        final QosSpec host = new QosSpec(NQN, 0, HOST, 0, 0, 1000, 0, 0, 0, 0);
        client.setQos(namespace);
        client.setQos(host);
        final List<QosInfo> listed = client.qos(NQN);
        assertEquals(namespace, listed.get(0).limits());
        assertEquals(new QosSpec(NQN, 0, HOST, 0, 0, 1000, 0, 0, 0, 10), listed.get(1).limits());
        assertEquals(0, listed.get(0).waiting());
        assertEquals(Code.INVALID, codeOf(() -> client.setQos(new QosSpec(NQN, 1, HOST, 1, 0, 0, 0, 0, 0, 0))));
        assertEquals(Code.INVALID, codeOf(() -> client.setQos(new QosSpec(NQN, 0, "", 1, 0, 0, 0, 0, 0, 0))));
        assertEquals(Code.INVALID, codeOf(() -> client.setQos(new QosSpec(NQN, 1, "", -1, 0, 0, 0, 0, 0, 0))));
        assertEquals(Code.INVALID, codeOf(() -> client.setQos(new QosSpec(NQN, 1, "", 1, 0, 0, 0, 0, 0, 1))));
        assertEquals(Code.NOT_FOUND, codeOf(() -> client.setQos(QosSpec.noneOfNamespace(NQN, 99))));
        assertEquals(Code.NOT_FOUND, codeOf(() -> client.qos("nqn.2026-11.io.millrace:none")));
        client.setQos(QosSpec.noneOfNamespace(NQN, 1));
        client.setQos(QosSpec.noneOfHost(NQN, HOST));
        assertEquals(List.of(), client.qos(""));
    }

    private static void exercise(final AgentFixture fixture, final ControlClient client)
    {
        final int port = serve(client);
        assertTrue(port > 0);
        verify(port);
        assertEquals("mem0", client.namespaces(NQN).getFirst().device());
        // Counted when its answer has left, which the host may know first.
        AgentFixture.until(client, () ->
        {
            final NamespaceInfo namespace = client.namespaces(NQN).getFirst();
            return namespace.reads() + namespace.writes() >= 4_000;
        });
        client.resizeDevice("mem0", 32 * MIB);
        assertEquals(32 * MIB, client.namespaces(NQN).getFirst().sizeBytes());
        assertEquals(32 * MIB, client.devices("mem0").getFirst().sizeBytes());
        assertEquals("memory", client.devices("").getFirst().type());
        assertEquals(Code.IN_USE, codeOf(() -> client.deleteDevice("mem0")));
        assertEquals(Code.EXISTS, codeOf(() -> client.createDevice(DeviceSpec.memory("mem0", MIB, 4096))));
        assertEquals(Code.NOT_FOUND, codeOf(() -> client.devices("none")));
        assertEquals(Code.INVALID, codeOf(() -> client.createDevice(DeviceSpec.memory("odd", 1000, 4096))));
        assertEquals(Code.INVALID, codeOf(() -> client.addListener(
            new ListenerSpec(Transport.TCP, "localhost", 0, false))));
        assertEquals(Code.INVALID, codeOf(() -> client.addListener(
            new ListenerSpec(Transport.SBE_UNKNOWN, "127.0.0.1", 0, false))));
        exerciseRdma(client, port);
        exerciseAna(client, port);
        exerciseQos(client);
        client.setAllowAnyHost(NQN, false);
        client.allowHost(NQN, HOST);
        assertEquals(HOST, client.hosts(NQN).getFirst().hostNqn());
        client.denyHost(NQN, HOST);
        assertEquals(port, client.listeners().getFirst().port());
        assertEquals(2, client.reactors().size());
        assertEquals("9.9", client.dataPlane().version());
        assertEquals(fixture.dataPlane().snapshot().id(), client.dataPlane().dataPlaneId());
        client.setState(State.DRAINING);
        assertEquals(State.DRAINING, client.dataPlane().state());
        client.setState(State.SERVING);
        client.removeNamespace(NQN, 1);
        client.deleteDevice("mem0");
        client.deleteSubsystem(NQN);
        client.removeListener(Transport.TCP, "127.0.0.1", port);
        assertEquals(List.of(), client.devices(""));
        assertEquals(List.of(), client.subsystems(""));
        assertEquals(List.of(), client.listeners());
        assertEquals(List.of(), fixture.errors());
    }

    @Test
    void shouldServeWhatIsCommandedWhenAskedOverIpc()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            exercise(fixture, fixture.connect(fixture.context()));
        }
        assertFalse(Files.exists(directory.resolve("aeron")), "the driver's directory is left");
    }

    @Test
    void shouldServeWhatIsCommandedWhenAskedOverUdp() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            exercise(fixture, fixture.connect(fixture.udpContext()));
            // IPC goes on beside it; who names a key has to prove it.
            assertEquals(2, fixture.connect(fixture.context()).reactors().size());
            final ControlClient proven = fixture.connect(
                fixture.context().keyName("admin").secret(AgentFixture.secret(AgentFixture.SECRET)));
            assertEquals(2, proven.reactors().size());
        }
    }

    @Test
    void shouldRefuseSizesOfMembersThatAreNone()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient client = fixture.connect(fixture.context());
            for (final String size : List.of("", "0", "-1", "MAX", "1KiB", "9999999999999999999"))
            {
                final ControlException e = assertThrows(ControlException.class,
                    () -> client.operateArray("vol0", ArrayOperation.RESIZE_MEMBERS, size));
                assertEquals(Code.INVALID, e.code());
                assertEquals("size '" + size + "' of the members is no positive number of bytes, nor max: use one of " +
                    "these", e.getMessage());
            }
        }
    }

    @Test
    void shouldLetNobodyInWhenSecretIsWrong() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            assertEquals(Code.NOT_AUTHENTICATED, codeOf(() -> fixture.connect(
                fixture.udpContext().secret(AgentFixture.secret("not-the-secret-of-this-data-plane")))));
            assertEquals(Code.NOT_AUTHENTICATED, codeOf(() -> fixture.connect(
                fixture.udpContext().keyName("nobody"))));
            assertEquals(Code.NOT_AUTHENTICATED, codeOf(() -> fixture.connect(
                fixture.context().keyName("admin").secret(AgentFixture.secret("not-the-secret-of-this-data-plane")))));
        }
    }

    @Test
    void shouldRefuseSessionWhenItIsAboutAnotherDataPlane() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            assertEquals(2, fixture.connect(fixture.context().dataPlaneName("test")).reactors().size());
            assertEquals(2, fixture.connect(fixture.udpContext().dataPlaneName("test")).reactors().size());
            for (final ControlClientContext context : List.of(fixture.context(), fixture.udpContext()))
            {
                final ControlException e = assertThrows(ControlException.class,
                    () -> fixture.connect(context.dataPlaneName("other")));
                assertEquals(Code.NOT_FOUND, e.code());
                assertEquals("no data plane other; this data plane is test", e.getMessage());
            }
            // Who has not proven itself is not told.
            assertEquals(Code.NOT_AUTHENTICATED, codeOf(() -> fixture.connect(
                fixture.udpContext().keyName("nobody").dataPlaneName("other"))));
        }
    }

    @Test
    void shouldRefuseWhatTheRoleMayNotWhenKeyGivesALowOne() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            final ControlClient reader = fixture.connect(fixture.readerContext());
            assertEquals(Role.READ, reader.session().role());
            assertEquals(Code.NOT_PERMITTED, codeOf(() -> serve(reader)));
            assertEquals("this command needs role admin, and key reader has role read: name another with " +
                "--key-name and --key-file, or give it that role in the key file of test",
                assertThrows(ControlException.class, () -> reader.deleteDevice("mem0")).getMessage());
            assertEquals(Code.NOT_PERMITTED, codeOf(() -> reader.setState(State.PAUSED)));
            assertEquals(List.of(), reader.devices(""));
            final ControlClient operator = fixture.connect(fixture.context().role(Role.OPERATOR));
            operator.setState(State.PAUSED);
            assertEquals(Code.NOT_FOUND,
                codeOf(() -> operator.setAnaState(NQN, Transport.TCP, "", 0, 0, AnaState.OPTIMIZED)));
            assertEquals(Code.NOT_PERMITTED,
                codeOf(() -> reader.setAnaState(NQN, Transport.TCP, "", 0, 0, AnaState.OPTIMIZED)));
            assertEquals(Code.NOT_PERMITTED, codeOf(() -> operator.setState(State.STOPPING)));
            assertEquals(Code.NOT_PERMITTED, codeOf(() -> operator.deleteDevice("mem0")));
        }
    }

    @Test
    void shouldAnswerAsBeforeAndDoNothingTwiceWhenCommandIsRepeated()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient client = fixture.connect(fixture.context());
            final CommandId id = new CommandId(1, 2);
            final Command create = new Command.CreateDevice(DeviceSpec.memory("mem0", MIB, 4096));
            client.execute(create, id);
            client.execute(create, id);
            client.deleteDevice("mem0");
            fixture.connect(fixture.context()).execute(create, id);
            assertEquals(List.of(), client.devices(""), "it was made once more");
            final Command wrong = new Command.ResizeDevice("none", MIB);
            for (int i = 0; i < 2; i++)
            {
                assertEquals(Code.NOT_FOUND, codeOf(() -> client.execute(wrong, new CommandId(3, 4))));
            }
        }
    }

    @Test
    void shouldTellEventsInOrderWhenSubscribed()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final List<ControlEvent> events = new ArrayList<>();
            final ControlClient watcher = fixture.connect(fixture.context().role(Role.READ).listener(
                (ControlListener)events::add));
            final ControlClient client = fixture.connect(fixture.context());
            final int port = serve(client);
            verify(port);
            AgentFixture.until(watcher, () -> events.stream().anyMatch((e) -> Change.DISCONNECTED == e.change()));
            for (int i = 0; i < events.size(); i++)
            {
                assertEquals(i + 1, events.get(i).sequence());
            }
            client.setAnaState(NQN, Transport.TCP, "127.0.0.1", port, 1, AnaState.INACCESSIBLE);
            AgentFixture.until(watcher, () -> events.stream().anyMatch((e) -> Kind.ANA == e.kind() &&
                (NQN + "/127.0.0.1:" + port + "/1").equals(e.name()) && "is INACCESSIBLE".equals(e.text())));
            assertEquals(Kind.DEVICE, events.getFirst().kind());
            assertEquals("mem0", events.getFirst().name());
            assertTrue(events.stream().anyMatch((e) -> Change.CONNECTED == e.change() &&
                Kind.CONTROLLER == e.kind()));
        }
    }

    @Test
    void shouldKeepOrderWhenFileDeviceIsMadeBeforeWhatUsesIt()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient client = fixture.connect(fixture.context());
            final List<Call> calls = List.of(
                client.submit(new Command.CreateDevice(
                    DeviceSpec.file("disk", directory.resolve("disk.img").toString(), 16 * MIB))),
                client.submit(new Command.CreateDevice(DeviceSpec.fault("bad", "disk", 7))),
                client.submit(new Command.CreateSubsystem(new SubsystemSpec(NQN, true))),
                client.submit(new Command.AddNamespace(new NamespaceSpec(NQN, 1, "bad"))));
            client.await(calls);
            assertEquals(List.of("disk"), client.devices("bad").getFirst().members());
            assertEquals("7", client.devices("bad").getFirst().spec().properties().get("seed"));
            client.modifyDevice("bad", Map.of("rules", "effect=error"));
            assertEquals(Code.INVALID, codeOf(() -> client.modifyDevice(
                "bad", Map.of("rules", "effect=error,probability=2"))));
            assertEquals(Code.INVALID, codeOf(() -> client.modifyDevice("bad", Map.of("seed", "8"))));
            client.modifyDevice("bad", Map.of("rules", ""));
            client.deleteSubsystem(NQN);
            client.deleteDevice("bad");
            client.deleteDevice("disk");
        }
    }

    @Test
    void shouldListErrorsOfDevicesAndTellOfEachOnce()
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            final ControlClient client = fixture.connect(fixture.context());
            final List<ControlEvent> events = new ArrayList<>();
            final ControlClient watcher = fixture.connect(fixture.context().role(Role.READ).listener(
                (ControlListener)events::add));
            client.createDevice(DeviceSpec.memory("mem0", 16 * MIB, 4096));
            client.createDevice(DeviceSpec.fault("bad", "mem0", 7));
            client.modifyDevice("bad", Map.of("rules", "effect=error"));
            client.createSubsystem(new SubsystemSpec(NQN, true));
            client.addNamespace(new NamespaceSpec(NQN, 1, "bad"));
            final int port = client.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 0, false));
            assertEquals(List.of(), client.deviceErrors(""));
            try (LoadGenerator generator = new LoadGenerator(load(port).pattern(LoadPattern.RANDWRITE).verify(false)
                .operationCount(100).build()))
            {
                generator.run();
            }
            final DeviceErrorInfo error = client.deviceErrors("bad").getFirst();
            assertEquals("bad write MEDIA_ERROR fault rule 1",
                error.device() + ' ' + error.operation() + ' ' + error.status() + ' ' + error.cause());
            assertTrue(error.count() > 0 && error.lastEpochNs() >= error.firstEpochNs() && error.firstLba() < 4096,
                error::toString);
            assertEquals(List.of(error), client.deviceErrors(""));
            assertEquals(List.of(), client.deviceErrors("mem0"));
            assertEquals(Code.NOT_FOUND, codeOf(() -> client.deviceErrors("none")));
            AgentFixture.until(watcher, () -> events.stream().anyMatch((e) -> Change.FAILED == e.change()));
            final List<ControlEvent> failed = events.stream().filter((e) -> Change.FAILED == e.change()).toList();
            assertEquals(1, failed.size());
            assertEquals("bad", failed.getFirst().name());
            assertTrue(failed.getFirst().text().startsWith(
                "write failed with MEDIA_ERROR (fault rule 1) at LBA "), failed.getFirst().text());
        }
    }

    @Test
    void shouldTellTheOwnerWhenStopIsCommanded() throws InterruptedException
    {
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            fixture.connect(fixture.context()).setState(State.STOPPING);
            assertTrue(fixture.stopped().await(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldTakeTheDirectoryOfAProcessThatWasKilledWhileItMadeIt() throws IOException
    {
        final Path left = Files.createDirectory(directory.resolve("aeron"));
        Files.write(left.resolve(CncFileDescriptor.CNC_FILE), new byte[64 * 1024]);
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            assertEquals(2, fixture.connect(fixture.context()).reactors().size());
        }
    }

    @Test
    void shouldRefuseDirectoryWhenItIsSomebodyElses() throws IOException
    {
        final Path others = Files.createDirectory(directory.resolve("aeron"));
        Files.writeString(others.resolve("thesis.txt"), "precious");
        final SettingException e = assertThrows(SettingException.class, () -> AgentFixture.ipc(directory).close());
        assertEquals("control.directory", e.key());
        assertTrue(Files.exists(others.resolve("thesis.txt")));
        Files.delete(others.resolve("thesis.txt"));
        try (AgentFixture fixture = AgentFixture.ipc(directory))
        {
            assertThrows(SettingException.class, () -> AgentFixture.ipc(directory).close());
            assertEquals(2, fixture.connect(fixture.context()).reactors().size());
        }
    }
}

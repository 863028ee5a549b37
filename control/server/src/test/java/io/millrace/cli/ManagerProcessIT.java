package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.console.ExitCode;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.HostInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.message.VersionInfo;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateEditor;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manager and a data plane as processes of their own, which are killed. */
class ManagerProcessIT
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final String HOST = "nqn.2026-11.io.millrace:host0";
    private static final long MIB = 1L << 20;
    /** More of them, or those of a seed that was printed: {@code -Dmillrace.rounds=100 -Dmillrace.seed=SEED}. */
    private static final int ROUNDS = Integer.getInteger("millrace.rounds", 10);
    private static final int MANY = 8_000;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long NOTICED_MS = 1_000;
    /** A process that is to notice something may get no turn for a second, but not each time. */
    private static final int KILLS_MAX = 4;

    @TempDir
    private Path directory;
    private Path planeConfig;
    private Path managerConfig;

    @BeforeEach
    void writeConfigs() throws IOException
    {
        planeConfig = Files.writeString(directory.resolve("plane.yaml"),
            "control: {directory: '" + directory.resolve("plane") + "'}\nstatus: {file: '" +
                directory.resolve("plane.status") + "', size: 1MiB}\n");
        managerConfig = Files.writeString(directory.resolve("manager.yaml"), """
            state: {directory: '%s'}
            control: {directory: '%s'}
            data-planes: [{name: dp0, directory: '%s'}]
            """.formatted(directory.resolve("state"), directory.resolve("manager"), directory.resolve("plane")));
    }

    private MillraceProcess servePlane() throws IOException
    {
        return MillraceProcess.start("serve", "--config", planeConfig.toString());
    }

    private MillraceProcess manage() throws IOException
    {
        return MillraceProcess.start("manager", "--config", managerConfig.toString());
    }

    private ControlClient connect(final String to)
    {
        return ControlClient.connect(new ControlClientContext().aeronDirectoryName(directory.resolve(to).toString())
            .role(Role.ADMIN).clientName("test").callTimeoutNs(WAIT_NS).connectTimeoutNs(WAIT_NS));
    }

    private static void untilWell(final ControlClient client, final String hint)
    {
        untilWell(client, Instant.EPOCH, hint);
    }

    /** Until the data plane has been heard since: a manager notices the death of one only after a while. */
    private static void untilWell(final ControlClient client, final Instant since, final String hint)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        final long sinceEpochNs = ChronoUnit.NANOS.between(Instant.EPOCH, since);
        while (client.manager().managed("").stream()
            .noneMatch((plane) -> Health.IN_SYNC == plane.health() && plane.seenEpochNs() > sinceEpochNs))
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> hint + ": " + client.manager().managed(""));
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static DesiredState actual(final ControlClient client)
    {
        final List<Resource> all = new ArrayList<>();
        all.addAll(client.devices(""));
        all.addAll(client.subsystems(""));
        all.addAll(client.namespaces(""));
        all.addAll(client.hosts(""));
        all.addAll(client.listeners());
        return DesiredState.of(all).withoutIncarnations();
    }

    private static Command command(final Random random)
    {
        final String nqn = "nqn.2026-11.io.millrace:vol" + random.nextInt(3);
        final String device = "mem" + random.nextInt(12);
        final String host = "nqn.2026-11.io.millrace:host" + random.nextInt(3);
        return switch (random.nextInt(12))
        {
            case 0, 1, 2 -> new Command.CreateDevice(DeviceSpec.memory(device, MIB, 4096));
            case 3 -> new Command.DeleteDevice(device);
            case 4 -> new Command.ResizeDevice(device, (1 + random.nextInt(4)) * MIB);
            case 5, 6 -> new Command.CreateSubsystem(new SubsystemSpec(nqn, random.nextBoolean()));
            case 7 -> 0 == random.nextInt(3) ? new Command.DeleteSubsystem(nqn) :
                new Command.SetAllowAnyHost(nqn, random.nextBoolean());
            case 8, 9 -> new Command.AddNamespace(new NamespaceSpec(nqn, 1 + random.nextInt(4), device));
            case 10 -> new Command.RemoveNamespace(nqn, 1 + random.nextInt(4));
            default -> random.nextBoolean() ?
                new Command.AllowHost(nqn, host) : new Command.DenyHost(nqn, host);
        };
    }

    /** Several commands that go together and alone, some that cannot be; answers what came of them. */
    private static List<Call> submit(final ControlClient client, final Random random)
    {
        final List<Call> calls = new ArrayList<>();
        for (int i = random.nextInt(40); i >= 0; i--)
        {
            calls.add(client.submit(command(random)));
        }
        return calls;
    }

    private static List<Call> submitChange(final ControlClient client, final Random random)
    {
        final List<Call> calls = new ArrayList<>();
        calls.add(client.submit(new Command.BeginChange("")));
        calls.addAll(submit(client, random));
        calls.add(client.submit(new Command.CommitChange()));
        return calls;
    }

    /**
     * Each command is answered as the state says that those before it lead to, whoever was killed meanwhile. A change
     * goes by the answer to its commit; other answers of it may be lost with its session.
     */
    private static void apply(final StateEditor model, final List<Call> calls, final String hint)
    {
        final boolean isChange = calls.getFirst().command() instanceof Command.BeginChange;
        if (isChange && Code.OK != calls.getLast().code())
        {
            return;
        }
        for (final Call call : calls)
        {
            if (DesiredState.changesDesiredState(call.command()))
            {
                final Code expected = apply(model, call.command());
                if (!isChange || Code.NULL_VAL != call.code())
                {
                    assertEquals(expected, call.code(), () -> hint + ": " + call.command() + ": " + call.text());
                }
            }
        }
    }

    private static Code apply(final StateEditor model, final Command command)
    {
        try
        {
            model.apply(command);
            return Code.OK;
        }
        catch (final ControlException e)
        {
            return e.code();
        }
    }

    @Test
    void shouldBeWhatWasAnsweredWhereverEitherIsKilled() throws IOException, InterruptedException
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        final String hint = "seed " + seed;
        System.out.println("killed processes: " + hint);
        final StateEditor model = DesiredState.EMPTY.edit();
        MillraceProcess plane = servePlane();
        MillraceProcess manager = manage();
        Instant planeStarted = Instant.EPOCH;
        try
        {
            plane.await("^ready");
            manager.await("^ready");
            try (ControlClient client = connect("manager"))
            {
                untilWell(client, hint);
                for (int round = 0; round < ROUNDS; round++)
                {
                    final List<Call> calls = 0 == random.nextInt(3) ?
                        submitChange(client, random) : submit(client, random);
                    final long killNs = System.nanoTime() + random.nextLong(TimeUnit.MILLISECONDS.toNanos(40));
                    while (System.nanoTime() - killNs < 0)
                    {
                        client.poll();
                    }
                    if (random.nextBoolean())
                    {
                        manager.signal("KILL");
                        manager.exitCode();
                        manager = manage();
                    }
                    else
                    {
                        plane.signal("KILL");
                        plane.exitCode();
                        planeStarted = Instant.now();
                        plane = servePlane();
                    }
                    client.await(calls);
                    apply(model, calls, hint + ", round " + round);
                }
                untilWell(client, planeStarted, hint);
                final DesiredState expected = model.state();
                assertEquals(expected, actual(client), hint);
                try (ControlClient beside = connect("plane"))
                {
                    assertEquals(expected, actual(beside), hint);
                }
                assertEquals(expected.devices().size(), client.manager().versions("").getLast().devices(), hint);
                assertEquals(expected.namespaceCount(), client.manager().versions("").getLast().namespaces(), hint);
            }
        }
        catch (final AssertionError | RuntimeException e)
        {
            System.out.println("the data plane said: " + plane.said() + "\nthe manager said: " + manager.said());
            throw e;
        }
        finally
        {
            manager.close();
            plane.close();
        }
    }

    @Test
    void shouldRefuseWhatItCannotKeepWhenTheDiskIsFullAndGoOn() throws IOException, InterruptedException
    {
        try (MillraceProcess plane = servePlane(); MillraceProcess manager = manage())
        {
            plane.await("^ready");
            manager.await("^ready");
            try (ControlClient client = connect("manager"))
            {
                untilWell(client, "start");
                // No file may be longer: what a full disk is to a state that is longer.
                limitFiles(manager, "65536");
                client.beginChange("too much");
                final List<Call> calls = new ArrayList<>();
                for (int i = 0; i < MANY; i++)
                {
                    calls.add(client.submit(new Command.CreateDevice(DeviceSpec.discard("null" + i, MIB, 4096))));
                }
                client.await(calls);
                final ControlException e = assertThrows(ControlException.class, client::commitChange);
                assertEquals(Code.FAILED, e.code());
                assertTrue(e.getMessage().startsWith("it cannot be saved, nothing was done: "), e.getMessage());
                assertEquals(List.of(), client.devices(""));
                client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
                assertEquals(1, client.manager().versions("").getLast().devices());
                limitFiles(manager, "unlimited");
                client.beginChange("enough");
                calls.forEach((call) -> client.submit(call.command()));
                client.commitChange();
                assertEquals(MANY + 1, client.devices("").size());
                System.out.printf("manager of %d devices: %d MiB resident%n", MANY, manager.residentBytes() >> 20);
            }
            manager.signal("TERM");
            assertEquals(ExitCode.OK, manager.exitCode());
        }
    }

    private static void limitFiles(final MillraceProcess process, final String bytes)
        throws IOException, InterruptedException
    {
        assertEquals(0, new ProcessBuilder(
            "prlimit", "--pid", Long.toString(process.pid()), "--fsize=" + bytes + ":unlimited").start().waitFor());
    }

    @Test
    void shouldRefuseStateThatIsInUseOrDamaged() throws IOException, InterruptedException
    {
        try (MillraceProcess plane = servePlane())
        {
            plane.await("^ready");
            try (MillraceProcess manager = manage())
            {
                System.out.println("manager: " + manager.await("^ready.*").group());
                try (MillraceProcess second = manage())
                {
                    assertEquals(ExitCode.USAGE, second.exitCode());
                    assertTrue(second.output().contains("in use by another manager"), second::outputOrReason);
                }
                try (ControlClient client = connect("manager"))
                {
                    untilWell(client, "start");
                    client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
                }
                System.out.printf("manager: %d MiB resident%n", manager.residentBytes() >> 20);
                assertTrue(manager.residentBytes() < 150 * MIB, "too much memory");
                manager.signal("KILL");
                manager.exitCode();
            }
            final Path last = directory.resolve("state/data-planes/dp0/state-00000002.yaml");
            Files.writeString(last, Files.readString(last).replace("1MiB", "9MiB"));
            try (MillraceProcess manager = manage())
            {
                assertEquals(ExitCode.USAGE, manager.exitCode());
                assertTrue(manager.output().contains("state-00000002.yaml:11: sha256 is "), manager::outputOrReason);
                assertTrue(manager.output().contains("start with --use-version 1"), manager::outputOrReason);
            }
            try (MillraceProcess manager = MillraceProcess.start(
                "manager", "--config", managerConfig.toString(), "--use-version", "1"))
            {
                manager.await("^ready");
                try (ControlClient client = connect("manager"))
                {
                    untilWell(client, "used");
                    assertEquals(List.of(), client.devices(""));
                    assertEquals(3, client.manager().versions("").getLast().version());
                }
            }
        }
    }

    private static void copy(final Path from, final Path to) throws IOException
    {
        try (Stream<Path> files = Files.walk(from))
        {
            for (final Path each : files.toList())
            {
                Files.copy(each, to.resolve(from.relativize(each).toString()));
            }
        }
    }

    private static void delete(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            for (final Path each : files.sorted(Comparator.reverseOrder()).toList())
            {
                Files.delete(each);
            }
        }
    }

    /** A backup of yesterday, started again: nothing that was made since is taken away. */
    @Test
    void shouldTakeNothingAwayWhenAnOldCopyOfItsStateIsStarted() throws IOException, InterruptedException
    {
        final Path backup = directory.resolve("backup");
        try (MillraceProcess plane = servePlane())
        {
            plane.await("^ready");
            try (MillraceProcess manager = manage())
            {
                manager.await("^ready");
                try (ControlClient client = connect("manager"))
                {
                    untilWell(client, "start");
                    client.createDevice(DeviceSpec.memory("before", MIB, 4096));
                    copy(directory.resolve("state"), backup);
                    client.createDevice(DeviceSpec.memory("since", MIB, 4096));
                    client.createSubsystem(new SubsystemSpec(NQN, false));
                    client.addNamespace(new NamespaceSpec(NQN, 1, "since"));
                    client.allowHost(NQN, HOST);
                    client.deleteDevice("before");
                }
                manager.signal("KILL");
                manager.exitCode();
            }
            delete(directory.resolve("state"));
            copy(backup, directory.resolve("state"));
            try (MillraceProcess manager = manage(); ControlClient beside = connect("plane"))
            {
                final DesiredState now = actual(beside);
                manager.await("^ready");
                try (ControlClient client = connect("manager"))
                {
                    untilWell(client, "copy");
                    assertEquals(now, actual(beside));
                    assertEquals("since", client.devices("").getFirst().name());
                    final VersionInfo adopted = client.manager().versions("").getLast();
                    assertTrue(adopted.comment().startsWith("adopted: the data plane had version 7 "),
                        adopted::comment);
                    assertEquals(8, adopted.version());
                    assertTrue(client.manager().audit("").stream().anyMatch((each) ->
                        each.command().startsWith("adopted: ")));
                    // It goes on as a manager does.
                    client.deleteSubsystem(NQN);
                    client.deleteDevice("since");
                    untilWell(client, "after");
                    assertEquals(List.of(), beside.devices(""));
                }
            }
        }
    }

    /** What a manager refused stays refused while it is down, from the first moment on. */
    @Test
    void shouldBeginWithWhatItsManagerAppliedLast() throws IOException, InterruptedException
    {
        final int port = FreePorts.tcp();
        Files.writeString(planeConfig, Files.readString(planeConfig) + """
            devices: [{name: vol0, type: memory, size: 16MiB}]
            subsystems: [{nqn: '%s', hosts: ['%s'], namespaces: [{nsid: 1, device: vol0}]}]
            listeners: [{transport: tcp, address: 127.0.0.1, port: %d}]
            """.formatted(NQN, HOST, port));
        final DesiredState before;
        try (MillraceProcess plane = servePlane(); MillraceProcess manager = manage())
        {
            plane.await("^ready");
            manager.await("^ready");
            try (ControlClient client = connect("manager"))
            {
                untilWell(client, "start");
                client.setAnaState(NQN, Transport.TCP, "127.0.0.1", port, 1, AnaState.INACCESSIBLE);
                client.allowHost(NQN, HOST + "other");
                client.denyHost(NQN, HOST);
                before = actual(client);
            }
            plane.signal("KILL");
            plane.exitCode();
            manager.signal("KILL");
            manager.exitCode();
        }
        try (MillraceProcess plane = servePlane())
        {
            // Whoever asks before it is ready finds it as it was, too.
            final String said = plane.await("^ready").group();
            try (ControlClient client = connect("plane"))
            {
                assertEquals(before, actual(client));
                assertEquals(List.of(HOST + "other"), client.hosts(NQN).stream().map(HostInfo::hostNqn).toList());
                assertTrue(client.anaStates(NQN).stream().anyMatch(
                    (each) -> port == each.port() && AnaState.INACCESSIBLE == each.state()), said);
                final ControlException e =
                    assertThrows(ControlException.class, () -> client.allowHost(NQN, HOST));
                assertEquals(Code.STALE_TERM, e.code());
                assertTrue(e.getMessage().contains(" is managed by ") &&
                    e.getMessage().contains(directory.resolve("manager").toString()) &&
                    e.getMessage().contains("--direct"), e.getMessage());
            }
            assertTrue(plane.said().contains("and is ignored: change it through the manager"), plane::said);
            assertTrue(plane.said().contains("memory devices are empty after a start: vol0"), plane::said);
        }
        try (MillraceProcess plane =
            MillraceProcess.start("serve", "--config", planeConfig.toString(), "--import"))
        {
            plane.await("^ready");
            try (ControlClient client = connect("plane"))
            {
                assertEquals(List.of(HOST), client.hosts(NQN).stream().map(HostInfo::hostNqn).toList());
            }
        }
    }

    /** Not after the time in which a process that lives would have said something. */
    @Test
    void shouldKnowAtOnceThatADataPlaneWasKilled() throws IOException, InterruptedException
    {
        long leastMs = Long.MAX_VALUE;
        for (int i = 0; i < KILLS_MAX && leastMs >= NOTICED_MS; i++)
        {
            leastMs = Math.min(leastMs, noticedMs());
        }
        System.out.println("a killed data plane: noticed after " + leastMs + " ms");
        assertTrue(leastMs < NOTICED_MS, "noticed after " + leastMs + " ms");
    }

    /** {@return after what time its manager and a client notice that a data plane was killed} */
    private long noticedMs() throws IOException, InterruptedException
    {
        try (MillraceProcess plane = servePlane(); MillraceProcess manager = manage())
        {
            plane.await("^ready");
            manager.await("^ready");
            try (ControlClient client = connect("manager"); ControlClient beside = connect("plane"))
            {
                untilWell(client, "start");
                plane.signal("KILL");
                plane.exitCode();
                final long killedNs = System.nanoTime();
                while (client.manager().managed("").getFirst().isConnected() || beside.isConnected())
                {
                    beside.poll();
                    assertTrue(System.nanoTime() - killedNs < WAIT_NS, "not noticed");
                }
                final long noticedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killedNs);
                assertEquals("no process accepts commands in " + directory.resolve("plane") +
                    ": its data plane or manager ended, or does not respond; start 'millrace serve' or 'millrace " +
                    "manager' with the configuration that names this directory", untilSaid(client));
                return noticedMs;
            }
        }
    }

    /** What the manager says of its data plane when it has tried to reach it again. */
    private static String untilSaid(final ControlClient client)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        String text = "";
        while (!text.startsWith("no process") && System.nanoTime() - deadlineNs < 0)
        {
            text = client.manager().managed("").getFirst().text();
        }
        return text;
    }
}

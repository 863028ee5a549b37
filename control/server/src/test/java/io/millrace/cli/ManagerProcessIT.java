package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateEditor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A manager and a data plane as processes of their own, which are killed. */
class ManagerProcessIT
{
    private static final long MIB = 1L << 20;
    /** More of them, or those of a seed that was printed: {@code -Dmillrace.rounds=100 -Dmillrace.seed=SEED}. */
    private static final int ROUNDS = Integer.getInteger("millrace.rounds", 10);
    private static final int MANY = 8_000;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);

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
            .role(Role.ADMINISTER).clientName("test").callTimeoutNs(WAIT_NS).connectTimeoutNs(WAIT_NS));
    }

    private static void untilWell(final ControlClient client, final String hint)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (Health.WELL != client.managed("").getFirst().health())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> hint + ": " + client.managed(""));
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
        return DesiredState.of(all);
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
            if (DesiredState.keeps(call.command()))
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
        final long seed = Long.getLong("millrace.seed", System.nanoTime());
        final Random random = new Random(seed);
        final String hint = "seed " + seed;
        System.out.println("killed processes: " + hint);
        final StateEditor model = DesiredState.EMPTY.edit();
        MillraceProcess plane = servePlane();
        MillraceProcess manager = manage();
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
                        plane = servePlane();
                    }
                    client.await(calls);
                    apply(model, calls, hint + ", round " + round);
                }
                untilWell(client, hint);
                final DesiredState expected = model.state();
                assertEquals(expected, actual(client), hint);
                try (ControlClient beside = connect("plane"))
                {
                    assertEquals(expected, actual(beside), hint);
                }
                assertEquals(expected.devices().size(), client.versions("").getLast().devices(), hint);
                assertEquals(expected.namespaceCount(), client.versions("").getLast().namespaces(), hint);
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
                    calls.add(client.submit(new Command.CreateDevice(DeviceSpec.nullDevice("null" + i, MIB, 4096))));
                }
                client.await(calls);
                final ControlException e = assertThrows(ControlException.class, client::commitChange);
                assertEquals(Code.FAILED, e.code());
                assertTrue(e.getMessage().startsWith("it cannot be kept, nothing was done: "), e.getMessage());
                assertEquals(List.of(), client.devices(""));
                client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
                assertEquals(1, client.versions("").getLast().devices());
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
                assertTrue(manager.output().contains("state-00000002.yaml:9: sha256 is "), manager::outputOrReason);
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
                    assertEquals(3, client.versions("").getLast().version());
                }
            }
        }
    }
}

package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemSpec;
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
import org.junit.jupiter.api.Test;

/**
 * A manager and its data plane, killed at any moment of a stream of changes, with the kernel's initiator on a volume of
 * theirs that verifies what it wrote.
 */
@LabTest
final class ManagerKillTest
{
    private static final String NQN = TargetProcess.NQN;
    private static final long MIB = 1L << 20;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long LIFE_MAX_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int KILLS_MIN = 4;
    private static final String END = "I/O has ended";

    private final Random random = TestSeeds.random();
    private final StateEditor model = DesiredState.EMPTY.edit();

    private static ControlClient connect(final Path directory)
    {
        return ControlClient.connect(new ControlClientContext().aeronDirectoryName(directory.toString())
            .role(Role.ADMIN).clientName("lab").callTimeoutNs(WAIT_NS).connectTimeoutNs(WAIT_NS));
    }

    /**
     * Until the data plane is in sync and was heard since its process started: a manager notices the death of one only
     * after a while, and calls it healthy until then.
     */
    private static void untilWell(final ControlClient client, final ControlProcess plane)
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        final long startedNs = ChronoUnit.NANOS.between(Instant.EPOCH, plane.started());
        while (client.manager().managed("").stream()
            .noneMatch((each) -> Health.IN_SYNC == each.health() && each.seenEpochNs() > startedNs))
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> client.manager().managed("").toString());
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

    /** Beside the volume under load, some in its subsystem. */
    private Command command()
    {
        final String device = "mem" + random.nextInt(6);
        final String nqn = random.nextBoolean() ? NQN : "nqn.2026-11.io.millrace:other" + random.nextInt(2);
        final String host = "nqn.2026-11.io.millrace:host" + random.nextInt(3);
        final int nsid = 2 + random.nextInt(3);
        return switch (random.nextInt(10))
        {
            case 0, 1 -> new Command.CreateDevice(DeviceSpec.memory(device, MIB, 4096));
            case 2 -> new Command.DeleteDevice(device);
            case 3 -> new Command.ResizeDevice(device, (1 + random.nextInt(4)) * MIB);
            case 4, 5 -> new Command.AddNamespace(new NamespaceSpec(nqn, nsid, device));
            case 6 -> new Command.RemoveNamespace(nqn, nsid);
            case 7 -> NQN.equals(nqn) || random.nextBoolean() ?
                new Command.CreateSubsystem(new SubsystemSpec(nqn, true)) : new Command.DeleteSubsystem(nqn);
            default -> random.nextBoolean() ? new Command.AllowHost(nqn, host) : new Command.DenyHost(nqn, host);
        };
    }

    /** Each is answered as those before it make it. */
    private void apply(final List<Call> calls)
    {
        for (final Call call : calls)
        {
            Code expected = Code.OK;
            try
            {
                model.apply(call.command());
            }
            catch (final ControlException e)
            {
                expected = e.code();
            }
            assertEquals(expected, call.code(), () -> call.command() + ": " + call.text());
        }
    }

    private static List<Call> submit(final ControlClient client, final List<Command> commands)
    {
        final List<Call> calls = new ArrayList<>();
        commands.forEach((command) -> calls.add(client.submit(command)));
        return calls;
    }

    private List<Command> some()
    {
        final List<Command> commands = new ArrayList<>();
        for (int i = random.nextInt(30); i >= 0; i--)
        {
            commands.add(command());
        }
        return commands;
    }

    private int killUnderChanges(
        final ControlClient client,
        final LabMachine machine,
        final ControlProcess manager,
        final ControlProcess plane) throws IOException, InterruptedException
    {
        int kills = 0;
        while (!machine.output().contains(END) && !machine.hasEnded())
        {
            final List<Call> calls = new ArrayList<>();
            final long killNs = System.nanoTime() + random.nextLong(LIFE_MAX_NS);
            while (System.nanoTime() - killNs < 0 && !machine.output().contains(END))
            {
                calls.addAll(submit(client, some()));
                final long pauseNs = System.nanoTime() + random.nextLong(LIFE_MAX_NS / 20);
                while (System.nanoTime() - pauseNs < 0)
                {
                    client.poll();
                }
            }
            calls.addAll(submit(client, some()));
            client.poll();
            (random.nextBoolean() ? manager : plane).killAndStart();
            kills++;
            client.await(calls);
            apply(calls);
        }
        return kills;
    }

    @Test
    void shouldLoseAndInventNothingUnderIo() throws Exception
    {
        final Path directory = Lab.directory("manager-kill-state");
        final Path run = Files.createTempDirectory(Path.of("/dev/shm"), "lab");
        final Path image = directory.resolve("volume.img");
        Files.deleteIfExists(image);
        final Path planeConfig = Files.writeString(directory.resolve("plane.yaml"),
            "reactors: [{name: r0}, {name: r1}]\ncontrol: {directory: '" + run.resolve("plane") +
                "', device-directories: ['" + directory + "']}\nstate: {directory: '" + run.resolve("plane-state") +
                "'}\nstatus: {file: '" + run.resolve("status") + "', size: 1MiB}\n");
        final Path managerConfig = Files.writeString(directory.resolve("manager.yaml"), """
            state: {directory: '%s'}
            control: {directory: '%s'}
            data-planes: [{name: dp0, directory: '%s'}]
            """.formatted(run.resolve("state"), run.resolve("manager"), run.resolve("plane")));
        final int port = Ports.free();
        try (ControlProcess plane = ControlProcess.start(directory, "serve", "--config", planeConfig.toString());
            ControlProcess manager = ControlProcess.start(directory, "manager", "--config", managerConfig.toString());
            ControlClient client = connect(run.resolve("manager")))
        {
            untilWell(client, plane);
            final List<Call> calls = submit(client, List.of(
                new Command.CreateDevice(DeviceSpec.file("volume", image.toString(), 16 * MIB)),
                new Command.CreateSubsystem(new SubsystemSpec(NQN, true)),
                new Command.AddNamespace(new NamespaceSpec(NQN, 1, "volume")),
                new Command.AddListener(new ListenerSpec(Transport.TCP, "127.0.0.1", port, false))));
            client.await(calls);
            calls.forEach(Call::orThrow);
            apply(calls);
            final LabResult result;
            final int kills;
            try (LabMachine machine = Lab.named("manager-kill").start(480, "manager-kill.sh", port, NQN))
            {
                awaitIo(client, machine);
                kills = killUnderChanges(client, machine, manager, plane);
                result = machine.await();
            }
            result.assertPassed();
            System.out.println(kills + " kills under I/O");
            assertTrue(kills >= KILLS_MIN, kills + " kills");
            untilWell(client, plane);
            assertEquals(model.state(), actual(client));
            try (ControlClient beside = connect(run.resolve("plane")))
            {
                assertEquals(model.state(), actual(beside));
            }
        }
        finally
        {
            delete(run);
            Files.deleteIfExists(image);
        }
    }

    /** The session is kept meanwhile. */
    private static void awaitIo(final ControlClient client, final LabMachine machine)
    {
        while (!machine.output().contains("I/O runs"))
        {
            assertTrue(!machine.hasEnded(), machine::output);
            client.poll();
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private static void delete(final Path directory) throws IOException
    {
        try (Stream<Path> all = Files.walk(directory))
        {
            for (final Path each : all.sorted(Comparator.reverseOrder()).toList())
            {
                Files.deleteIfExists(each);
            }
        }
    }
}

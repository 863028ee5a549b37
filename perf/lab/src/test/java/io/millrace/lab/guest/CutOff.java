package io.millrace.lab.guest;

import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.LatencyInfo;
import io.millrace.control.message.ListenerSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.Resource;
import io.millrace.control.message.SubsystemSpec;
import io.millrace.control.state.DesiredState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Cuts the link between a manager and its data plane, changes what should be, looks at both, and joins the link again.
 * Fails with what is not as it should be; lines begin with CUT.
 */
public final class CutOff
{
    private static final long MIB = 1L << 20;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(90);
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Commands of the host that have to go through while the link is cut. */
    private static final long COMMANDS = 200;

    private final Path directory;
    private final String nqn;
    private final ControlClient manager;
    private final ControlClient plane;

    private CutOff(final Path directory, final String nqn)
    {
        this.directory = directory;
        this.nqn = nqn;
        manager = connect(directory.resolve("manager"));
        plane = connect(directory.resolve("plane"));
    }

    /**
     * Does all of it.
     *
     * @param args directory of both processes, NQN of the volume.
     * @throws Exception when something fails.
     */
    public static void main(final String[] args) throws Exception
    {
        final CutOff test = new CutOff(Path.of(args[0]), args[1]);
        test.serve();
        test.cut();
        test.join();
        test.manager.close();
        test.plane.close();
    }

    private static ControlClient connect(final Path directory)
    {
        return ControlClient.connect(new ControlClientContext().aeronDirectoryName(directory.toString())
            .role(Role.ADMIN).clientName("cut").livenessTimeoutNs(PATIENCE_NS).callTimeoutNs(PATIENCE_NS)
            .connectTimeoutNs(PATIENCE_NS));
    }

    private static void say(final String what)
    {
        System.out.println("CUT " + what);
    }

    private static void expect(final boolean condition, final String what)
    {
        if (!condition)
        {
            throw new IllegalStateException(what);
        }
    }

    private void until(final BooleanSupplier condition, final String what)
    {
        final long deadlineNs = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean())
        {
            expect(System.nanoTime() - deadlineNs < 0, "waited in vain until " + what + ": " + managed());
            manager.poll();
            plane.poll();
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    private ManagedInfo managed()
    {
        return manager.manager().managed("").getFirst();
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

    /** How many commands of hosts the data plane has ended. */
    private long commands()
    {
        return plane.latencies(nqn).stream().mapToLong(LatencyInfo::count).sum();
    }

    private static void link(final String state) throws IOException, InterruptedException
    {
        final Process ip = new ProcessBuilder("ip", "link", "set", "plane0", state).inheritIO().start();
        expect(0 == ip.waitFor(), "ip link set plane0 " + state);
    }

    private void serve() throws IOException
    {
        until(() -> Health.IN_SYNC == managed().health(), "the manager has reached the data plane");
        manager.createDevice(DeviceSpec.file("volume", directory.resolve("volume.img").toString(), 4 * MIB));
        manager.createDevice(DeviceSpec.memory("gone", MIB, 4096));
        manager.createSubsystem(new SubsystemSpec(nqn, true));
        manager.addNamespace(new NamespaceSpec(nqn, 1, "volume"));
        manager.addListener(new ListenerSpec(Transport.TCP, "127.0.0.1", 4420, false));
        Files.createFile(directory.resolve("served"));
        until(() -> commands() > COMMANDS, "the volume is used");
    }

    private void cut() throws IOException, InterruptedException
    {
        final DesiredState before = actual(plane);
        final long commandsBefore = commands();
        link("down");
        final long cutNs = System.nanoTime();
        // Nobody knows yet; who asks is told when it is known.
        change(new Command.CreateDevice(DeviceSpec.memory("added", 2 * MIB, 4096)));
        say(String.format("noticed after %.1f s", (System.nanoTime() - cutNs) / 1e9));
        final ManagedInfo info = managed();
        expect(!info.isConnected() && Health.DOWN == info.health(), "not seen as gone: " + info);
        change(new Command.AddNamespace(new NamespaceSpec(nqn, 2, "added")));
        change(new Command.AllowHost(nqn, "nqn.2026-11.io.millrace:host0"));
        change(new Command.DeleteDevice("gone"));
        until(() -> commands() - commandsBefore > COMMANDS, "the host goes on");
        expect(before.equals(actual(plane)), "changed though it is cut off: " + actual(plane));
        expect(managed().desiredVersion() > managed().appliedVersion(), "applied though it is cut off: " + managed());
        say((commands() - commandsBefore) + " commands of the host while the link was cut");
    }

    private void change(final Command command)
    {
        final Call call = manager.execute(command);
        expect(call.text().contains("dp0") && call.text().contains("applied when"),
            command + " was answered " + call.text());
    }

    private void join() throws IOException, InterruptedException
    {
        link("up");
        final long joinedNs = System.nanoTime();
        until(() -> Health.IN_SYNC == managed().health(), "the data plane is in sync");
        say(String.format("in sync %.1f s after the link was joined", (System.nanoTime() - joinedNs) / 1e9));
        final DesiredState state = actual(plane);
        expect(state.equals(actual(manager)), "not the same: " + state + ", " + actual(manager));
        expect(state.devices().keySet().equals(Set.of("volume", "added")), "devices " + state.devices());
        expect(2 == state.namespaceCount(), state.toString());
        expect(1 == state.subsystems().get(nqn).hosts().size(), state.toString());
        expect(managed().desiredVersion() == managed().appliedVersion() && managed().term() > 1,
            managed().toString());
    }
}

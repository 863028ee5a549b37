package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.control.agent.AgentFixture;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.service.ControlSettings;
import io.millrace.dataplane.HostTransports;
import io.millrace.dataplane.snapshot.DataPlaneState;
import io.millrace.manager.Manager;
import io.millrace.manager.config.HookConfig;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What would lose data or cut a host off is not done unasked. The host is this project's initiator. */
class LossCommandsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";

    @TempDir
    private Path directory;

    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1));
    private final HostConfig host = HostConfig.random();
    private AgentFixture fixture;
    private HostPollGroup group;
    private RemoteController controller;
    private int port;
    private int otherPort;

    @BeforeEach
    void start() throws IOException
    {
        fixture = AgentFixture.ipc(directory);
        reactor.start();
        done("device create mem0 --size 1MiB");
        done("subsystem create " + NQN + " --allow-any-host");
        done("namespace add " + NQN + " mem0");
        port = portOf(done("listener add 127.0.0.1:0"));
        otherPort = portOf(done("listener add 127.0.0.1:0"));
    }

    @AfterEach
    void stop()
    {
        CloseHelper.closeAll(controller, group, reactor, fixture);
    }

    private static int portOf(final String line)
    {
        return Integer.parseInt(line.strip().substring(line.strip().lastIndexOf(':') + 1));
    }

    private void connect()
    {
        group = HostTransports.pollGroup(reactor);
        controller = RemoteController.connect(group, host,
            ConnectionConfig.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), NQN).build(),
            ControllerListener.NONE).join();
    }

    private CommandRun run(final String line)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(line.split(" ")));
        args.addAll(List.of("--control", fixture.settings().directory().toString()));
        return CommandRun.of(args.toArray(String[]::new));
    }

    /** A document without the section of subsystems, through a data plane or a manager. */
    private void shouldNotRemoveWhatHostsUse(final Path control)
    {
        final String devices = "devices: [{name: mem0, type: memory, size: 1MiB, block-size: 4096}]\n";
        final CommandRun run = CommandRun.withInput(devices, "apply", "-f", "-", "--yes", "--control",
            control.toString());
        assertEquals(ExitCode.USAGE, run.exitCode(), run.toString());
        assertTrue(run.out().contains("! delete subsystem " + NQN + " with its 1 namespace; " + name() +
            " is connected\n"), run.out());
        assertTrue(run.out().contains("! stop listening on 127.0.0.1:" + port + "; " + name() + " is connected\n"),
            run.out());
        assertTrue(run.out().contains("0 to create, 0 to change, 3 to remove; 3 destructive\n"), run.out());
        assertTrue(run.err().contains("note: there is no section subsystems, which removes all 1 of them; " +
            "--no-prune keeps them"), run.err());
        assertTrue(run.err().endsWith("steps marked ! destroy data or take a resource from hosts that use it: add " +
            "--allow-destroy to confirm; nothing was done\n"), run.err());
        assertEquals(1, fixture.dataPlane().controllers().list(NQN).size());
    }

    @Test
    void shouldMarkStepsOfAPlanThatCutAHostOff()
    {
        connect();
        shouldNotRemoveWhatHostsUse(fixture.settings().directory());
        final Path control = directory.resolve("manager");
        try (Manager _ = Manager.start(new ManagerConfig("test", directory.resolve("state"), 50,
            new ControlSettings(control, ControlSettings.IPC_CHANNEL, 4420, null, "test"), null,
            List.of(new PlaneConfig("dp0", fixture.settings().directory(), ControlSettings.IPC_CHANNEL, 4420, "", null,
            ControlSettings.IPC_CHANNEL)), HookConfig.NONE), Map.of(), (_) ->
            {
            }))
        {
            while (!CommandRun.of("get", "subsystems", "--control", control.toString()).out().contains(NQN))
            {
                LockSupport.parkNanos(1_000_000);
            }
            shouldNotRemoveWhatHostsUse(control);
            // The manager refuses the same of clients that show nothing.
            try (ControlClient client = ControlClient.connect(new ControlClientContext()
                .aeronDirectoryName(control.toString()).role(Role.ADMIN).clientName("test")))
            {
                client.await(client.submit(new Command.AddDocumentPart(0, "devices: []\n")));
                final Call call = client.await(client.submit(
                    new Command.ReplaceState(0, 0, false, false, true, "x", "")));
                assertEquals(Code.INVALID, call.code());
                assertTrue(call.text().contains("from hosts that use it"), call.text());
            }
        }
    }

    private String done(final String line)
    {
        final CommandRun run = run(line);
        assertEquals("", run.errors(), line);
        assertEquals(ExitCode.OK, run.exitCode(), line);
        return run.out();
    }

    /** Asked first, and nothing done: exit code 2 and one sentence. */
    private void asked(final String line, final String what)
    {
        final CommandRun run = run(line);
        assertEquals(ExitCode.USAGE, run.exitCode(), line + run.out());
        assertEquals("", run.out());
        assertTrue(run.err().endsWith(": " + what + ": add --yes to confirm\n"), run.err());
    }

    private String name()
    {
        return "host " + host.hostNqn();
    }

    @Test
    void shouldAskBeforeAHostIsCutOff()
    {
        connect();
        asked("namespace remove " + NQN + " 1",
            "namespace 1 of " + NQN + ", 1MiB of device mem0, would be taken from " + name());
        asked("subsystem allow-any " + NQN + " no", "subsystem " + NQN + " is in use by " + name() +
            " not on its list, which would be disconnected");
        asked("subsystem delete " + NQN, "subsystem " + NQN + " is in use by " + name() +
            ", which would lose its 1 namespace");
        asked("ana set " + NQN + " inaccessible", "ANA group 1 of " + NQN + " would have no usable path left, and " +
            name() + " could not reach its namespaces");
        assertEquals(1, fixture.dataPlane().namespaces().list(NQN).size());
        assertEquals(1, fixture.dataPlane().controllers().list(NQN).size());

        // On its list it keeps its connection, and loses it when it is taken off.
        done("host allow " + NQN + " " + host.hostNqn());
        done("subsystem allow-any " + NQN + " no");
        asked("host deny " + NQN + " " + host.hostNqn(),
            name() + " is connected to " + NQN + " and would be disconnected");
        done("subsystem allow-any " + NQN + " yes");
        done("host deny " + NQN + " " + host.hostNqn());
        assertEquals(1, fixture.dataPlane().controllers().list(NQN).size());
        done("namespace remove " + NQN + " 1 --yes");
    }

    @Test
    void shouldAskBeforeAHostIsDisconnectedOrItsIoHeld()
    {
        // Nobody loses anything yet.
        done("dataplane pause");
        done("dataplane resume");
        connect();
        final int id = fixture.dataPlane().controllers().list(NQN).getFirst().controllerId();
        for (final String which : List.of(host.hostNqn(), Integer.toString(id)))
        {
            asked("host disconnect " + NQN + " " + which,
                name() + " is connected to " + NQN + " as controller " + id + " and would be disconnected");
        }
        asked("dataplane pause", "I/O of " + name() +
            " would wait until 'resume', and fail when the host's time-out is shorter");
        assertEquals(DataPlaneState.SERVING, fixture.dataPlane().snapshot().state());
        assertEquals(1, fixture.dataPlane().controllers().list(NQN).size());
        done("dataplane pause --yes");
        assertEquals(DataPlaneState.PAUSED, fixture.dataPlane().snapshot().state());
        done("dataplane resume");
        assertEquals("controller " + id + " of " + name() + " disconnected\n",
            done("host disconnect " + NQN + " " + host.hostNqn() + " -y"));
    }

    @Test
    void shouldAskBeforeTheLastPathGoes()
    {
        connect();
        final String first = "127.0.0.1:" + port;
        final String second = "127.0.0.1:" + otherPort;
        done("ana set " + NQN + " non-optimized -l " + second);
        asked("ana set " + NQN + " inaccessible -l " + first, "ANA group 1 of " + NQN +
            " would have no optimized path left, and " + name() + " would have only non-optimized paths");
        done("ana set " + NQN + " inaccessible -l " + second);
        asked("ana set " + NQN + " inaccessible -l " + first, "ANA group 1 of " + NQN +
            " would have no usable path left, and " + name() + " could not reach its namespaces");
        asked("listener remove " + first, "listener " + first + " is the last usable path to " + NQN + " of " +
            name() + ", which could not connect again");
        done("listener remove " + second);
        asked("listener remove " + first, "listener " + first + " is the last: no host could connect, and " + name() +
            " could not connect again");
        done("listener remove " + first + " -y");
        assertEquals(List.of(), fixture.dataPlane().listeners().list());
    }

    @Test
    void shouldNotAskWhenNobodyLosesAnything()
    {
        done("ana set " + NQN + " inaccessible");
        done("subsystem allow-any " + NQN + " no");
        done("namespace remove " + NQN + " 1");
        done("listener remove 127.0.0.1:" + otherPort);
        asked("listener remove 127.0.0.1:" + port, "listener 127.0.0.1:" + port +
            " is the last: no host could connect");
        done("subsystem delete " + NQN);
        asked("device delete mem0", "device mem0 is in memory, and what its 1MiB hold is lost with it");
    }
}

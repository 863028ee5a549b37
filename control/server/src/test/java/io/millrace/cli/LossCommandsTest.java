package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.control.agent.AgentFixture;
import io.millrace.dataplane.HostTransports;
import io.millrace.dataplane.snapshot.DataPlaneState;
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

    private String done(final String line)
    {
        final CommandRun run = run(line);
        assertEquals("", run.err(), line);
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

package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An array of a manager that grows, by a command and by a desired state: its data plane is killed meanwhile, gets the
 * array again as it is, and a host of another data plane sees the larger size without another connection.
 */
@Timeout(300)
class RaidGrowthIT
{
    private static final String NQN = "nqn.2026-11.io.example:array";
    private static final int DEVICES = 5;
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    private Path directory;

    private final List<MillraceProcess> running = new ArrayList<>();

    @AfterEach
    void end()
    {
        running.forEach(MillraceProcess::close);
    }

    private MillraceProcess start(final String kind, final String name, final String config)
        throws IOException, InterruptedException
    {
        // State lies beside the configuration.
        final Path file = Files.createDirectories(directory.resolve("etc-" + name)).resolve("config.yaml");
        final MillraceProcess process =
            MillraceProcess.start(kind, "--config", Files.writeString(file, config).toString());
        running.add(process);
        process.await("^ready");
        return process;
    }

    private MillraceProcess startPlane() throws IOException, InterruptedException
    {
        return start("serve", "plane", """
            control: {directory: %1$s/plane, device-directories: [%1$s]}
            status: {file: none}
            warm-up: false
            """.formatted(directory));
    }

    private String run(final String control, final int exitCode, final String line)
        throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(MillraceProcess.ROOT.resolve("millrace").toString()));
        command.addAll(List.of(line.split(" ")));
        try (MillraceProcess process = MillraceProcess.start(command, Map.of(
            "MILLRACE_NO_BUILD", "1", "MILLRACE_CONTROL", directory.resolve(control).toString())))
        {
            assertEquals(exitCode, process.exitCode(), () -> line + " printed:\n" + process.outputOrReason());
            return process.output();
        }
    }

    private String ok(final String line) throws IOException, InterruptedException
    {
        return run("manager", ExitCode.OK, line);
    }

    /** Until a command prints a text. */
    private String until(final String control, final String line, final String text)
        throws IOException, InterruptedException
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        String output = run(control, ExitCode.OK, line);
        while (!output.contains(text))
        {
            final String last = output;
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "never '" + text + "' in:\n" + last);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            output = run(control, ExitCode.OK, line);
        }
        return output;
    }

    private static String uuid(final String shown)
    {
        return shown.replaceAll("(?s).*UUID ([0-9a-f-]{36})\\n.*", "$1");
    }

    private MillraceProcess killAndRestart(final MillraceProcess plane, final MillraceProcess manager)
        throws IOException, InterruptedException
    {
        plane.signal("KILL");
        plane.exitCode();
        manager.await("dp0: disconnected: ");
        final MillraceProcess next = startPlane();
        manager.await("dp0: active with term ");
        return next;
    }

    @Test
    void shouldGrowThroughKillsWhileHostsStayConnected() throws IOException, InterruptedException
    {
        MillraceProcess plane = startPlane();
        final MillraceProcess manager = start("manager", "manager", """
            state: {directory: %1$s/state}
            control: {directory: %1$s/manager}
            data-planes: [{name: dp0, directory: %1$s/plane}]
            """.formatted(directory));
        manager.await("dp0: initial import");
        for (int i = 0; i < DEVICES; i++)
        {
            ok("device create d" + i + " --path " + directory.resolve("d" + i + ".img") + " --size 65MiB");
        }
        ok("raid create vol0 --level 5 d0 d1 d2");
        until("manager", "raid show vol0", "RAID 5, 128MiB, online");
        ok("device set vol0 sync-rate-min=2MiB sync-rate-max=2MiB");
        final int port = FreePorts.tcp();
        ok("subsystem create " + NQN + " --allow-any-host");
        ok("namespace add " + NQN + " vol0");
        ok("listener add 127.0.0.1:" + port);
        final String uuid = uuid(ok("raid show vol0"));
        final MillraceProcess host = start("serve", "host", """
            control: {directory: %1$s/host}
            status: {file: none}
            warm-up: false
            devices: [{name: far, type: remote, addresses: ['tcp://127.0.0.1:%2$d'], subsystem: '%3$s', nsid: 1}]
            """.formatted(directory, port, NQN));
        until("host", "device list", "130944KiB");

        // By the command.
        ok("raid grow vol0 --add d3");
        until("manager", "raid show vol0", "reshape");
        plane = killAndRestart(plane, manager);
        final String restarted = ok("raid show vol0");
        assertEquals(uuid, uuid(restarted));
        assertTrue(restarted.contains("reshape") && restarted.contains("4 slots"), restarted);
        ok("device set vol0 sync-rate-min=1GiB sync-rate-max=1GiB");
        until("manager", "raid show vol0", "RAID 5, 192MiB, online");
        until("host", "device list", "196416KiB");

        // By a desired state that names one device more.
        ok("device set vol0 sync-rate-min=2MiB sync-rate-max=2MiB");
        final Path state = directory.resolve("state.yaml");
        final String before = ok("get --output yaml") + "\n";
        final String after = before.replaceFirst("(members: *\\[[^\\]]*d3)\\]", "$1, d4]");
        assertFalse(before.equals(after), before);
        Files.writeString(state, after);
        ok("apply --file " + state + " --yes");
        until("manager", "raid show vol0", "5 slots");
        plane = killAndRestart(plane, manager);
        assertEquals(uuid, uuid(ok("raid show vol0")));
        ok("device set vol0 sync-rate-min=1GiB sync-rate-max=1GiB");
        until("manager", "raid show vol0", "RAID 5, 256MiB, online");
        until("host", "device list", "261888KiB");
        assertFalse(host.said().contains("error"), host::said);
    }
}

package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.control.service.ControlSettings;
import io.millrace.manager.Manager;
import io.millrace.manager.config.HookConfig;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The control commands against a manager in this process, whose two data planes do not run. */
class ManagerCommandsTest
{
    private static final int VERSIONS_KEPT = 50;

    @TempDir
    private Path directory;

    private Path control;
    private Manager manager;

    @BeforeEach
    void start()
    {
        control = directory.resolve("control");
        manager = Manager.start(new ManagerConfig("test", directory.resolve("state"), VERSIONS_KEPT,
            new ControlSettings(control, ControlSettings.IPC_CHANNEL, 4420, null, "test"), null,
            List.of(plane("dp0"), plane("dp1")), HookConfig.NONE), Map.of(), (line) ->
            {
            });
    }

    @AfterEach
    void stop()
    {
        manager.close();
    }

    private PlaneConfig plane(final String name)
    {
        return new PlaneConfig(name, directory.resolve(name), ControlSettings.IPC_CHANNEL, 4420, "", null,
            ControlSettings.IPC_CHANNEL);
    }

    private CommandRun run(final String line)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(line.split(" ")));
        args.addAll(List.of("--control", control.toString()));
        return CommandRun.of(args.toArray(String[]::new));
    }

    /** Wrong usage, whatever it is that has to be of one data plane. */
    @ParameterizedTest
    @ValueSource(strings = {
        "device list", "history", "rollback 1 --yes", "device create mem0 --size 1MiB",
        "qos set nqn.2026-11.io.millrace:vol0 1 --iops 500"})
    void shouldAskWhichDataPlane(final String line)
    {
        final CommandRun run = run(line);
        assertTrue(run.err().endsWith(": which data plane? name one with --data-plane: dp0, dp1\n"), run.err());
        assertEquals("", run.out());
        assertEquals(ExitCode.USAGE, run.exitCode());
    }

    @Test
    void shouldListAllDataPlanesWhenNoneIsNamed()
    {
        final CommandRun planes = run("get dataplanes");
        assertEquals(ExitCode.OK, planes.exitCode(), planes.err());
        assertEquals(List.of("dp0", "dp1"),
            planes.lines().stream().skip(1).map((line) -> line.split(" ")[0]).toList(), planes.out());
        // Never seen: there is nothing to show of them but why.
        final CommandRun devices = run("get reactors");
        assertEquals(ExitCode.FAILURE, devices.exitCode(), devices.err());
        for (final String name : List.of("dp0", "dp1"))
        {
            assertTrue(devices.err().contains("note: data plane " + name + " is not shown: "), devices.err());
        }
        assertTrue(devices.out().startsWith("DATA PLANE"), devices.out());
        assertTrue(devices.out().endsWith("\nno reactors\n"), devices.out());
        final CommandRun state = run("get");
        assertEquals(ExitCode.FAILURE, state.exitCode(), state.err());
        assertEquals(2, state.err().lines().count(), state.err());
        assertEquals(List.of("no devices", "no subsystems"), state.lines().stream()
            .filter((line) -> line.startsWith("no ")).limit(2).toList());
        final CommandRun top = run("top --once");
        assertEquals(ExitCode.FAILURE, top.exitCode(), top.err());
        assertTrue(top.err().contains("data plane dp0 is not connected"), top.err());
    }

    @Test
    void shouldNotAskWhenItDoesNotMatterOrOneIsNamed()
    {
        final CommandRun all = run("get managed");
        assertEquals(ExitCode.OK, all.exitCode(), all.err());
        assertTrue(all.out().contains("dp0") && all.out().contains("dp1"), all.out());
        final CommandRun named = run("device list --data-plane dp0");
        assertTrue(named.err().contains("data plane dp0 is not connected"), named.err());
        assertEquals(ExitCode.FAILURE, named.exitCode());
        final CommandRun none = run("device list --data-plane dp2");
        assertTrue(none.err().contains("no data plane dp2 here; this manager has dp0, dp1"), none.err());
        assertEquals(ExitCode.FAILURE, none.exitCode());
    }

    @Test
    void shouldRecordWhichCommandOfAnArrayItWas()
    {
        run("raid fail vol0 m0 --yes --data-plane dp0");
        final CommandRun audit = run("audit");
        assertTrue(audit.out().contains("  millrace raid fail of "), audit.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "raid grow vol0 --size max", "raid scrub vol0", "raid fail vol0 m0 --yes", "raid erase m0 --yes"})
    void shouldSayThatTheDataPlaneOfAnArrayIsNotConnected(final String line)
    {
        final CommandRun run = run(line + " --data-plane dp0");
        assertTrue(run.err().matches("millrace raid [a-z]+: data plane dp0 is not connected[^\\n]*\\n"), run.err());
        assertEquals(ExitCode.FAILURE, run.exitCode());
    }
}

package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A day of somebody who runs a data plane and its manager: the real processes, and one command after the other. */
@Timeout(480)
class UserDayIT
{
    private static final String NQN = "nqn.2026-11.io.example:vol0";
    private static final String HOST = "nqn.2026-11.io.example:client";
    private static final Pattern VERSION = Pattern.compile("(?m)^ +(\\d+)  .* more IOPS$");

    @TempDir
    private Path directory;

    private final List<MillraceProcess> running = new ArrayList<>();

    @AfterEach
    void end()
    {
        running.forEach(MillraceProcess::close);
    }

    private MillraceProcess start(final String... args) throws IOException, InterruptedException
    {
        final MillraceProcess process = MillraceProcess.start(args);
        running.add(process);
        process.await("^ready after ");
        return process;
    }

    private MillraceProcess startPlane() throws IOException, InterruptedException
    {
        return start("serve", "--config", Files.writeString(directory.resolve("plane.yaml"), """
            control: {directory: %1$s/plane, device-directories: [%1$s]}
            status: {file: %1$s/plane.status}
            warm-up: false
            """.formatted(directory)).toString());
    }

    private MillraceProcess startManager() throws IOException, InterruptedException
    {
        return start("manager", "--config", Files.writeString(directory.resolve("manager.yaml"), """
            state: {directory: %1$s/state}
            control: {directory: %1$s/manager}
            data-planes: [{name: dp0, directory: %1$s/plane}]
            """.formatted(directory)).toString());
    }

    /** Runs a command and gives back all that it printed, without the last line end. */
    private String run(final int exitCode, final String... args) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(MillraceProcess.ROOT.resolve("millrace").toString()));
        command.addAll(Arrays.asList(args));
        try (MillraceProcess process = MillraceProcess.start(command, Map.of(
            "MILLRACE_NO_BUILD", "1", "MILLRACE_CONTROL", directory.resolve("manager").toString(),
            "MILLRACE_DATA_PLANE", "dp0")))
        {
            final int ended = process.exitCode();
            final String output = process.output();
            assertEquals(exitCode, ended, () -> String.join(" ", args) + " printed:\n" + output);
            return output;
        }
    }

    private String ok(final String line) throws IOException, InterruptedException
    {
        return run(ExitCode.OK, line.split(" "));
    }

    private void says(final String line, final String output) throws IOException, InterruptedException
    {
        assertEquals(output, ok(line), line);
    }

    private void refuses(final int exitCode, final String line, final String output)
        throws IOException, InterruptedException
    {
        final String said = run(exitCode, line.split(" "));
        assertTrue(said.startsWith(output), () -> line + " said:\n" + said);
        assertEquals(1, said.lines().filter((each) -> !each.matches("Try 'millrace .* --help'.")).count(), said);
    }

    private void shows(final String output, final String... texts)
    {
        for (final String each : texts)
        {
            assertTrue(output.contains(each), () -> "'" + each + "' is not in:\n" + output);
        }
    }

    @Test
    void shouldGoThroughADay() throws IOException, InterruptedException
    {
        MillraceProcess plane = startPlane();
        MillraceProcess manager = startManager();
        manager.await("dp0: initial import; it is version 1 now ");
        final int port = FreePorts.tcp();
        serve(port);
        use(port);
        final Path state = change();
        goBack();

        // The data plane dies: it is looked at, changed meanwhile, and is what it should be when it is back.
        shows(ok("stat " + directory.resolve("plane.status")), "serving since", NQN + "/1");
        plane.signal("KILL");
        plane.exitCode();
        manager.await("dp0: disconnected: ");
        shows(ok("stat " + directory.resolve("plane.status")), "dead: it ended without a clean stop", NQN + "/1");
        refuses(ExitCode.FAILURE, "device list", "millrace device list: ");
        shows(ok("get managed"), "down");
        says("qos set " + NQN + " 2 --iops 77", "note: saved, and applied when data plane dp0 is connected again\n" +
            "namespace " + NQN + "/2 is limited to iops 77");
        plane = startPlane();
        manager.await("dp0: reconciled with version \\d+ in \\d+ steps?: ");
        shows(ok("ana list"), "127.0.0.1:" + port + "      2  non-optimized");
        shows(ok("qos list"), "iops 77");
        says("qos clear " + NQN + " 2", "namespace " + NQN + "/2 is not limited");
        says("apply --file " + state + " --dry-run", "no changes");
        perf(port);

        // The manager dies: nobody notices, and it goes on where it was.
        manager.signal("KILL");
        manager.exitCode();
        refuses(ExitCode.FAILURE, "device list", "millrace device list: no");
        perf(port);
        manager = startManager();
        manager.await("dp0: active with term [3-9]");
        shows(ok("history"), "rolled back to version ", "more IOPS");
        shows(ok("get managed"), "dp0");

        says("dataplane stop --yes", "data plane millrace stops");
        assertEquals(ExitCode.OK, plane.exitCode());
        manager.signal("TERM");
        assertEquals(ExitCode.OK, manager.exitCode());
    }

    /** A volume for one host, made step by step, with mistakes on the way. */
    private void serve(final int port) throws IOException, InterruptedException
    {
        assertTrue(ok("device list").endsWith("\nno devices"));
        refuses(ExitCode.FAILURE, "device list --data-plane dp1",
            "millrace device list: no data plane dp1 here; this manager has dp0");
        refuses(ExitCode.USAGE, "device create scratch",
            "millrace device create: --size: missing; add it: ");
        says("device create scratch --size 16MiB", "device scratch created");
        says("device create disk --path " + directory.resolve("disk.img") + " --size 64MiB", "device disk created");
        refuses(ExitCode.FAILURE, "device create disk --size 1MiB",
            "millrace device create: device disk: already exists, but ");
        refuses(ExitCode.FAILURE, "subsystem create vol0", "millrace subsystem create: subsystem vol0: NQN is not of ");
        says("subsystem create " + NQN,
            "subsystem " + NQN + " created; it allows no host yet, see 'millrace host allow'");
        says("namespace add " + NQN + " disk", "namespace 1 of " + NQN + " exports device disk");
        refuses(ExitCode.FAILURE, "namespace add " + NQN + " disk", "millrace namespace add: device disk: is used by ");
        says("namespace add " + NQN + " scratch --ana-group 2", "namespace 2 of " + NQN + " exports device scratch");
        says("host allow " + NQN + " " + HOST, "host " + HOST + " allowed on " + NQN);
        refuses(ExitCode.USAGE, "listener add localhost:x", "millrace listener add: 'localhost:x' is no address: ");
        says("listener add 127.0.0.1:" + port, "listening on 127.0.0.1:" + port);
        refuses(ExitCode.USAGE, "ana set " + NQN + " slow", "millrace ana set: STATE: 'slow' is no ANA state: ");
        says("ana set " + NQN + " non-optimized --listener 127.0.0.1:" + port + " --group 2",
            "ANA group 2 of " + NQN + " is non-optimized at 127.0.0.1:" + port);
        refuses(ExitCode.FAILURE, "qos set " + NQN + " 9 --iops 500",
            "millrace qos set: namespace " + NQN + "/9: does not exist; add it first");
        says("qos set " + NQN + " 1 --iops 500", "namespace " + NQN + "/1 is limited to iops 500");
        final String listener = "127.0.0.1:" + port;
        shows(ok("ana list"), listener + "      1  optimized ", listener + "      2  non-optimized");
    }

    private void use(final int port) throws IOException, InterruptedException
    {
        shows(ok("discover --port " + port), "note: no subsystem is offered to host nqn.");
        shows(ok("discover --port " + port + " --host-nqn " + HOST), "nvme subsystem", NQN);
        refuses(ExitCode.FAILURE, "identify tcp://127.0.0.1:" + port + "/" + NQN, "millrace identify: ");
        shows(ok("identify tcp://127.0.0.1:" + port + "/" + NQN + " --host-nqn " + HOST),
            "Controller ", " of " + NQN + " at tcp://127.0.0.1:" + port);
        perf(port);
        final Matcher waited = Pattern.compile("namespace 1  iops 500 +(\\S+) ").matcher(ok("qos list"));
        assertTrue(waited.find() && !"0".equals(waited.group(1)), "a namespace of 500 IOPS that nothing waits for");
        try (MillraceProcess load = MillraceProcess.start("perf", "tcp://127.0.0.1:" + port + "/" + NQN,
            "--host-nqn", HOST, "--duration", "60s"))
        {
            load.await("measuring");
            shows(ok("host connected"), HOST, "ready");
            shows(ok("top --once --interval 300ms"), "1 host", NQN + "/1  disk");
        }
        shows(ok("get"), HOST, "disk", "iops 500");
    }

    private void perf(final int port) throws IOException, InterruptedException
    {
        shows(ok("perf tcp://127.0.0.1:" + port + "/" + NQN + " --host-nqn " + HOST +
            " --pattern randwrite --verify --destroy --region 1MiB --duration 500ms --warmup 0ms"), "write");
    }

    /** What should be as a file: written, edited, looked at, applied. */
    private Path change() throws IOException, InterruptedException
    {
        final Path file = Files.writeString(directory.resolve("state.yaml"), ok("get --output yaml") + "\n");
        final String before = Files.readString(file);
        shows(before, "ana:\n      - {listener: '127.0.0.1:", "', group: 2, state: non-optimized}",
            "qos:\n      - {nsid: 1, iops: 500}\n");
        says("apply --file " + file + " --dry-run", "no changes");
        Files.writeString(file, before.replace("iops: 500", "iops: 100000")
            .replace("state: non-optimized", "state: inaccessible"));
        shows(run(ExitCode.CHANGES, "apply", "--file", file.toString(), "--dry-run"),
            "~ make ANA group 2 of " + NQN + " inaccessible at 127.0.0.1:",
            "~ limit namespace " + NQN + "/1 to iops 100000\n0 to create, 2 to change, 0 to remove");
        shows(run(ExitCode.OK, "apply", "--file", file.toString(), "--yes", "--comment", "more IOPS"),
            "done, version ");
        assertEquals(Files.readString(file), ok("get --output yaml") + "\n");
        final Path wrong = Files.writeString(directory.resolve("wrong.yaml"), before.replace("iops", "ipos"));
        refuses(ExitCode.USAGE, "apply --file " + wrong, "millrace apply: " + wrong + ":");
        return Files.writeString(file, before);
    }

    private void goBack() throws IOException, InterruptedException
    {
        final String history = ok("history");
        final Matcher version = VERSION.matcher(history);
        assertTrue(version.find(), history);
        refuses(ExitCode.FAILURE, "rollback 9999 --yes", "millrace rollback: no version 9999; there are 1 to ");
        final long made = Long.parseLong(version.group(1));
        shows(ok("rollback " + (made - 1) + " --yes"), "~ make ANA group 2 of " + NQN + " non-optimized",
            "~ limit namespace " + NQN + "/1 to iops 500", "0 to create, 2 to change, 0 to remove",
            "done, version " + (made + 1));
        shows(ok("qos list"), "iops 500");
        shows(ok("audit"), "create device scratch (memory of 16MiB)", "make ANA group 2 of " + NQN + " non-optimized",
            "limit namespace " + NQN + "/1 to iops 500", "roll back to version " + (made - 1));
    }
}

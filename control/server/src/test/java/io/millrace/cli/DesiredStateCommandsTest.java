package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.console.ExitCode;
import io.millrace.control.agent.AgentFixture;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.service.ControlSettings;
import io.millrace.manager.Manager;
import io.millrace.manager.config.HookConfig;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on the desired state of a manager in this process, whose data plane comes and goes. */
class DesiredStateCommandsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final int MANY = 10_000;
    private static final String DOCUMENT = """
        devices:
          - {name: mem0, type: memory, size: 1MiB}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            allow-any-host: true
            namespaces:
              - {nsid: 1, device: mem0}
        listeners: []
        discovery: false
        """;

    @TempDir
    private Path directory;

    private Path control;
    private Path planeDirectory;
    private Manager manager;
    private AgentFixture plane;

    @BeforeEach
    void start() throws IOException
    {
        control = directory.resolve("control");
        planeDirectory = Files.createDirectory(directory.resolve("plane"));
        plane = AgentFixture.ipc(planeDirectory);
        manager = Manager.start(new ManagerConfig("test", directory.resolve("state"), 50,
            new ControlSettings(control, ControlSettings.IPC_CHANNEL, 4420, null, "test"), null,
            List.of(new PlaneConfig("dp0", plane.settings().directory(), ControlSettings.IPC_CHANNEL, 4420, "", null,
            ControlSettings.IPC_CHANNEL)), HookConfig.NONE), Map.of(), (line) ->
            {
            });
        until((health) -> Health.IN_SYNC == health);
    }

    @AfterEach
    void stop()
    {
        CloseHelper.closeAll(manager, plane);
    }

    private ControlClient connect()
    {
        return ControlClient.connect(new ControlClientContext().aeronDirectoryName(control.toString())
            .role(Role.ADMIN).clientName("test"));
    }

    private void until(final Predicate<Health> condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        try (ControlClient client = connect())
        {
            while (!condition.test(client.manager().managed("").getFirst().health()))
            {
                assertTrue(System.nanoTime() - deadlineNs < 0, () -> client.manager().managed("").toString());
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    private void planeStops()
    {
        plane.close();
        plane = null;
        until((health) -> Health.DOWN == health);
    }

    private void planeStarts()
    {
        plane = AgentFixture.ipc(planeDirectory);
        until((health) -> Health.IN_SYNC == health || Health.DRIFTED == health);
    }

    private CommandRun run(final String line)
    {
        return runWithInput("", line);
    }

    private CommandRun runWithInput(final String input, final String line)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(line.split(" ")));
        args.addAll(List.of("--control", control.toString()));
        return CommandRun.withInput(input, args.toArray(String[]::new));
    }

    private String ok(final String line)
    {
        final CommandRun run = run(line);
        assertEquals("", run.err(), line);
        assertEquals(ExitCode.OK, run.exitCode(), line);
        return run.out();
    }

    private void applied(final String document, final int version)
    {
        final CommandRun run = runWithInput(document, "apply -f - -y --allow-destroy");
        assertEquals("done, version " + version + "\n", run.err());
        assertEquals(ExitCode.OK, run.exitCode());
    }

    @Test
    void shouldWorkOnDesiredStateWhileTheDataPlaneIsDown()
    {
        applied(DOCUMENT, 2);
        assertEquals(1, plane.dataPlane().namespaces().list(null).size());
        planeStops();
        assertEquals(DOCUMENT, ok("get -o yaml"));
        assertTrue(ok("get devices").contains("mem0  memory  1MiB"));
        final CommandRun actual = run("get -o yaml --actual");
        assertEquals(ExitCode.FAILURE, actual.exitCode());
        assertTrue(actual.err().contains("is not connected"), actual.err());
        final String more = DOCUMENT.replace("1MiB", "2MiB");
        final CommandRun dry = runWithInput(more, "apply -f - --dry-run");
        assertEquals("~ grow device mem0 from 1MiB to 2MiB\n0 to create, 1 to change, 0 to remove\n", dry.out());
        assertEquals(ExitCode.CHANGES, dry.exitCode());
        final CommandRun run = runWithInput(more, "apply -f - -y");
        assertEquals(ExitCode.OK, run.exitCode(), run.err());
        assertTrue(run.err().endsWith("done, version 3\n"), run.err());
        assertEquals(more, ok("get -o yaml"));
        assertEquals("no changes\n", runWithInput(more, "apply -f - --dry-run").out());
        planeStarts();
        until((health) -> Health.IN_SYNC == health);
        assertEquals(more, ok("get -o yaml --actual"));
        assertEquals(2 << 20, plane.dataPlane().devices().get("mem0").geometry().sizeBytes());
    }

    @Test
    void shouldSayNoChangesOnlyWhenTheDesiredStateAgrees() throws IOException
    {
        final Path other = Files.createDirectory(directory.resolve("plane/there"));
        final String file = "devices: [{name: f, type: file, path: " + other + "/f.img, size: 1MiB}]\n";
        applied(file, 2);
        planeStops();
        Files.delete(other.resolve("f.img"));
        Files.delete(other);
        planeStarts();
        // The data plane refuses it now: it has nothing, as the document wants, and the desired state has more.
        assertTrue(ok("get devices").contains("f.img"));
        assertTrue(ok("get devices --actual").endsWith("\nno devices\n"));
        final CommandRun dry = runWithInput("devices: []\n", "apply -f - --dry-run");
        assertTrue(dry.out().startsWith("- delete file device f\n"), dry.out());
        // Desired state that was refused later can be removed.
        assertEquals("device f deleted\n", ok("device delete f").replace("f: does not exist, no change", "f deleted"));
        assertTrue(ok("get devices").endsWith("\nno devices\n"));
        until((health) -> Health.IN_SYNC == health);
        assertEquals("millrace device delete: device f does not exist; there are no devices\n",
            run("device delete f").err());
    }

    @Test
    void shouldRefuseWhatIsPlannedOnAnotherVersion()
    {
        applied(DOCUMENT, 2);
        final CommandRun refused = runWithInput("devices: []\n", "apply -f - -y --allow-destroy --if-version 1");
        assertEquals(ExitCode.USAGE, refused.exitCode());
        assertTrue(refused.err().endsWith("millrace apply: the desired state of data plane dp0 is version 2, not " +
            "version 1 as asked: see 'millrace history' for newer versions, then try again\n"), refused.err());
        assertEquals(DOCUMENT, ok("get -o yaml"));
        final CommandRun run = runWithInput("devices: []\n", "apply -f - -y --allow-destroy --if-version 2");
        assertEquals("note: there is no section subsystems, which removes all 1 of them; --no-prune keeps them\n" +
            "done, version 3\n", run.err());
    }

    @Test
    void shouldDestroyOnlyWhenAskedByTheClientThatSaysSo()
    {
        applied(DOCUMENT, 2);
        final CommandRun refused = runWithInput("devices: []\n", "apply -f - -y");
        assertEquals(ExitCode.USAGE, refused.exitCode());
        assertTrue(refused.out().contains("! delete memory device mem0; its data is lost\n"), refused.out());
        assertTrue(refused.err().endsWith("add --allow-destroy to confirm; nothing was done\n"), refused.err());
        // The manager itself refuses it, whatever a client shows.
        try (ControlClient client = connect())
        {
            final Call call = client.await(client.submit(
                new Command.AddDocumentPart(0, "devices: []\n")));
            assertEquals(Code.OK, call.code());
            final Call replaced = client.await(client.submit(
                new Command.ReplaceState(0, 0, false, false, true, "x", "")));
            assertEquals(Code.INVALID, replaced.code());
            assertTrue(replaced.text().startsWith("1 step destroys data or takes a resource from hosts that use " +
                "it, first: delete memory device mem0; its data is lost; add --allow-destroy"), replaced.text());
            assertEquals(Code.INVALID, client.await(client.submit(new Command.AddDocumentPart(7, "x"))).code());
            assertEquals(Code.INVALID, client.await(client.submit(new Command.AddDocumentPart(5, "x"))).code());
        }
        assertEquals(DOCUMENT, ok("get -o yaml"));
        assertEquals(1, plane.dataPlane().devices().list().size());
        try (ControlClient client = connect())
        {
            final Call none = client.await(client.submit(
                new Command.ReplaceState(0, 0, true, false, true, "", "")));
            assertEquals(Code.INVALID, none.code());
            assertTrue(none.text().contains("none was sent in this session"), none.text());
        }
    }

    @Test
    void shouldBoundWhatASessionSends()
    {
        try (ControlClient client = connect())
        {
            final String part = " ".repeat(Command.AddDocumentPart.CONTENT_MAX_BYTES);
            long position = 0;
            Code code = Code.OK;
            while (Code.OK == code && position <= 1 << 25)
            {
                code = client.await(client.submit(new Command.AddDocumentPart(position, part))).code();
                position += part.length();
            }
            assertEquals(Code.OVERLOADED, code);
            assertTrue(position <= (1 << 24) + part.length());
            assertEquals(Code.INVALID, client.await(client.submit(new Command.AddDocumentPart(position, part))).code());
            assertEquals(Code.OK, client.await(client.submit(new Command.AddDocumentPart(0, part))).code());
        }
    }

    @Test
    void shouldNameFileAndLineOfWhatIsWrong()
    {
        final CommandRun run = runWithInput("devices:\n  - {name: a}\n", "apply -f -");
        assertEquals(ExitCode.USAGE, run.exitCode());
        assertTrue(run.err().startsWith("millrace apply: standard input:2: devices[0].type: missing"), run.err());
        final CommandRun skipped = runWithInput("warm-up: false\n" + DOCUMENT, "apply -f - -n");
        assertEquals("note: skipped, as they configure the process: warm-up\n", skipped.err());
        assertEquals(ExitCode.CHANGES, skipped.exitCode());
    }

    @Test
    void shouldShowAndCompareVersionsAndRollBackWithItsSteps()
    {
        applied(DOCUMENT, 2);
        applied(DOCUMENT.replace("1MiB", "4MiB").replace("allow-any-host: true", "allow-any-host: false"), 3);
        final String shown = ok("history show 2");
        assertTrue(shown.startsWith("# version 2, "), shown);
        assertTrue(shown.endsWith(DOCUMENT), shown);
        assertTrue(ok("history show 2 --json").startsWith("{\n  \"devices\": [\n    {\n      \"name\": \"mem0\","));
        final CommandRun diff = run("history diff 2 3");
        assertEquals(ExitCode.CHANGES, diff.exitCode());
        assertEquals("""
            --- version 2
            +++ version 3
            @@ -1,7 +1,7 @@
             devices:
            -  - {name: mem0, type: memory, size: 1MiB}
            +  - {name: mem0, type: memory, size: 4MiB}
             subsystems:
               - nqn: nqn.2026-11.io.millrace:vol0
            -    allow-any-host: true
            +    allow-any-host: false
                 namespaces:
                   - {nsid: 1, device: mem0}
             listeners: []
            """.replace("@@ -1,7 +1,7 @@", diff.lines().get(2)), diff.out().lines().limit(13)
            .reduce("", (a, b) -> a + b + '\n'));
        assertEquals("no changes\n", ok("history diff 3"));
        assertTrue(run("history diff 1 3 --json").out()
            .contains("\"change\": \"added\",\n      \"line\": \"- {name: "));
        assertTrue(run("history show 99").err().endsWith("no version 99; there are 1 to 3\n"));

        final CommandRun dry = run("rollback 2 --dry-run");
        assertEquals(ExitCode.CHANGES, dry.exitCode());
        assertTrue(dry.out().contains("! delete memory device mem0 to recreate it, since it does not become " +
            "smaller, 1MiB instead of 4MiB; its data is lost\n"), dry.out());
        final CommandRun refused = run("rollback 2 --yes");
        assertEquals(ExitCode.USAGE, refused.exitCode());
        assertTrue(refused.err().contains("add --allow-destroy"), refused.err());
        final CommandRun asked = run("rollback 2 --allow-destroy");
        assertEquals(ExitCode.USAGE, asked.exitCode());
        assertTrue(asked.err().endsWith(": add --yes to confirm\n"), asked.err());
        assertEquals("no changes\n", ok("history diff 3"));
        final CommandRun done = run("rollback 2 --allow-destroy -y");
        assertEquals("done, version 4\n", done.err());
        assertEquals(DOCUMENT, ok("get -o yaml"));
        assertTrue(ok("history").contains("rolled back to version 2"));
        assertEquals("no changes\n", ok("rollback 2 --dry-run"));
    }

    /** The data plane refuses a file that it cannot make. */
    @Test
    void shouldSayWhatBecomesOfAChangeThatTheDataPlaneRefuses() throws IOException
    {
        final Path missing = directory.resolve("missing");
        final CommandRun one = run("device create bad --path " + missing.resolve("x.img") + " --size 1MiB");
        assertEquals(ExitCode.FAILURE, one.exitCode());
        assertFalse(one.err().contains("undone"), one.err());
        final Path file = directory.resolve("state.yaml");
        Files.writeString(file, "devices:\n  - {name: mem0, type: memory, size: 1MiB}\n  - {name: bad, type: file, " +
            "path: " + missing.resolve("x.img") + ", size: 1MiB}\n");
        final CommandRun two = run("apply --yes --file " + file);
        assertEquals(ExitCode.FAILURE, two.exitCode());
        assertTrue(two.err().endsWith("; the desired state is as before, and steps of this change are undone\n"),
            two.err());
        assertTrue(ok("device list").endsWith("\nno devices\n"));
        final List<String> history = ok("history").lines().toList();
        assertEquals(2, history.stream().filter((each) -> each.contains("  reverted: ")).count(), history.toString());
        assertTrue(history.stream().anyMatch((each) -> each.contains("  reverted: create device bad")),
            history.toString());
        assertTrue(history.getLast().endsWith("  without changes refused by the data plane"), history.toString());
    }

    /** Of a data plane that is not connected nothing is known, least of all that it has no differences. */
    @Test
    void shouldListDriftOnlyOfAConnectedDataPlane()
    {
        assertTrue(ok("dataplane drift").endsWith("\nno differences\n"));
        planeStops();
        assertEquals(ExitCode.OK, run("device create mem0 --size 1MiB").exitCode());
        final CommandRun drift = run("dataplane drift");
        assertEquals(ExitCode.FAILURE, drift.exitCode());
        assertEquals("", drift.out());
        assertEquals("millrace dataplane drift: data plane dp0 is not connected: its actual state is unknown, and " +
            "version 2 of its desired state is not applied yet\n", drift.err());
    }

    @Test
    void shouldCreateAndDeleteWhatIsSoAlready()
    {
        assertEquals("device mem0 created\n", ok("device create mem0 --size 1MiB"));
        assertEquals("device mem0: already exists with the same settings, no change\n",
            ok("device create mem0 --size 1MiB"));
        final CommandRun other = run("device create mem0 --size 2MiB");
        assertEquals(ExitCode.FAILURE, other.exitCode());
        assertTrue(other.err().contains("device mem0: already exists, but size is 1MiB instead of 2MiB; choose"),
            other.err());
        ok("subsystem create " + NQN);
        assertTrue(ok("subsystem create " + NQN).endsWith(", no change\n"));
        ok("namespace add " + NQN + " mem0 --nsid 1");
        assertTrue(ok("namespace add " + NQN + " mem0 --nsid 1").endsWith(", no change\n"));
        ok("device create other --size 1MiB");
        final CommandRun taken = run("namespace add " + NQN + " other --nsid 1");
        assertTrue(taken.err().contains("already exists, but device is mem0 instead of other; choose"), taken.err());
        ok("device delete other --yes");
        ok("host allow " + NQN + " nqn.2026-11.io.h");
        assertTrue(ok("host allow " + NQN + " nqn.2026-11.io.h").endsWith("is allowed already, no change\n"));
        ok("host deny " + NQN + " nqn.2026-11.io.h");
        missing("host deny " + NQN + " nqn.2026-11.io.h", "host nqn.2026-11.io.h of subsystem " + NQN,
            "there are no hosts");
        missing("listener remove 127.0.0.1:4499", "listener 127.0.0.1:4499", "there are no listeners");
        missing("namespace remove " + NQN + " 7 1", "namespace 7 of subsystem " + NQN, "did you mean 1?");
        ok("namespace remove " + NQN + " 1");
        missing("namespace remove " + NQN + " 1", "namespace 1 of subsystem " + NQN, "there are no namespaces");
        missing("subsystem delete " + NQN + "0", "subsystem " + NQN + "0", "did you mean " + NQN + "?");
        ok("subsystem delete " + NQN);
        missing("device delete mme0 mem0 -y", "device mme0", "did you mean mem0?");
        assertTrue(ok("get devices").contains("mem0"), "nothing is deleted when one name is wrong");
        ok("device delete mem0 -y");
        final String versions = ok("history");
        missing("device delete mem0", "device mem0", "there are no devices");
        assertEquals(versions, ok("history"), "nothing changed, no version");
    }

    private void missing(final String line, final String subject, final String hint)
    {
        final CommandRun refused = run(line);
        assertEquals(ExitCode.FAILURE, refused.exitCode(), line);
        assertTrue(refused.err().endsWith(": " + subject + " does not exist; " + hint + "\n"), refused.err());
        final String ignored = ok((line + " --ignore-not-found").replace(" 7 1 ", " 7 ").replace("mme0 mem0", "mme0"));
        assertEquals(subject + " does not exist, no change\n", ignored);
    }

    @Test
    void shouldApplyTenThousandNamespaces()
    {
        final StringBuilder text = new StringBuilder("devices:\n");
        final StringBuilder namespaces = new StringBuilder();
        for (int i = 1; i <= MANY; i++)
        {
            text.append("  - {name: v").append(i).append(", type: discard, size: 1MiB}\n");
            namespaces.append("      - {nsid: ").append(i).append(", device: v").append(i).append("}\n");
        }
        text.append("subsystems:\n  - nqn: ").append(NQN).append("\n    allow-any-host: true\n    namespaces:\n")
            .append(namespaces).append("listeners: []\ndiscovery: false\n");
        final long beginNs = System.nanoTime();
        final CommandRun run = runWithInput(text.toString(), "apply -f - -y");
        final long appliedNs = System.nanoTime();
        assertEquals("done, version 2\n", run.err());
        assertFalse(run.out().isEmpty());
        assertEquals("no changes\n", runWithInput(text.toString(), "apply -f - -y").out());
        final long unchangedNs = System.nanoTime();
        assertEquals(ExitCode.CHANGES,
            runWithInput(text.toString().replace("v77,", "w77,").replace("v77}", "w77}"), "apply -f - -n").exitCode());
        final long dryNs = System.nanoTime();
        assertEquals(text.toString(), ok("get -o yaml"));
        final long gotNs = System.nanoTime();
        assertEquals(MANY, plane.dataPlane().namespaces().list(null).size());
        System.out.printf("%d namespaces with their devices: applied in %.2f s, no changes in %.2f s, planned in " +
            "%.2f s, got in %.2f s%n", MANY, (appliedNs - beginNs) / 1e9, (unchangedNs - appliedNs) / 1e9,
            (dryNs - unchangedNs) / 1e9, (gotNs - dryNs) / 1e9);
        assertTrue(appliedNs - beginNs < TimeUnit.SECONDS.toNanos(60));
    }

    /** By the command: the desired state of a manager has addresses. */
    @Test
    void shouldResolveHostNamesOfListeners() throws IOException
    {
        applied(DOCUMENT.replace("listeners: []", "listeners: [{address: localhost, port: " +
            FreePorts.tcp() + "}]"), 2);
        assertTrue(ok("listener list --json").matches("(?s).*\"address\": \"(127\\.0\\.0\\.1|::1)\".*"));
    }
}

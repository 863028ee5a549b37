package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.cli.control.view.Views;
import io.millrace.console.ExitCode;
import io.millrace.control.agent.AgentFixture;
import io.millrace.control.service.ControlSettings;
import io.millrace.control.state.StateDocument;
import io.millrace.manager.Manager;
import io.millrace.manager.config.HookConfig;
import io.millrace.manager.config.ManagerConfig;
import io.millrace.manager.config.PlaneConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands on two running data planes of a manager in this process. */
@Timeout(120)
class SeveralDataPlanesTest
{
    private static final long WAIT_S = 30;

    @TempDir
    private Path directory;

    private final List<AgentFixture> planes = new ArrayList<>();
    private Manager manager;

    @BeforeEach
    void start() throws IOException
    {
        final List<PlaneConfig> configs = new ArrayList<>();
        for (final String name : List.of("dp0", "dp1"))
        {
            final AgentFixture plane = AgentFixture.ipc(Files.createDirectory(directory.resolve(name)));
            planes.add(plane);
            configs.add(new PlaneConfig(name, plane.settings().directory(), ControlSettings.IPC_CHANNEL, 4420, "",
                null, ControlSettings.IPC_CHANNEL));
        }
        manager = Manager.start(new ManagerConfig("test", directory.resolve("state"), 50,
            new ControlSettings(directory.resolve("control"), ControlSettings.IPC_CHANNEL, 4420, null, "test"), null,
            configs, HookConfig.NONE), Map.of(), (line) ->
            {
            });
        untilManaged((listed) -> 2 == listed.split("in-sync", -1).length - 1);
        for (final String name : List.of("dp0", "dp1"))
        {
            assertEquals("", run("device create mem-" + name + " --size 1MiB --data-plane " + name).err());
        }
    }

    @AfterEach
    void stop()
    {
        CloseHelper.close(manager);
        planes.forEach(CloseHelper::close);
    }

    private void untilManaged(final Predicate<String> condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_S);
        for (String listed = run("get managed").out(); !condition.test(listed); listed = run("get managed").out())
        {
            assertTrue(System.nanoTime() < deadlineNs, listed);
        }
    }

    private CommandRun run(final String line)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(line.split(" ")));
        args.addAll(List.of("--control", directory.resolve("control").toString()));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private String ok(final String line)
    {
        final CommandRun run = run(line);
        assertEquals("", run.err(), line);
        assertEquals(ExitCode.OK, run.exitCode(), line);
        return run.out();
    }

    @Test
    void shouldWriteTheStateOfEachDataPlane()
    {
        final String json = ok("get -o json");
        assertTrue(json.startsWith("["), json);
        final int second = json.indexOf("\"data-plane\": \"dp1\"");
        assertTrue(json.indexOf("\"data-plane\": \"dp0\"") < json.indexOf("\"name\": \"mem-dp0\""), json);
        assertTrue(json.indexOf("\"name\": \"mem-dp0\"") < second, json);
        assertTrue(json.indexOf("\"name\": \"mem-dp1\"") > second, json);
        final String[] documents = ok("get -o yaml").split("(?m)^---\n");
        assertEquals(3, documents.length);
        for (int i = 0; i < 2; i++)
        {
            assertTrue(documents[i + 1].startsWith("# data-plane: dp" + i + "\n"), documents[i + 1]);
            assertEquals(Set.of("mem-dp" + i),
                StateDocument.read("test", documents[i + 1]).state().devices().keySet());
        }
        assertTrue(ok("get devices").matches("(?s)DATA PLANE +NAME .*\ndp0 +mem-dp0 .*\ndp1 +mem-dp1 .*"));
    }

    @Test
    void shouldShowTheLoadOfEachDataPlane()
    {
        final String once = ok("top --once --interval 100ms");
        assertTrue(once.indexOf("dp0 is serving") < once.indexOf("dp1 is serving"), once);
        assertTrue(once.contains("dp0 is serving"), once);
        final String json = ok("top --once --json --interval 100ms");
        assertEquals(2, json.lines().filter("{"::equals).count(), json);
        assertTrue(json.indexOf("\"data-plane\": \"dp0\"") < json.indexOf("\"data-plane\": \"dp1\""), json);
    }

    private List<Instant> lastSeen()
    {
        return Pattern.compile("\"last-seen\": \"([^\"]+)\"").matcher(ok("get managed -o json")).results()
            .map((each) -> Instant.parse(each.group(1))).toList();
    }

    /** The time of its last answer stays while one is down, and advances for the other. */
    @Test
    void shouldShowWhenEachDataPlaneAnsweredLast()
    {
        final Instant begun = Instant.now();
        untilManaged((listed) -> lastSeen().stream().allMatch(begun::isBefore));
        planes.getFirst().close();
        untilManaged((listed) -> listed.contains("down"));
        final Instant down = Instant.now();
        final List<Instant> seen = lastSeen();
        assertEquals(2, seen.size());
        assertTrue(seen.getFirst().isBefore(down), () -> seen + ", down at " + down);
        untilManaged((listed) -> lastSeen().getLast().isAfter(down));
        assertEquals(seen.getFirst(), lastSeen().getFirst());
        final String time = Views.local(TimeUnit.SECONDS.toNanos(seen.getFirst().getEpochSecond()));
        assertTrue(ok("get managed").matches("(?s).* LAST SEEN .*\ndp0 [^\n]* " + time + " .*"), time);
    }

    /** The others are shown, and the command fails. */
    @Test
    void shouldShowTheOthersWhenOneIsDown()
    {
        planes.getFirst().close();
        untilManaged((listed) -> listed.contains("down"));
        final CommandRun top = run("top --once --json --interval 100ms");
        assertEquals(ExitCode.FAILURE, top.exitCode());
        assertTrue(top.err().startsWith("note: data plane dp0 is not shown: "), top.err());
        assertTrue(top.out().contains("\"data-plane\": \"dp1\""), top.out());
        final CommandRun actual = run("get --actual -o json");
        assertEquals(ExitCode.FAILURE, actual.exitCode());
        assertTrue(actual.out().contains("mem-dp1") && !actual.out().contains("mem-dp0"), actual.out());
    }
}

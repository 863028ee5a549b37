package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import io.millrace.console.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A data plane that is killed or stopped under a manager: nothing goes on showing it as serving. */
@Timeout(180)
class PlaneOutageTest
{
    @TempDir
    private Path directory;

    private final List<MillraceProcess> processes = new ArrayList<>();
    private int metricsPort;

    @AfterEach
    void kill()
    {
        processes.reversed().forEach(MillraceProcess::close);
    }

    /** On the classes under test. */
    private MillraceProcess start(final String... args) throws IOException
    {
        return start(Map.of(), args);
    }

    private MillraceProcess start(final Map<String, String> environment, final String... args) throws IOException
    {
        // Members of a group have to be able to use what a process makes.
        final List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "umask 007; exec \"$@\"", "sh",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx96m", "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            "io.millrace.cli.Millrace"));
        command.addAll(List.of(args));
        final Map<String, String> variables = new HashMap<>(environment);
        variables.put("XDG_STATE_HOME", directory.resolve("xdg-state").toString());
        final MillraceProcess process = MillraceProcess.start(command, variables);
        processes.add(process);
        return process;
    }

    private MillraceProcess serve() throws IOException, InterruptedException
    {
        final MillraceProcess plane = start("serve", "--config", directory.resolve("plane.yaml").toString());
        plane.await("^ready");
        return plane;
    }

    private void startManager() throws IOException, InterruptedException
    {
        Files.writeString(directory.resolve("plane.yaml"), """
            control: {directory: '%s', name: dp0}
            status: {file: none}
            warm-up: false
            memory: {size: 16MiB}
            """.formatted(directory.resolve("plane")));
        metricsPort = FreePorts.tcp();
        Files.writeString(directory.resolve("manager.yaml"), """
            state: {directory: '%s'}
            control: {directory: '%s'}
            metrics: {port: %d}
            data-planes: [{name: dp0, directory: '%s'}]
            """.formatted(directory.resolve("state"), directory.resolve("manager"), metricsPort,
                directory.resolve("plane")));
        start("manager", "--config", directory.resolve("manager.yaml").toString()).await("^ready");
    }

    /** A group that is trusted in the environment may own the directory of the data plane. */
    @Test
    void shouldManageADataPlaneOfATrustedGroup() throws IOException, InterruptedException
    {
        final String group = Files.getAttribute(directory, "posix:group").toString();
        Files.writeString(directory.resolve("plane.yaml"), """
            control: {directory: '%s', name: dp0, group: '%s'}
            status: {file: none}
            warm-up: false
            memory: {size: 16MiB}
            """.formatted(directory.resolve("plane"), group));
        Files.writeString(directory.resolve("manager.yaml"), """
            state: {directory: '%s'}
            control: {directory: '%s'}
            data-planes: [{name: dp0, directory: '%s'}]
            """.formatted(directory.resolve("state"), directory.resolve("manager"), directory.resolve("plane")));
        serve();
        start(Map.of("MILLRACE_CONTROL_GROUP", group), "manager", "--config",
            directory.resolve("manager.yaml").toString()).await("connected to ");
    }

    private MillraceProcess top() throws IOException
    {
        return start("top", "--json", "--interval", "200ms", "--control", directory.resolve("manager").toString());
    }

    private String scrape() throws IOException
    {
        return new String(URI.create("http://127.0.0.1:" + metricsPort + "/metrics").toURL().openStream()
            .readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldShowThatAKilledDataPlaneIsDown() throws IOException, InterruptedException
    {
        startManager();
        final MillraceProcess plane = serve();
        CommandRun run = run("get", "managed");
        while (!run.out().contains("in-sync"))
        {
            run = run("get", "managed");
        }
        final MillraceProcess top = top();
        top.await("\"state\": ?\"serving\"");
        assertTrue(scrape().contains("millrace_up{data_plane=\"dp0\"} 1.0"));

        plane.signal("KILL");
        assertEquals(137, plane.exitCode());
        final String down = top.await("\"state\": ?\"down\".*").group();
        assertTrue(down.matches(".*\"last-answer-ns\": [0-9]+, \"reason\": \"[^\"].*"), down);
        assertFalse(top.await("\"state\": ?\"\\w+\"").group().contains("serving"));
        // A page is made once a second for all who ask.
        awaitScrape("millrace_up{data_plane=\"dp0\"} 0.0");
        final CommandRun listed = run("dataplane", "list");
        assertTrue(listed.out().contains("down"), listed.out());
        assertEquals(ExitCode.FAILURE, run("top", "--once").exitCode());

        serve();
        top.await("\"state\": ?\"serving\"");
        top.signal("INT");
        assertEquals(ExitCode.OK, top.exitCode());
    }

    /** A process that is stopped keeps its files and its locks, and answers nobody. */
    @Test
    void shouldNotScrapeOldNumbersOfADataPlaneThatHangs() throws IOException, InterruptedException
    {
        startManager();
        final MillraceProcess plane = serve();
        awaitScrape("millrace_up{data_plane=\"dp0\"} 1.0");
        plane.signal("STOP");
        // The last page that was made before it hangs is served for up to a second.
        final long startNs = System.nanoTime();
        final String scraped = awaitScrape("millrace_up{data_plane=\"dp0\"} 0.0");
        assertTrue(System.nanoTime() - startNs < 7_000_000_000L);
        assertFalse(scraped.contains("millrace_data_plane_state"), scraped);
        plane.signal("CONT");
        awaitScrape("millrace_up{data_plane=\"dp0\"} 1.0");
    }

    /** The first page with a text. */
    private String awaitScrape(final String text) throws IOException
    {
        final long deadlineNs = System.nanoTime() + 30_000_000_000L;
        while (true)
        {
            final String scraped = scrape();
            if (scraped.contains(text))
            {
                return scraped;
            }
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "no " + text + " within 30 s: " + scraped);
            LockSupport.parkNanos(20_000_000);
        }
    }

    private CommandRun run(final String... words)
    {
        final List<String> args = new ArrayList<>(List.of(words));
        args.addAll(List.of("--control", directory.resolve("manager").toString()));
        return CommandRun.of(args.toArray(String[]::new));
    }
}

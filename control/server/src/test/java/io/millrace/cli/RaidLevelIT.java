package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
 * An array of a manager becomes RAID 6 and RAID 5 again, by commands and by a desired state: its data plane is killed
 * while Q is rebuilt and after the way back, its manager between the versions, and both have the array as it is.
 */
@Timeout(300)
class RaidLevelIT
{
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

    /** With a file that says level 5 all the time; what the manager applied counts. */
    private MillraceProcess startPlane() throws IOException, InterruptedException
    {
        return start("serve", "plane", """
            control: {directory: %1$s/plane, device-directories: [%1$s]}
            status: {file: none}
            warm-up: false
            discovery: false
            devices:
              - {name: d0, type: file, path: %1$s/d0.img, size: 33MiB}
              - {name: d1, type: file, path: %1$s/d1.img, size: 33MiB}
              - {name: d2, type: file, path: %1$s/d2.img, size: 33MiB}
              - {name: d3, type: file, path: %1$s/d3.img, size: 33MiB}
              - {name: vol0, type: raid, level: 5, members: [d0, d1, d2], assume-clean: true, sync-rate-min: 256KiB, \
            sync-rate-max: 256KiB}
            """.formatted(directory));
    }

    private MillraceProcess startManager() throws IOException, InterruptedException
    {
        return start("manager", "manager", """
            state: {directory: %1$s/state}
            control: {directory: %1$s/manager}
            data-planes: [{name: dp0, directory: %1$s/plane}]
            """.formatted(directory));
    }

    private String ok(final String line) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(MillraceProcess.ROOT.resolve("millrace").toString()));
        command.addAll(List.of(line.split(" ")));
        try (MillraceProcess process = MillraceProcess.start(command, Map.of(
            "MILLRACE_NO_BUILD", "1", "MILLRACE_CONTROL", directory.resolve("manager").toString())))
        {
            assertEquals(ExitCode.OK, process.exitCode(), () -> line + " printed:\n" + process.outputOrReason());
            return process.output();
        }
    }

    private String until(final String text) throws IOException, InterruptedException
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        String output = ok("raid show vol0");
        while (!output.contains(text))
        {
            final String last = output;
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "never '" + text + "' in:\n" + last);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            output = ok("raid show vol0");
        }
        return output;
    }

    private void apply(final String state, final String... replacements) throws IOException, InterruptedException
    {
        String changed = state;
        for (int i = 0; i < replacements.length; i += 2)
        {
            final String before = changed;
            changed = changed.replaceFirst(replacements[i], replacements[i + 1]);
            assertFalse(before.equals(changed), before);
        }
        ok("apply --file " + Files.writeString(directory.resolve("state.yaml"), changed + "\n") + " --yes");
    }

    private static void kill(final MillraceProcess process) throws InterruptedException, IOException
    {
        process.signal("KILL");
        process.exitCode();
    }

    private MillraceProcess killAndRestart(final MillraceProcess plane, final MillraceProcess manager)
        throws IOException, InterruptedException
    {
        kill(plane);
        manager.await("dp0: disconnected: ");
        final MillraceProcess next = startPlane();
        manager.await("dp0: active with term ");
        return next;
    }

    private static void assertContains(final String text, final String shown)
    {
        assertTrue(shown.contains(text), shown);
    }

    @Test
    void shouldChangeTheLevelThroughKills() throws IOException, InterruptedException
    {
        MillraceProcess plane = startPlane();
        MillraceProcess manager = startManager();
        manager.await("dp0: initial import");

        // By the commands.
        ok("raid level vol0 6 --add d3");
        plane = killAndRestart(plane, manager);
        final String rebuilding = ok("raid show vol0");
        assertContains("RAID 6, 63.9MiB, degraded", rebuilding);
        assertContains("slot 3 (d3) is REBUILDING", rebuilding);
        ok("raid level vol0 5 --yes");
        plane = killAndRestart(plane, manager);
        // A data plane that had not stored the last version starts by the one before, and the manager changes it.
        until("RAID 5, 63.9MiB, online");

        // By a desired state, with a manager that ends between it and the way back.
        final String five = ok("get --output yaml");
        apply(five, "level: *['\"]?5['\"]?", "level: '6'", "(members: *\\[[^\\]]*d2)\\]", "$1, d3]");
        assertContains("slot 3 (d3) is REBUILDING", ok("raid show vol0"));
        kill(manager);
        kill(plane);
        startPlane();
        manager = startManager();
        manager.await("dp0: active with term ");
        assertContains("slot 3 (d3) is REBUILDING", ok("raid show vol0"));
        ok("device set vol0 sync-rate-min=1GiB sync-rate-max=1GiB");
        until("RAID 6, 63.9MiB, online");
        apply(five);
        assertContains("RAID 5, 63.9MiB, online", ok("raid show vol0"));
        assertContains("available", ok("device list d3"));
        assertFalse(manager.said().contains("drift"), manager::said);
    }
}

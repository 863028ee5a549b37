package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
    /** A file that says level 5 all the time; what the manager applied counts. */
    private static final String FILE = """
        devices:
          - {name: d0, type: file, path: %1$s/d0.img, size: 33MiB}
          - {name: d1, type: file, path: %1$s/d1.img, size: 33MiB}
          - {name: d2, type: file, path: %1$s/d2.img, size: 33MiB}
          - {name: d3, type: file, path: %1$s/d3.img, size: 33MiB}
          - {name: vol0, type: raid, level: 5, members: [d0, d1, d2], assume-clean: true, sync-rate-min: 256KiB, \
        sync-rate-max: 256KiB}
        """;

    @TempDir
    private Path directory;

    private ManagedArrayProcesses processes;

    @BeforeEach
    void begin()
    {
        processes = new ManagedArrayProcesses(directory, FILE);
    }

    @AfterEach
    void end()
    {
        processes.close();
    }

    private String ok(final String line) throws IOException, InterruptedException
    {
        return processes.ok(line);
    }

    private void until(final String text) throws IOException, InterruptedException
    {
        processes.until("manager", "raid show vol0", text);
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

    private static void assertContains(final String text, final String shown)
    {
        assertTrue(shown.contains(text), shown);
    }

    @Test
    void shouldChangeTheLevelThroughKills() throws IOException, InterruptedException
    {
        MillraceProcess plane = processes.startPlane();
        MillraceProcess manager = processes.startManager();
        manager.await("dp0: initial import");

        // By the commands.
        ok("raid level vol0 6 --add d3");
        plane = processes.killAndRestart(plane, manager);
        final String rebuilding = ok("raid show vol0");
        assertContains("RAID 6, 63.9MiB, degraded", rebuilding);
        assertContains("slot 3 (d3) is REBUILDING", rebuilding);
        ok("raid level vol0 5 --yes");
        plane = processes.killAndRestart(plane, manager);
        // d3 may be in use by then: it has stored that before the answer, and does not make it RAID 6 once more.
        assertContains("RAID 5, 63.9MiB, online", ok("raid show vol0"));
        assertFalse(plane.said().contains("it becomes RAID 6"), plane::said);

        // By a desired state, with a manager that ends between it and the way back.
        final String five = ok("get --output yaml");
        apply(five, "level: *['\"]?5['\"]?", "level: '6'", "(members: *\\[[^\\]]*d2)\\]", "$1, d3]");
        assertContains("slot 3 (d3) is REBUILDING", ok("raid show vol0"));
        ManagedArrayProcesses.kill(manager);
        ManagedArrayProcesses.kill(plane);
        processes.startPlane();
        manager = processes.startManager();
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

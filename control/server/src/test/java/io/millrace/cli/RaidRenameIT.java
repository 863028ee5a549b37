package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An array of a manager is renamed while data plane and manager are killed: it is there once, with its namespace, and
 * by the new name when the command had succeeded.
 */
@Timeout(400)
class RaidRenameIT
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final int KILLS = 4;
    /** As long as a command takes, about. */
    private static final int DELAY_MS_MAX = 1500;

    /** A file with the first name; what the manager applied counts. */
    private static final String FILE = """
        devices:
          - {name: d0, type: file, path: %1$s/d0.img, size: 9MiB}
          - {name: d1, type: file, path: %1$s/d1.img, size: 9MiB}
          - {name: vol0, type: raid, level: 1, members: [d0, d1], assume-clean: true}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            allow-any-host: true
            namespaces: [{nsid: 1, device: vol0}]
        """;

    @TempDir
    private Path directory;

    private final Random random = TestSeeds.random();
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

    private static String valueOf(final String key, final String yaml)
    {
        return yaml.lines().map(String::strip).filter((line) -> line.startsWith(key + ':')).findFirst().orElseThrow();
    }

    @Test
    void shouldHaveOneNameThroughKills() throws IOException, InterruptedException
    {
        MillraceProcess plane = processes.startPlane();
        MillraceProcess manager = processes.startManager();
        manager.await("dp0: initial import");
        final String uuid = valueOf("uuid", processes.ok("namespace list --output yaml"));
        final String array = processes.ok("raid show vol0").lines().filter((line) -> line.contains("UUID"))
            .findFirst().orElseThrow();
        String name = "vol0";
        for (int i = 1; i <= KILLS; i++)
        {
            final String next = "vol" + i;
            final List<String> command = Stream.of(MillraceProcess.ROOT.resolve("millrace").toString(), "raid",
                "rename", name, next).toList();
            try (MillraceProcess rename = MillraceProcess.start(command, Map.of(
                "MILLRACE_NO_BUILD", "1", "MILLRACE_CONTROL", directory.resolve("manager").toString())))
            {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(DELAY_MS_MAX)));
                if (random.nextBoolean())
                {
                    ManagedArrayProcesses.kill(manager);
                    ManagedArrayProcesses.kill(plane);
                }
                else
                {
                    ManagedArrayProcesses.kill(plane);
                    ManagedArrayProcesses.kill(manager);
                }
                plane = processes.startPlane();
                assertFalse(plane.said().contains("cannot create raid device"), plane::said);
                manager = processes.startManager();
                manager.await("dp0: active with term ");
                // It is sent again to the manager that is back.
                final boolean isDone = ExitCode.OK == rename.exitCode();
                processes.until("manager", "dataplane list", "in-sync");
                final String shown = processes.ok("raid list");
                assertEquals(2, shown.lines().count(), shown);
                assertTrue(shown.contains(next) || !isDone && shown.contains(name), rename.output() + shown);
                name = shown.contains(next) ? next : name;
            }
            assertTrue(processes.ok("raid show " + name).contains(array), "another array");
            final String namespaces = processes.ok("namespace list --output yaml");
            assertEquals(uuid, valueOf("uuid", namespaces));
            assertEquals("device: " + name, valueOf("device", namespaces));
        }
    }
}

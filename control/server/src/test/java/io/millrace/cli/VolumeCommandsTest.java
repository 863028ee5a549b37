package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.control.agent.AgentFixture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code millrace volume} against a data plane without logical volumes; {@link SpdkIT} has those. */
class VolumeCommandsTest
{
    @TempDir
    private Path directory;

    private AgentFixture fixture;

    @BeforeEach
    void start()
    {
        fixture = AgentFixture.ipc(directory);
        assertEquals(ExitCode.OK, run("device create mem0 --size 8MiB").exitCode());
    }

    @AfterEach
    void stop()
    {
        fixture.close();
    }

    private CommandRun run(final String line)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(line.split(" ")));
        args.addAll(List.of("--control", fixture.settings().directory().toString()));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private void refused(final int exitCode, final String line, final String message)
    {
        final CommandRun run = run(line);
        assertTrue(run.err().startsWith("millrace " + message), run.err());
        assertEquals(exitCode, run.exitCode());
    }

    @Test
    void shouldListLogicalVolumesOnly()
    {
        final CommandRun list = run("volume list");
        assertEquals(ExitCode.OK, list.exitCode());
        assertTrue(!list.out().contains("mem0"), list.out());
    }

    @Test
    void shouldRefuseDevicesOfOtherTypes()
    {
        final String other = "device mem0 is of type memory, no logical volume: 'millrace volume list' lists them";
        refused(ExitCode.FAILURE, "volume snapshot mem0 s", "volume snapshot: " + other);
        refused(ExitCode.FAILURE, "volume clone mem0 c", "volume clone: " + other);
        refused(ExitCode.FAILURE, "volume resize mem0 16MiB", "volume resize: " + other);
        refused(ExitCode.FAILURE, "volume delete mem0 --data --yes", "volume delete: " + other);
        refused(ExitCode.FAILURE, "volume snapshot mem0 mem0",
            "volume snapshot: device mem0 already exists: choose another name");
        assertTrue(run("device list").out().contains("8MiB"));
    }

    @Test
    void shouldRefuseWhatIsNoVolume()
    {
        refused(ExitCode.USAGE, "volume create v --store l/x --size 8MiB", "volume create: --lvol = l/x/v: ");
        refused(ExitCode.USAGE, "volume create v --store l --size 8000000",
            "volume create: --size = 8000000: not a multiple of 1MiB; use 8MiB");
        refused(ExitCode.USAGE, "volume create v --store l", "volume create: ");
        refused(ExitCode.FAILURE, "volume snapshot nil s", "volume snapshot: device nil: does not exist");
    }
}

package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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

    @TempDir
    private Path directory;

    private ManagedArrayProcesses processes;

    @BeforeEach
    void begin()
    {
        processes = new ManagedArrayProcesses(directory, "");
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

    private void until(final String control, final String line, final String text)
        throws IOException, InterruptedException
    {
        processes.until(control, line, text);
    }

    private static String uuid(final String shown)
    {
        return shown.replaceAll("(?s).*UUID ([0-9a-f-]{36})\\n.*", "$1");
    }

    @Test
    void shouldGrowThroughKillsWhileHostsStayConnected() throws IOException, InterruptedException
    {
        MillraceProcess plane = processes.startPlane();
        final MillraceProcess manager = processes.startManager();
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
        final MillraceProcess host = processes.start("serve", "host", """
            control: {directory: %1$s/host}
            status: {file: none}
            warm-up: false
            devices: [{name: far, type: remote, addresses: ['tcp://127.0.0.1:%2$d'], subsystem: '%3$s', nsid: 1}]
            """.formatted(directory, port, NQN));
        until("host", "device list", "130944KiB");

        // By the command.
        ok("raid grow vol0 --add d3");
        until("manager", "raid show vol0", "reshape");
        plane = processes.killAndRestart(plane, manager);
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
        plane = processes.killAndRestart(plane, manager);
        assertEquals(uuid, uuid(ok("raid show vol0")));
        ok("device set vol0 sync-rate-min=1GiB sync-rate-max=1GiB");
        until("manager", "raid show vol0", "RAID 5, 256MiB, online");
        until("host", "device list", "261888KiB");
        assertFalse(host.said().contains("error"), host::said);
    }
}

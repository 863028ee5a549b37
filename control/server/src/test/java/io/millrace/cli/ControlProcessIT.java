package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.State;
import io.millrace.control.message.DeviceSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code serve} as a real process, with control and without. */
class ControlProcessIT
{
    @TempDir
    private Path directory;

    private MillraceProcess serve(final Path config) throws IOException
    {
        return MillraceProcess.start("serve", "--config", config.toString());
    }

    private ControlClient connect()
    {
        return ControlClient.connect(new ControlClientContext().aeronDirectoryName(
            directory.resolve("aeron").toString()).role(Role.ADMIN).clientName("test"));
    }

    @Test
    void shouldComeBackOnItsDirectoryWhenKilled() throws IOException, InterruptedException
    {
        final Path config = Files.writeString(directory.resolve("test.yaml"),
            "control: {directory: '" + directory.resolve("aeron") + "'}\n");
        try (MillraceProcess process = serve(config))
        {
            process.await("^ready");
            try (ControlClient client = connect())
            {
                client.createDevice(DeviceSpec.memory("mem0", 1 << 20, 4096));
                assertEquals(1, client.devices("").size());
            }
            process.signal("KILL");
            process.exitCode();
        }
        assertTrue(Files.exists(directory.resolve("aeron")), "nothing was left to be taken over");
        try (MillraceProcess process = serve(config))
        {
            process.await("^control: .*aeron:ipc, stream 4420");
            process.await("^ready");
            try (ControlClient client = connect())
            {
                assertEquals(List.of(), client.devices(""));
                client.setState(State.STOPPING);
            }
            assertEquals(ExitCode.OK, process.exitCode());
        }
        assertFalse(Files.exists(directory.resolve("aeron")));
    }

    @Test
    void shouldLoadNothingOfAeronAndNoEventWhenNeitherIsUsed() throws IOException, InterruptedException
    {
        final Path config = Files.writeString(directory.resolve("test.yaml"), """
            devices: [{name: mem0, type: memory, size: 1MiB}]
            subsystems:
              - {nqn: nqn.2026-11.io.millrace:vol0, allow-any-host: true, namespaces: [{nsid: 1, device: mem0}]}
            listeners: [{transport: tcp, address: 127.0.0.1, port: 0}]
            discovery: false
            control: {enabled: false}
            """);
        final Path classes = directory.resolve("classes.txt");
        // Without the cache of classes, which brings those of control along for data planes that have it.
        try (MillraceProcess process = MillraceProcess.start(
            List.of(MillraceProcess.ROOT.resolve("millrace").toString(), "serve", "--config", config.toString()),
            Map.of("MILLRACE_NO_BUILD", "1", "MILLRACE_JAVA_OPTS",
                "-XX:AOTMode=off -Xlog:class+load:file=" + classes)))
        {
            process.await("^ready");
            process.signal("TERM");
            assertEquals(ExitCode.OK, process.exitCode());
        }
        final List<String> loaded = Files.readAllLines(classes);
        assertTrue(loaded.stream().anyMatch((line) -> line.contains("io.millrace.dataplane.DataPlane ")));
        assertEquals(List.of(), loaded.stream().filter((line) -> line.contains(" io.aeron.")).toList());
        // The recorder needs 300 ms to take a kind of event in, so it is told when it is used.
        assertTrue(loaded.stream().anyMatch((line) -> line.contains(" io.millrace.jfr.FlightEvents ")));
        assertEquals(List.of(), loaded.stream().filter((line) -> line.contains(" io.millrace.jfr.SlowRequest ") ||
            line.contains(" jdk.jfr.internal.TypeLibrary ")).toList());
    }
}

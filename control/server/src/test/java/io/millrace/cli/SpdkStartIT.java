package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Starts of SPDK with little memory, and those that fail.
 */
@Timeout(300)
class SpdkStartIT
{
    private static final String BDEV = """
        {"subsystems": [{"subsystem": "bdev", "config": [{"method": "%s", "params":
          {"name": "Malloc0", "num_blocks": %d, "block_size": 4096}}]}]}
        """;

    @TempDir
    private Path directory;

    private MillraceProcess serve(final String json, final String settings) throws IOException
    {
        final Path file = Files.writeString(directory.resolve("spdk.json"), json);
        final Path config = Files.writeString(directory.resolve("start.yaml"), """
            reactors: [{}, {}, {}, {}, {}, {}, {}, {}]
            devices:
              - {name: vol0, type: spdk-bdev, bdev: Malloc0}
            subsystems:
              - nqn: nqn.2026-11.io.millrace:vol0
                allow-any-host: true
                namespaces: [{nsid: 1, device: vol0}]
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: 0}
            discovery: false
            spdk: {config: %s, %s}
            """.formatted(file, settings));
        return MillraceProcess.start("serve", "--config", config.toString());
    }

    /** Each reactor has a thread of SPDK, which keeps a part of the pools. */
    @Test
    void shouldServeWithTheLeastMemory() throws IOException, InterruptedException
    {
        SpdkIT.requireSpdk();
        try (MillraceProcess serve = serve(BDEV.formatted("bdev_malloc_create", 16_384), "memory: 256MiB"))
        {
            final int port = serve.port();
            serve.await("^ready$|Ctrl-C");
            try (MillraceProcess load = MillraceProcess.start("perf", "tcp://127.0.0.1:" + port +
                "/nqn.2026-11.io.millrace:vol0", "--pattern", "randwrite", "--verify", "--queues", "8",
                "--depth", "128", "--duration", "500ms"))
            {
                final String output = load.output();
                assertEquals(ExitCode.OK, load.exitCode(), output);
            }
            serve.signal("TERM");
            assertEquals(ExitCode.OK, serve.exitCode(), serve::said);
        }
    }

    private void assertRefused(final String json, final String settings, final String sentence)
        throws IOException, InterruptedException
    {
        try (MillraceProcess serve = serve(json, settings))
        {
            final String output = serve.output();
            assertEquals(ExitCode.USAGE, serve.exitCode(), output);
            assertTrue(output.contains(sentence), output);
        }
    }

    @Test
    void shouldSayWhatToDoWhenSpdkDoesNotStart() throws IOException, InterruptedException
    {
        SpdkIT.requireSpdk();
        assertRefused(BDEV.formatted("bdev_malloc_create", 65_536), "memory: 256MiB", "raise spdk.memory, 256 MiB");
        assertRefused(BDEV.formatted("bdev_malloc_creat", 64), "memory: 256MiB", "correct what");
        assertRefused("{\"subsystems\": [", "memory: 256MiB", "as SPDK's save_config does");
        assertRefused("", "memory: 256MiB", "spdk.json is empty: write it as SPDK's save_config does");
        final String malloc = BDEV.formatted("bdev_malloc_create", 64);
        assertRefused(malloc + malloc, "memory: 256MiB", "has text after its JSON object, in line 3");
        assertRefused(BDEV.formatted("bdev_malloc_create", 64), "memory: 1TiB", "more than the machine has");
        assertRefused(BDEV.formatted("bdev_malloc_create", 64), "rpc-socket: /proc/millrace/spdk.sock",
            "in a directory that this user may write");
    }
}

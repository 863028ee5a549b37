package io.millrace.cli;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * SPDK as a user meets it: {@code serve} with bdevs, I/O to one over NVMe/TCP, JSON-RPC.
 */
@Timeout(300)
class SpdkIT
{
    @TempDir
    private Path directory;

    @Test
    void shouldServeABdevOfSpdk() throws IOException, InterruptedException
    {
        require(null != System.getenv("MILLRACE_SPDK_LIBRARY"), "MILLRACE_SPDK_LIBRARY is not set",
            "install SPDK, make -C native/spdk SPDK_DIR=PREFIX, and set it to native/spdk/target/libmillrace_spdk.so");
        final Path json = Files.writeString(directory.resolve("spdk.json"), """
            {"subsystems": [{"subsystem": "bdev", "config": [{"method": "bdev_malloc_create", "params":
              {"name": "Malloc0", "num_blocks": 4096, "block_size": 4096}}]}]}
            """);
        final int frontEndPort = freePort();
        final Path frontEnds = Files.writeString(directory.resolve("nvmf.json"), """
            {"subsystems": [{"subsystem": "nvmf", "config": [
              {"method": "nvmf_create_transport", "params": {"trtype": "TCP"}},
              {"method": "nvmf_create_subsystem", "params": {"nqn": "nqn.2026-11.io.millrace:vol1",
                "allow_any_host": true}},
              {"method": "nvmf_subsystem_add_ns", "params": {"nqn": "nqn.2026-11.io.millrace:vol1",
                "namespace": {"nsid": 1, "bdev_name": "vol1"}}},
              {"method": "nvmf_subsystem_add_listener", "params": {"nqn": "nqn.2026-11.io.millrace:vol1",
                "listen_address": {"trtype": "TCP", "adrfam": "IPv4", "traddr": "127.0.0.1", "trsvcid": "%d"}}}]}]}
            """.formatted(frontEndPort));
        final Path socket = directory.resolve("spdk.sock");
        final Path config = Files.writeString(directory.resolve("test.yaml"), """
            devices:
              - {name: vol0, type: spdk-bdev, bdev: Malloc0}
              - {name: vol1, type: memory, size: 16MiB}
            subsystems:
              - nqn: nqn.2026-11.io.millrace:vol0
                allow-any-host: true
                namespaces: [{nsid: 1, device: vol0}]
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: 0}
            discovery: false
            spdk: {config: %s, memory: 512MiB, rpc-socket: %s, exports: [vol1], front-ends: %s}
            """.formatted(json, socket, frontEnds));
        try (MillraceProcess serve = MillraceProcess.start("serve", "--config", config.toString()))
        {
            final int port = serve.port();
            serve.await("^ready$|Ctrl-C");
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
            run("perf", "tcp://127.0.0.1:" + port + "/nqn.2026-11.io.millrace:vol0", "--pattern", "randwrite",
                "--verify", "--duration", "500ms");
            run("perf", "tcp://127.0.0.1:" + frontEndPort + "/nqn.2026-11.io.millrace:vol1", "--pattern", "randwrite",
                "--verify", "--duration", "500ms");
            assertTrue(refused("device", "delete", "vol1", "--yes").contains("is used by SPDK"));
            final String status = spdk(socket, "status");
            assertTrue(status.contains("Malloc0  Malloc disk"), status);
            assertTrue(status.contains("Millrace device"), status);
            assertEquals("\"Null1\"", spdk(socket, "rpc", "bdev_null_create",
                "{\"name\": \"Null1\", \"num_blocks\": 8192, \"block_size\": 512}"));
            run("device", "create", "null1", "--bdev", "Null1");
            assertTrue(refused("device", "create", "null2", "--bdev", "Null1").contains("is used by device null1"));
            assertTrue(refused("device", "create", "none", "--bdev", "Nil").contains("Nil is not a bdev of SPDK"));
            assertTrue(refused("spdk", "rpc", "--socket", socket.toString(), "nonsense").contains("rpc_get_methods"));
            serve.signal("TERM");
            assertEquals(ExitCode.OK, serve.exitCode(), serve::said);
            assertFalse(serve.output().contains("did not stop"), serve.output());
        }
    }

    private static int freePort() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            return socket.getLocalPort();
        }
    }

    private static String spdk(final Path socket, final String... args) throws IOException, InterruptedException
    {
        final List<String> all = new ArrayList<>(List.of("spdk", args[0], "--socket", socket.toString()));
        all.addAll(Arrays.asList(args).subList(1, args.length));
        return run(all.toArray(String[]::new));
    }

    private static String run(final String... args) throws IOException, InterruptedException
    {
        try (MillraceProcess process = MillraceProcess.start(args))
        {
            final String output = process.output();
            assertEquals(ExitCode.OK, process.exitCode(), output);
            return output;
        }
    }

    private static String refused(final String... args) throws IOException, InterruptedException
    {
        try (MillraceProcess process = MillraceProcess.start(args))
        {
            final String output = process.output();
            assertEquals(ExitCode.FAILURE, process.exitCode(), output);
            return output;
        }
    }
}

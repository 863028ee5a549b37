package io.millrace.cli;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.IOException;
import java.io.RandomAccessFile;
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
    private static final String VOLUME = """
        devices:
          - {name: vol0, type: spdk-lvol, lvol: lvs0/vol0, size: 32MiB, thin: true}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            allow-any-host: true
            namespaces: [{nsid: 1, device: vol0}]
        """;

    @TempDir
    private Path directory;

    @Test
    void shouldServeABdevOfSpdk() throws IOException, InterruptedException
    {
        requireSpdk();
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

    @Test
    void shouldServeTheSameSubsystemsByBothTargets() throws IOException, InterruptedException
    {
        requireSpdk();
        final int own = freePort();
        final int spdk = freePort();
        final Path config = Files.writeString(directory.resolve("both.yaml"), """
            devices:
              - {name: vol0, type: memory, size: 16MiB}
            subsystems:
              - nqn: nqn.2026-11.io.millrace:vol0
                allow-any-host: true
                namespaces: [{nsid: 1, device: vol0}]
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: %d}
              - {transport: tcp, address: 127.0.0.1, port: %d, provider: spdk}
            discovery: false
            control: {name: both}
            """.formatted(own, spdk));
        final String[] to = {"--data-plane", "both"};
        try (MillraceProcess serve = MillraceProcess.start("serve", "--config", config.toString()))
        {
            serve.await("^ready$|Ctrl-C");
            run("perf", "tcp://127.0.0.1:" + spdk + "/nqn.2026-11.io.millrace:vol0", "--pattern", "randwrite",
                "--verify", "--duration", "500ms");
            run("perf", "tcp://127.0.0.1:" + own + "/nqn.2026-11.io.millrace:vol0", "--pattern", "randread",
                "--duration", "300ms");
            final String list = run("listener", "list", to[0], to[1]);
            assertTrue(list.contains("spdk"), list);
            assertTrue(run("discover", "tcp://127.0.0.1:" + own).contains(" " + spdk + " "));
            assertTrue(refused("qos", "set", "nqn.2026-11.io.millrace:vol0", "1", "--iops", "9", to[0], to[1])
                .contains("are not known to SPDK's target"));
            assertTrue(refused("listener", "add", "192.0.2.1:4420", "--provider", "spdk", to[0], to[1])
                .contains("SPDK says"));
            run("listener", "remove", "127.0.0.1:" + spdk, "--yes", to[0], to[1]);
            assertEquals("listening on 127.0.0.1:" + spdk + " by SPDK's target",
                run("listener", "add", "127.0.0.1:" + spdk, "--provider", "spdk", to[0], to[1]).lines().findFirst()
                    .orElse(""));
            serve.signal("TERM");
            assertEquals(ExitCode.OK, serve.exitCode(), serve::said);
            assertFalse(serve.output().contains("did not stop"), serve.output());
        }
    }

    static void requireSpdk()
    {
        require(null != System.getenv("MILLRACE_SPDK_LIBRARY"), "MILLRACE_SPDK_LIBRARY is not set",
            "install SPDK, make -C native/spdk SPDK_DIR=PREFIX, and set it to native/spdk/target/libmillrace_spdk.so");
    }

    /** A file below SPDK, the JSON that makes a bdev of it, and a data plane with volumes of a store there. */
    private Path volumes(final String name, final int port, final String devices) throws IOException
    {
        final Path base = directory.resolve("base.img");
        try (RandomAccessFile file = new RandomAccessFile(base.toFile(), "rw"))
        {
            file.setLength(256 << 20);
        }
        final Path json = Files.writeString(directory.resolve("aio.json"), """
            {"subsystems": [{"subsystem": "bdev", "config": [{"method": "bdev_aio_create", "params":
              {"name": "Aio0", "filename": "%s", "block_size": 4096}}]}]}
            """.formatted(base));
        return Files.writeString(directory.resolve(name + ".yaml"), """
            %s
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: %d}
            discovery: false
            control: {name: lvol}
            spdk: {config: %s, rpc-socket: %s}
            """.formatted(devices, port, json, directory.resolve("spdk.sock")));
    }

    @Test
    void shouldMakeLogicalVolumesAndFindThemAgain() throws IOException, InterruptedException
    {
        requireSpdk();
        final Path socket = directory.resolve("spdk.sock");
        final String[] to = {"--data-plane", "lvol"};
        try (MillraceProcess serve = MillraceProcess.start(
            "serve", "--config", volumes("empty", 0, "").toString()))
        {
            serve.await("^ready$|Ctrl-C");
            spdk(socket, "rpc", "bdev_lvol_create_lvstore", "{\"bdev_name\": \"Aio0\", \"lvs_name\": \"lvs0\"}");
            assertTrue(refused("volume", "create", "v", "--store", "nil", "--size", "8MiB", to[0], to[1])
                .contains("No such device"));
            run("volume", "create", "v", "--store", "lvs0", "--size", "8MiB", to[0], to[1]);
            run("volume", "snapshot", "v", "s", to[0], to[1]);
            assertTrue(refused("volume", "snapshot", "v", "s", to[0], to[1]).contains("device s already exists"));
            run("volume", "clone", "s", "c", to[0], to[1]);
            assertEquals("volume c has 16MiB",
                run("volume", "resize", "c", "+8MiB", to[0], to[1]).lines().findFirst().orElse(""));
            final String list = run("volume", "list", to[0], to[1]);
            assertTrue(list.contains("snapshot-of=v") && list.contains("clone-of=s"), list);
            assertTrue(refused("volume", "delete", "s", "--data", "--yes", to[0], to[1])
                .contains("is deleted without its data"));
            run("volume", "delete", "c", "v", "--data", "--yes", to[0], to[1]);
            run("device", "create", "s", "--lvol", "lvs0/s", to[0], to[1]);
            run("device", "create", "mem", "--size", "8MiB", to[0], to[1]);
            assertTrue(refused("volume", "delete", "mem", "--data", "--yes", to[0], to[1])
                .contains("no logical volume"));
            serve.signal("TERM");
            assertEquals(ExitCode.OK, serve.exitCode(), serve::said);
        }
        final Path config = volumes("full", 0, VOLUME);
        for (int round = 0; round < 2; round++)
        {
            try (MillraceProcess serve = MillraceProcess.start("serve", "--config", config.toString()))
            {
                final int port = serve.port();
                serve.await("^ready$|Ctrl-C");
                final String address = "tcp://127.0.0.1:" + port + "/nqn.2026-11.io.millrace:vol0";
                if (0 == round)
                {
                    run("perf", address, "--pattern", "randwrite", "--verify", "--duration", "300ms");
                }
                else
                {
                    final String held = refused(ExitCode.USAGE, "perf", address, "--pattern", "randwrite");
                    assertTrue(held.contains("holds data"), held);
                }
                serve.signal("KILL");
                serve.exitCode();
            }
        }
        Files.delete(directory.resolve("base.img"));
        try (MillraceProcess serve = MillraceProcess.start(
            "serve", "--config", volumes("full", 0, VOLUME).toString()))
        {
            assertTrue(serve.output().contains("SPDK has no logical volume lvs0/vol0, though device vol0 had it"),
                serve::said);
        }
    }

    /** As its assertions do: the process ends, is started again as a supervisor would, and a host goes on. */
    @Test
    void shouldServeAgainAfterSpdkAborts() throws IOException, InterruptedException
    {
        requireSpdk();
        final int port = freePort();
        final Path config = volumes("full", port, VOLUME);
        final Path host = Files.writeString(directory.resolve("host.yaml"), """
            devices:
              - name: far
                type: remote
                addresses: ["tcp://127.0.0.1:%d"]
                subsystem: nqn.2026-11.io.millrace:vol0
                nsid: 1
            subsystems:
              - nqn: nqn.2026-11.io.millrace:far
                allow-any-host: true
                namespaces: [{nsid: 1, device: far}]
            listeners:
              - {transport: tcp, address: 127.0.0.1, port: 0}
            discovery: false
            control: {name: host}
            """.formatted(port));
        try (MillraceProcess serve = MillraceProcess.start(
            "serve", "--config", volumes("empty", 0, "").toString()))
        {
            serve.await("^ready$|Ctrl-C");
            spdk(directory.resolve("spdk.sock"), "rpc", "bdev_lvol_create_lvstore",
                "{\"bdev_name\": \"Aio0\", \"lvs_name\": \"lvs0\"}");
            serve.signal("TERM");
            assertEquals(ExitCode.OK, serve.exitCode(), serve::said);
        }
        final MillraceProcess first = MillraceProcess.start("serve", "--config", config.toString());
        first.await("^ready$|Ctrl-C");
        try (MillraceProcess far = MillraceProcess.start("serve", "--config", host.toString()))
        {
            final int farPort = far.port();
            far.await("^ready$|Ctrl-C");
            try (MillraceProcess perf = MillraceProcess.start("perf", "tcp://127.0.0.1:" + farPort +
                "/nqn.2026-11.io.millrace:far", "--pattern", "randwrite", "--verify", "--duration", "8s"))
            {
                perf.await("measuring");
                first.signal("ABRT");
                assertFalse(ExitCode.OK == first.exitCode(), first::said);
                try (MillraceProcess second = MillraceProcess.start("serve", "--config", config.toString()))
                {
                    second.await("^ready$|Ctrl-C");
                    assertEquals(ExitCode.OK, perf.exitCode(), perf::said);
                    assertTrue(perf.said().contains("verified "), perf::said);
                }
            }
        }
        finally
        {
            first.close();
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
        return refused(ExitCode.FAILURE, args);
    }

    private static String refused(final int exitCode, final String... args) throws IOException, InterruptedException
    {
        try (MillraceProcess process = MillraceProcess.start(args))
        {
            final String output = process.output();
            assertEquals(exitCode, process.exitCode(), output);
            return output;
        }
    }
}

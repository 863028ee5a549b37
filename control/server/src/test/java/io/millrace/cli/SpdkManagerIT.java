package io.millrace.cli;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logical volumes of a manager: its data plane is killed, and gets them again as they are, or not at all. */
class SpdkManagerIT
{
    private static final List<String> NAMES = List.of("v", "s", "c");

    @TempDir
    private Path directory;

    private MillraceProcess asUser(final String... args) throws IOException
    {
        final List<String> command = new ArrayList<>();
        command.add(MillraceProcess.ROOT.resolve("millrace").toString());
        command.addAll(List.of(args));
        return MillraceProcess.start(command, Map.of("MILLRACE_NO_BUILD", "1",
            "MILLRACE_JAVA_OPTS", "-Duser.name=spdk-it-" + ProcessHandle.current().pid(),
            "XDG_STATE_HOME", directory.resolve("xdg-state").toString()));
    }

    private String run(final String... args) throws IOException, InterruptedException
    {
        try (MillraceProcess command = asUser(args))
        {
            assertEquals(ExitCode.OK, command.exitCode(), command::outputOrReason);
            return command.output();
        }
    }

    private String rpc(final String method, final String params) throws IOException, InterruptedException
    {
        return run("spdk", "rpc", "--socket", directory.resolve("spdk.sock").toString(), method, params);
    }

    private void makeBase() throws IOException
    {
        try (RandomAccessFile file = new RandomAccessFile(directory.resolve("base.img").toFile(), "rw"))
        {
            file.setLength(256 << 20);
        }
    }

    private String lvols() throws IOException, InterruptedException
    {
        return rpc("bdev_lvol_get_lvols", "{\"lvs_name\": \"lvs0\"}");
    }

    @Test
    void shouldGiveAKilledDataPlaneItsVolumesAgain() throws IOException, InterruptedException
    {
        require(null != System.getenv("MILLRACE_SPDK_LIBRARY"), "MILLRACE_SPDK_LIBRARY is not set",
            "install SPDK, make -C native/spdk SPDK_DIR=PREFIX, and set it to native/spdk/target/libmillrace_spdk.so");
        makeBase();
        final Path json = Files.writeString(directory.resolve("aio.json"), """
            {"subsystems": [{"subsystem": "bdev", "config": [{"method": "bdev_aio_create", "params":
              {"name": "Aio0", "filename": "%s", "block_size": 4096}}]}]}
            """.formatted(directory.resolve("base.img")));
        final String config = Files.writeString(directory.resolve("plane.yaml"), """
            control: {}
            warm-up: false
            status: {file: none}
            spdk: {config: %s, rpc-socket: %s}
            """.formatted(json, directory.resolve("spdk.sock"))).toString();
        final String made;
        final MillraceProcess first = asUser("serve", "--config", config);
        first.await("^ready");
        try (MillraceProcess manager = asUser("manager"))
        {
            manager.await("it is version 1 now");
            rpc("bdev_lvol_create_lvstore", "{\"bdev_name\": \"Aio0\", \"lvs_name\": \"lvs0\"}");
            run("volume", "create", "v", "--store", "lvs0", "--size", "8MiB");
            run("volume", "snapshot", "v", "s");
            run("volume", "clone", "s", "c");
            made = lvols();
            first.signal("KILL");
            first.exitCode();
            try (MillraceProcess second = asUser("serve", "--config", config))
            {
                second.await("^ready");
                final String list = run("volume", "list");
                NAMES.forEach((each) -> assertTrue(list.contains("\n" + each + " "), list));
                assertEquals(made, lvols());
                second.signal("KILL");
                second.exitCode();
            }
            // The drive below the store is another one now.
            Files.delete(directory.resolve("base.img"));
            makeBase();
            try (MillraceProcess third = asUser("serve", "--config", config))
            {
                third.await("^ready");
                manager.await("in 3 steps, 3 refused: create device c .*, create device s .*, create device v ");
                assertTrue(third.said().contains("SPDK has no logical volume lvs0/v, though device v had it since "),
                    third::said);
                rpc("bdev_lvol_create_lvstore", "{\"bdev_name\": \"Aio0\", \"lvs_name\": \"lvs0\"}");
                assertEquals("[]", lvols().replaceAll("\\s", ""));
            }
        }
        finally
        {
            first.close();
        }
    }
}

package io.millrace.cli.local.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlDirectories;
import io.millrace.control.client.DriverProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpdkOptionsTest
{
    private static Path socket(final String dataPlane, final String control)
    {
        return SpdkOptions.socket(dataPlane, Map.of("MILLRACE_CONTROL", control));
    }

    @Test
    void shouldCallSpdkInTheDataPlaneThatCommandsGoTo()
    {
        assertEquals(Path.of("/run/a/spdk-lab.sock"), socket(null, "/run/a/data-plane-lab"));
        assertEquals(Path.of("/run/a/spdk.sock"), socket(null, "/run/a/data-plane"));
    }

    @Test
    void shouldCallSpdkInTheDataPlaneThatIsNamed()
    {
        final Path lab = ControlDirectories.base().resolve("spdk-lab.sock");
        assertEquals(lab, socket("lab", "/run/a/data-plane"));
        assertEquals(lab, SpdkOptions.socket("lab", Map.of()));
        assertEquals(ControlDirectories.base().resolve("spdk.sock"), SpdkOptions.socket("millrace", Map.of()));
    }

    @Test
    void shouldCallSpdkInTheDataPlaneOfThisUserOtherwise()
    {
        final Path own = ControlDirectories.base().resolve("spdk.sock");
        assertEquals(own, SpdkOptions.socket(null, Map.of()));
        assertEquals(own, socket(null, ""));
    }

    /** The data plane of this user may be another one. */
    @ParameterizedTest
    @CsvSource({"/run/a/manager", "aeron:udp?endpoint=192.0.2.7:4421", "/run/a/data-planes", "/"})
    void shouldNotGuessASocket(final String control)
    {
        final CommandException refused = assertThrows(CommandException.class, () -> socket(null, control));
        assertEquals(ExitCode.USAGE, refused.exitCode());
        assertEquals("MILLRACE_CONTROL=" + control + " does not say where the socket of SPDK is: name the data plane " +
            "with --data-plane, or the socket (spdk.rpc-socket) with --socket", refused.getMessage());
    }

    /** The kernel cuts no path. */
    @Test
    void shouldRefuseASocketWhosePathIsTooLong()
    {
        final String parent = "/run/" + "a".repeat(92);
        assertEquals(Path.of(parent, "spdk.sock"), socket(null, parent + "/data-plane"));
        final String control = parent + "b/data-plane";
        final CommandException refused = assertThrows(CommandException.class, () -> socket(null, control));
        assertEquals(ExitCode.USAGE, refused.exitCode());
        assertEquals("the path of the socket beside MILLRACE_CONTROL=" + control + " would be longer than 107 bytes: " +
            "set spdk.rpc-socket, and name it with --socket", refused.getMessage());
        final Path named = Path.of("/" + "n".repeat(107));
        final CommandException given =
            assertThrows(CommandException.class, () -> new SpdkOptions(named, 1000).client());
        assertEquals(ExitCode.USAGE, given.exitCode());
        assertEquals("--socket " + named + " is longer than 107 bytes, the most of a Unix domain socket: name it by " +
            "a shorter path, such as one relative to this directory", given.getMessage());
        new SpdkOptions(Path.of("/" + "n".repeat(106)), 1000).client();
    }

    @Test
    void shouldTellADataPlaneThatDoesNotRunFromOneWithoutSpdk(@TempDir final Path base) throws IOException
    {
        final Path directory = base.resolve("data-plane");
        final Path socket = base.resolve("spdk.sock");
        final String absent = "no data plane runs in " + directory + ", and SPDK runs in one: start it with " +
            "'millrace serve --config FILE', where FILE has a section spdk or a device of SPDK";
        assertEquals(absent, refusal(socket, directory));
        Files.createDirectory(directory);
        assertTrue(refusal(socket, directory).startsWith("SPDK does not run in the data plane: "));
        DriverProcess.write(directory, ProcessHandle.current().pid());
        Files.createFile(socket);
        assertEquals(socket, SpdkOptions.served(socket, directory));
        final Path process = directory.resolve("process");
        // Another process that had the id.
        Files.writeString(process, Files.readString(process).replaceFirst(" [0-9]+ ", " 1 "));
        assertEquals(absent, refusal(socket, directory));
    }

    private static String refusal(final Path socket, final Path directory)
    {
        final CommandException refused =
            assertThrows(CommandException.class, () -> SpdkOptions.served(socket, directory));
        assertEquals(ExitCode.FAILURE, refused.exitCode());
        return refused.getMessage();
    }
}

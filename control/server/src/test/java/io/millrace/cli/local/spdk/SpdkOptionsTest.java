package io.millrace.cli.local.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.client.ControlDirectories;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
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
}

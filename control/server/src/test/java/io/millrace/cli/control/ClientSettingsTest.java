package io.millrace.cli.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Defaults of the connection options, and what precedes what. */
class ClientSettingsTest
{
    private static final String CHANNEL = "aeron:udp?endpoint=192.0.2.7:4421";

    @TempDir
    private Path directory;

    private Map<String, String> environment(final String... pairs)
    {
        final Map<String, String> environment = new HashMap<>();
        environment.put("XDG_CONFIG_HOME", directory.toString());
        for (int i = 0; i < pairs.length; i += 2)
        {
            environment.put(pairs[i], pairs[i + 1]);
        }
        return environment;
    }

    private void file(final String text) throws IOException
    {
        Files.writeString(Files.createDirectories(directory.resolve("millrace")).resolve("client.yaml"), text);
    }

    @Test
    void shouldLieInTheConfigurationOfTheUser()
    {
        assertEquals(directory.resolve("millrace/client.yaml"), ClientSettings.file(environment()));
        assertEquals(Path.of("/home/a/.config/millrace/client.yaml"), ClientSettings.file(Map.of("HOME", "/home/a")));
    }

    @Test
    void shouldGiveNothingWithoutFileAndVariables()
    {
        assertEquals(new ClientSettings(null, null, "", null), ClientSettings.read(environment()));
    }

    @Test
    void shouldTakeOptionsBeforeTheEnvironmentAndThatBeforeTheFile() throws IOException
    {
        file("control: \"" + CHANNEL + "\"\ndata-plane: dp0\nkey-name: ops\nkey-file: /keys/ops\n");
        final ClientSettings file = ClientSettings.read(environment());
        assertEquals(new ClientSettings(CHANNEL, "dp0", "ops", Path.of("/keys/ops")), file);
        final ClientSettings both = ClientSettings.read(environment("MILLRACE_CONTROL", CHANNEL.replace("4421", "1"),
            "MILLRACE_DATA_PLANE", "dp1", "MILLRACE_KEY", "mine", "MILLRACE_KEY_FILE", "/keys/mine"));
        assertEquals(
            new ClientSettings(CHANNEL.replace("4421", "1"), "dp1", "mine", Path.of("/keys/mine")), both);
        assertEquals(new ControlTarget(null, CHANNEL, "dp0", "ops", Path.of("/keys/ops")),
            ControlOptions.target(null, null, "", null, file));
        assertEquals(new ControlTarget(null, CHANNEL.replace("4421", "2"), "dp2", "x", Path.of("/keys/x")),
            ControlOptions.target(CHANNEL.replace("4421", "2"), "dp2", "x", Path.of("/keys/x"), both));
    }

    /** The secret of one key is never proven under the name of another. */
    @Test
    void shouldKeepNameAndFileOfAKeyTogether() throws IOException
    {
        file("key-name: ops\nkey-file: /keys/ops\n");
        final ClientSettings named = ClientSettings.read(environment("MILLRACE_KEY", "mine"));
        assertEquals(new ClientSettings(null, null, "mine", null), named);
        final CommandException e = assertThrows(CommandException.class,
            () -> ControlOptions.target(CHANNEL, null, "", null, named));
        assertEquals(ExitCode.USAGE, e.exitCode());
        assertTrue(e.getMessage().startsWith("--key-name and --key-file belong together: give both or none, also as " +
            "MILLRACE_KEY and MILLRACE_KEY_FILE"), e.getMessage());
    }

    @Test
    void shouldNotProveAKeyOverIpcUnlessNamed()
    {
        final ClientSettings defaults =
            ClientSettings.read(environment("MILLRACE_KEY", "mine", "MILLRACE_KEY_FILE", "/keys/mine"));
        // Were the key taken, half of it would be refused first.
        final CommandException e = assertThrows(CommandException.class, () -> ControlOptions.target(
            directory.resolve("none").toString(), null, "", null, new ClientSettings(null, null, "mine", null)));
        assertTrue(e.getMessage().startsWith("no process accepts commands: "), e.getMessage());
        assertEquals("mine", ControlOptions.target(CHANNEL, null, "", null, defaults).keyName());
    }

    @Test
    void shouldSayWhichKeysOfTheFileAreWrong() throws IOException
    {
        file("key-nam: ops\n");
        final CommandException e =
            assertThrows(CommandException.class, () -> ClientSettings.read(environment()));
        assertEquals(ExitCode.USAGE, e.exitCode());
        assertTrue(e.getMessage().startsWith(directory.resolve("millrace/client.yaml") +
            ":1: key-nam: unknown key; did you mean key-name?"), e.getMessage());
    }
}

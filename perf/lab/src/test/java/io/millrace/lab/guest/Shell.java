package io.millrace.lab.guest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Commands of the machine, for programs that run in it.
 */
final class Shell
{
    private Shell()
    {
    }

    /** Runs a command, which must pass, and answers what it printed. */
    static String run(final String command) throws Exception
    {
        final Process process = new ProcessBuilder("bash", "-ec", command).redirectErrorStream(true).start();
        try (InputStream output = process.getInputStream())
        {
            final String printed = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, process.waitFor(), () -> command + ": " + printed);
            return printed;
        }
    }

    /** Runs a command again until it passes: a ring may hold a block device for a second after it was closed. */
    static void retry(final String command) throws Exception
    {
        run("for i in {1..100}; do if " + command + "; then exit 0; fi; sleep 0.1; done; exit 1");
    }

    /** Runs a command and answers whether it passed. */
    static boolean passes(final String command) throws Exception
    {
        return 0 == new ProcessBuilder("bash", "-ec", command).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
    }
}

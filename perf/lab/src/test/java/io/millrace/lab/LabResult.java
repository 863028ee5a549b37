package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a script in the machine left.
 *
 * @param status    its exit status, or one of the lab's own: 124 time limit, 125 the machine stopped by itself.
 * @param output    what it wrote to its standard output.
 * @param errors    what it wrote to its standard error, and what the lab had to say.
 * @param directory where {@code kernel.log}, {@code stdout.log} and the rest are.
 */
record LabResult(int status, String output, String errors, Path directory)
{
    String kernelLog() throws IOException
    {
        return Files.readString(directory.resolve("kernel.log"), StandardCharsets.ISO_8859_1);
    }

    /** The kernel's log for a failure's message. */
    String kernelLogOrReason()
    {
        try
        {
            return description() + "--- kernel\n" + kernelLog();
        }
        catch (final IOException ex)
        {
            return description() + "--- no kernel log: " + ex.getMessage();
        }
    }

    /** Fails with everything the machine said unless the script ended well. */
    LabResult assertPassed()
    {
        assertEquals(0, status, this::description);
        return this;
    }

    /** Fails unless the script came to the end of a step, that is, printed {@code STEP name ok}. */
    void assertStep(final String name)
    {
        assertTrue(output.lines().anyMatch(("STEP " + name + " ok")::equals),
            () -> "step '" + name + "' did not end well\n" + description());
    }

    /** The rest of each line that begins with a word. */
    List<String> lines(final String word)
    {
        return output.lines().filter((line) -> line.startsWith(word + " "))
            .map((line) -> line.substring(word.length() + 1)).toList();
    }

    String description()
    {
        return "exit status " + status + ", logs in " + directory + "\n--- output\n" + output + "--- errors\n" + errors;
    }
}

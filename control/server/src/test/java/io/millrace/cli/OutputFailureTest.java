package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands in processes of their own whose output or input is a file that cannot be written or read. */
class OutputFailureTest
{
    private static Process start(final Redirect output, final Redirect input, final String... args) throws IOException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:TieredStopAtLevel=1",
            "-cp", System.getProperty("java.class.path"), Millrace.class.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).redirectOutput(output).redirectInput(input).start();
    }

    private static String errors(final Process process, final int exitCode) throws IOException, InterruptedException
    {
        try
        {
            final String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS));
            assertEquals(exitCode, process.exitValue(), errors);
            return errors;
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "man", "completion bash"})
    void shouldFailWhenTheOutputCannotBeWritten(final String line) throws IOException, InterruptedException
    {
        final String name = line.startsWith("-") ? "millrace" : "millrace " + line.split(" ")[0];
        assertEquals(name + ": standard output cannot be written to, it may be full or closed: " +
            "what was printed is not complete\n", errors(start(
            Redirect.to(new File("/dev/full")), Redirect.from(new File("/dev/null")), line.split(" ")),
            ExitCode.FAILURE));
    }

    @Test
    void shouldBeQuietWhenTheReaderOfAPipeHasEnded() throws IOException, InterruptedException
    {
        final Process process = start(Redirect.PIPE, Redirect.from(new File("/dev/null")), "man");
        process.getInputStream().close();
        assertEquals("", errors(process, ExitCode.OK));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/dev/zero", "/"})
    void shouldRefuseInputThatIsNoDocumentInOneSentence(final String input) throws IOException, InterruptedException
    {
        final String reason = "/".equals(input) ? "cannot be read: Is a directory" :
            "longer than " + (1 << 24) + " bytes; is this the right file?";
        // A directory is standard input by way of a shell alone.
        final Process process = new ProcessBuilder("sh", "-c", "exec \"$0\" \"$@\" < " + input,
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-cp",
            System.getProperty("java.class.path"), Millrace.class.getName(), "apply", "-f", "-").start();
        assertEquals("millrace apply: standard input: " + reason + "\n", errors(process, ExitCode.USAGE));
        if (input.startsWith("/dev"))
        {
            assertEquals("millrace apply: " + input + ": " + reason + "\n", errors(
                start(Redirect.PIPE, Redirect.from(new File("/dev/null")), "apply", "-f", input), ExitCode.USAGE));
        }
    }
}

package io.millrace.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A command as the launcher runs it, in this process, with what it printed. Standard streams are this process's: one
 * at a time.
 *
 * @param exitCode of it.
 * @param out      standard output.
 * @param err      standard error.
 */
record CommandRun(int exitCode, String out, String err)
{
    static final String UNSTORED = "note: not stored, as there is no manager: it lasts until the data plane ends; " +
        "put it into its configuration file, or run 'millrace manager'\n";

    static CommandRun of(final String... args)
    {
        return withInput("", args);
    }

    static CommandRun withInput(final String input, final String... args)
    {
        final PrintStream outBefore = System.out;
        final PrintStream errBefore = System.err;
        final InputStream inBefore = System.in;
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        try (PrintStream outStream = new PrintStream(out, true, StandardCharsets.UTF_8);
            PrintStream errStream = new PrintStream(err, true, StandardCharsets.UTF_8))
        {
            System.setOut(outStream);
            System.setErr(errStream);
            System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
            final int exitCode = Millrace.commandLine(args)
                .setOut(new PrintWriter(outStream, true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(errStream, true, StandardCharsets.UTF_8)).execute(args);
            outStream.flush();
            errStream.flush();
            return new CommandRun(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        }
        finally
        {
            System.setOut(outBefore);
            System.setErr(errBefore);
            System.setIn(inBefore);
        }
    }

    /** {@return standard error without the note that follows every change of a data plane without a manager} */
    String errors()
    {
        return err.replace(UNSTORED, "");
    }

    List<String> lines()
    {
        return out.lines().toList();
    }
}

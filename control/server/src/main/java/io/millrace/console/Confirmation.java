package io.millrace.console;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Locale;
import picocli.CommandLine.Option;

/**
 * Asks for confirmation of what cannot be undone if standard input is a terminal; else requires {@code --yes}. Options
 * of a command line.
 */
public final class Confirmation
{
    @Option(names = {"-y", "--yes"}, description = "Do it without asking.")
    private boolean yes;

    /**
     * Called by picocli.
     */
    public Confirmation()
    {
    }

    /**
     * Returns if the action is confirmed.
     *
     * @param terminal to ask on.
     * @param what     would be done and what that means, a sentence without its full stop.
     * @throws CommandException if it is not confirmed.
     */
    public void require(final Terminal terminal, final String what)
    {
        if (!yes)
        {
            ask(terminal, what, "--yes");
        }
    }

    /**
     * Asks a person; returns when the answer is yes.
     *
     * @param terminal to ask on.
     * @param what     would be done and what that means, a sentence without its full stop.
     * @param option   that says yes where nobody can be asked.
     * @throws CommandException when the answer is no, or nobody can be asked.
     */
    public static void ask(final Terminal terminal, final String what, final String option)
    {
        if (!Terminal.isInputInteractive())
        {
            throw new CommandException(ExitCode.USAGE, what + ": add " + option + " to confirm");
        }
        terminal.ask(what + ". Continue? [y/N] ");
        final String answer = read().strip().toLowerCase(Locale.ROOT);
        if (!"y".equals(answer) && !"yes".equals(answer))
        {
            throw new CommandException(ExitCode.FAILURE, "nothing was done");
        }
    }

    private static String read()
    {
        try
        {
            final String line = new BufferedReader(
                new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
            return null == line ? "" : line;
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException(e);
        }
    }
}

package io.millrace.cli.local.drive;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Option;

/**
 * Confirmation of the printed steps.
 */
final class DriveConfirmation
{
    @Option(names = "--dry-run", description = "Show the steps without applying them.")
    private boolean isDryRun;

    @Option(names = {"-y", "--yes"}, description = "Do it without asking.")
    private boolean isYes;

    boolean isDryRun()
    {
        return isDryRun;
    }

    /**
     * {@return whether to apply the steps}
     *
     * @throws CommandException if the answer is no, or standard input is not a terminal.
     */
    boolean isGiven()
    {
        if (isDryRun || isYes)
        {
            return !isDryRun;
        }
        final Terminal terminal = Terminal.standard();
        if (!terminal.interactive() || null == System.console())
        {
            throw new CommandException(ExitCode.USAGE, "confirmation needed: add --yes, or --dry-run");
        }
        System.out.print("Continue? [y/N] ");
        System.out.flush();
        if (!answer().toLowerCase(Locale.ROOT).startsWith("y"))
        {
            throw new CommandException(ExitCode.FAILURE, "nothing was done");
        }
        return true;
    }

    private static String answer()
    {
        try
        {
            final String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            return null == line ? "" : line.strip();
        }
        catch (final IOException e)
        {
            return "";
        }
    }
}

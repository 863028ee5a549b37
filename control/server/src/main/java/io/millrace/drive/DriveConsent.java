package io.millrace.drive;

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
 * Whether what was shown is to be done.
 */
final class DriveConsent
{
    @Option(names = "--dry-run", description = "Show what would be done, and do nothing.")
    private boolean isDryRun;

    @Option(names = {"-y", "--yes"}, description = "Do it without asking.")
    private boolean isYes;

    boolean isDryRun()
    {
        return isDryRun;
    }

    /**
     * {@return whether to go on}
     *
     * @throws CommandException when nobody can be asked, or somebody said no.
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
            throw new CommandException(ExitCode.USAGE, "nobody is there to be asked: say --yes, or --dry-run");
        }
        System.out.print("Go on? [y/N] ");
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

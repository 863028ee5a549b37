package io.millrace.cli;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code millrace man}: manual pages.
 */
@Command(
    name = "man",
    description = "Print a manual page, or write all of them.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace man device create | man -l -",
        "  millrace man --directory ~/.local/share/man/man1"})
final class ManCommand implements Callable<Integer>
{
    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The command; without it millrace itself.")
    private List<String> words = List.of();

    @Option(names = {"-d", "--directory"}, paramLabel = "DIR",
        description = "Write the pages of all commands to this directory, which is created if missing.")
    private Path directory;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        if (null == directory)
        {
            Terminal.standard().text(new ManPage(HelpCommand.find(spec.root().commandLine(), words)).text());
            return ExitCode.OK;
        }
        if (!words.isEmpty())
        {
            throw new CommandException(ExitCode.USAGE, "--directory writes all pages: leave the command out");
        }
        final List<CommandLine> commands = new ArrayList<>();
        collect(spec.root().commandLine(), commands);
        try
        {
            Files.createDirectories(directory);
            for (final CommandLine each : commands)
            {
                Files.writeString(directory.resolve(ManPage.fileOf(each)), new ManPage(each).text());
            }
        }
        catch (final IOException e)
        {
            throw new CommandException(ExitCode.FAILURE, "--directory " + directory + " cannot be written to (" + e +
                "): name another", e);
        }
        Terminal.standard().line(commands.size() + " pages in " + directory);
        return ExitCode.OK;
    }

    private static void collect(final CommandLine command, final List<CommandLine> commands)
    {
        if (!command.getCommandSpec().usageMessage().hidden())
        {
            commands.add(command);
            command.getSubcommands().values().forEach((each) -> collect(each, commands));
        }
    }
}

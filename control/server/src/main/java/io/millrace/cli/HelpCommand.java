package io.millrace.cli;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.control.setting.Similar;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code millrace help}: the help of a command, as its option {@code --help} prints it.
 */
@Command(
    name = "help",
    description = "Print the help of a command, or the list of commands.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace help",
        "  millrace help device create"})
final class HelpCommand implements Runnable
{
    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "The command. Default: the list of commands.")
    private List<String> words = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public void run()
    {
        find(spec.root().commandLine(), words).usage(spec.commandLine().getOut());
    }

    /**
     * {@return the command that words name}
     *
     * @param root  to begin at.
     * @param words of the command line, without the name of the root.
     * @throws CommandException if there is no such command.
     */
    static CommandLine find(final CommandLine root, final List<String> words)
    {
        CommandLine found = root;
        for (final String word : words)
        {
            final CommandLine next = found.getSubcommands().get(word);
            if (null == next)
            {
                final String near = Similar.nearest(word, found.getSubcommands().keySet());
                throw new CommandException(ExitCode.USAGE, found.getCommandSpec().qualifiedName() +
                    " has no command '" + word + "'" + (null == near ? "" : "; did you mean " + near + "?"));
            }
            found = next;
        }
        return found;
    }
}

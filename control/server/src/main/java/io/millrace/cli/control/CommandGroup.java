package io.millrace.cli.control;

import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A command that needs a subcommand.
 */
abstract class CommandGroup implements Runnable
{
    @Spec
    private CommandSpec spec;

    @Override
    public final void run()
    {
        throw new ParameterException(spec.commandLine(), "no command given; one of " +
            spec.subcommands().keySet().stream().collect(Collectors.joining(", ")));
    }
}

package io.millrace.console;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * A command that has subcommands and does nothing by itself: without a subcommand it prints its help.
 */
public abstract class CommandGroup implements Runnable
{
    @Spec
    private CommandSpec spec;

    /**
     * Called by subclasses.
     */
    protected CommandGroup()
    {
    }

    @Override
    public final void run()
    {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}

package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandGroup;
import io.millrace.control.codec.Role;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code millrace reactor}: polling threads.
 */
@Command(
    name = "reactor",
    description = "List the polling threads of a data plane.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace reactor list",
        "  millrace top                    current load"})
public final class ReactorCommand extends CommandGroup
{
    /**
     * Called by picocli.
     */
    public ReactorCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List reactors, with their shares of busy time since the start.",
        footerHeading = "%nExamples:%n", footer = {"  millrace reactor list"})
    int list(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) -> output.print(Views.REACTORS, link.client().reactors()));
    }
}

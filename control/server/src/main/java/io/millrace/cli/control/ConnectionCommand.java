package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandGroup;
import io.millrace.control.codec.Role;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace connection}: queues of hosts, and the reactors that serve them.
 */
@Command(
    name = "connection",
    description = "List connections of hosts with their reactors.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace connection list"})
public final class ConnectionCommand extends CommandGroup
{
    /**
     * Called by picocli.
     */
    public ConnectionCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List connections of hosts: a queue each, with its reactor.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace connection list", "  millrace connection list nqn.2026-11.io.example:vol0 --json"})
    int list(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "SUBSYSTEM", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only connections to this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.CONNECTIONS, link.client().queuePairs(nqn)));
    }

}

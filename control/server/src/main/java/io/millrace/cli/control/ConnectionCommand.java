package io.millrace.cli.control;

import io.millrace.console.CommandGroup;
import io.millrace.control.codec.Role;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace connection}: queues of hosts, and the reactors that serve them.
 */
@Command(
    name = "connection",
    description = "List connections of hosts with their reactors, and move them to other reactors.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace connection list",
        "  millrace connection move nqn.2026-11.io.example:vol0 1 3 --to 2"})
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
        @Parameters(arity = "0..1", paramLabel = "NQN", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only connections to this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.CONNECTIONS, link.client().queuePairs(nqn)));
    }

    @Command(name = "move", mixinStandardHelpOptions = true,
        description = {
            "Move the connection of an I/O queue to another reactor.",
            "Waits for outstanding commands first; if they take more than a second, the connection is not moved."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace connection move nqn.2026-11.io.example:vol0 1 3 --to 2"})
    int move(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "NQN", completionCandidates = LiveNames.Subsystems.class,
            description = "Name of the subsystem.") final String nqn,
        @Parameters(index = "1", paramLabel = "ID", completionCandidates = LiveNames.Controllers.class,
            description = "ID of the controller.") final int controllerId,
        @Parameters(index = "2", paramLabel = "QUEUE", description = "Queue of the controller, from 1.")
        final int queueId,
        @Option(names = "--to", required = true, paramLabel = "REACTOR",
            completionCandidates = LiveNames.Reactors.class,
            description = "Index of the reactor, as 'reactor list' shows it.") final int reactor)
    {
        return control.report(Role.OPERATOR, (client) ->
        {
            client.moveConnection(nqn, controllerId, queueId, reactor);
            return "queue " + queueId + " of controller " + controllerId + " of " + nqn + " moved to reactor " +
                reactor;
        });
    }
}

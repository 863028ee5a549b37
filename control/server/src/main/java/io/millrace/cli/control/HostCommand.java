package io.millrace.cli.control;

import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControllerInfo;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace host}: who may connect, and who is connected.
 */
@Command(
    name = "host",
    description = "List, allow and deny hosts, and see and disconnect those that are connected.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace host allow nqn.2026-11.io.example:vol0 nqn.2014-08...",
        "  millrace host connected"})
public final class HostCommand extends Group
{
    /**
     * Made by the command line.
     */
    public HostCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List the hosts that subsystems let in by name.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace host list", "  millrace host list nqn.2026-11.io.example:vol0"})
    int list(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "NQN", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only of this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.HOSTS, link.client().hosts(nqn)));
    }

    @Command(name = "allow", mixinStandardHelpOptions = true,
        description = "Let hosts into a subsystem.", footerHeading = "%nExamples:%n", footer = {
            "  millrace host allow nqn.2026-11.io.example:vol0 $(cat /etc/nvme/hostnqn)"})
    int allow(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "NQN", completionCandidates = LiveNames.Subsystems.class,
            description = "Name of the subsystem.") final String nqn,
        @Parameters(index = "1..*", arity = "1..*", paramLabel = "HOST",
            completionCandidates = LiveNames.Hosts.class, description = "NQNs of the hosts.")
        final List<String> hosts)
    {
        return control.sayEach(Role.ADMINISTER, hosts, (client, host) ->
        {
            client.allowHost(nqn, host);
            return "host " + host + " let into " + nqn;
        });
    }

    @Command(name = "deny", mixinStandardHelpOptions = true,
        description = {
            "Take hosts off the list of a subsystem.", "They are disconnected, unless it lets every host in."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace host deny nqn.2026-11.io.example:vol0 nqn.2014-08..."})
    int deny(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Parameters(index = "0", paramLabel = "NQN", completionCandidates = LiveNames.Subsystems.class,
            description = "Name of the subsystem.") final String nqn,
        @Parameters(index = "1..*", arity = "1..*", paramLabel = "HOST",
            completionCandidates = LiveNames.AllowedHosts.class, description = "NQNs of the hosts.")
        final List<String> hosts)
    {
        return control.sayEach(Role.ADMINISTER, hosts,
            (link, host) -> new Losses(link, confirmation).ofHost(nqn, host), (client, host) ->
            {
                client.denyHost(nqn, host);
                return "host " + host + " taken off the list of " + nqn;
            });
    }

    @Command(name = "connected", mixinStandardHelpOptions = true,
        description = "List the hosts that are connected.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace host connected", "  millrace host connected nqn.2026-11.io.example:vol0 --json"})
    int connected(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "NQN", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only to this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.CONTROLLERS, link.client().controllers(nqn)));
    }

    @Command(name = "disconnect", mixinStandardHelpOptions = true,
        description = {
            "Disconnect a host from a subsystem. Asks first.",
            "The host may connect again at once, unless it is denied first."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace host disconnect nqn.2026-11.io.example:vol0 nqn.2014-08...",
            "  millrace host disconnect nqn.2026-11.io.example:vol0 3    by its ID"})
    int disconnect(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Parameters(paramLabel = "NQN", completionCandidates = LiveNames.Subsystems.class,
            description = "Name of the subsystem.") final String nqn,
        @Parameters(paramLabel = "HOST|ID",
            completionCandidates = LiveNames.ConnectedHosts.class,
            description = "NQN of the host, for all its controllers, or the ID of one.") final String host)
    {
        return control.run(Role.OPERATE, (link) ->
        {
            final List<ControllerInfo> found = link.client().controllers(nqn).stream().filter((each) ->
                each.hostNqn().equals(host) || Integer.toString(each.controllerId()).equals(host)).toList();
            if (found.isEmpty())
            {
                throw new CommandException(ExitCode.FAILURE, "host " + host + " is not connected to " + nqn +
                    "; 'millrace host connected' lists who is");
            }
            for (final ControllerInfo each : found)
            {
                new Losses(link, confirmation).ofController(nqn, each);
                link.client().disconnect(nqn, each.controllerId());
                Terminal.standard().line("controller " + each.controllerId() + " of host " + each.hostNqn() +
                    " disconnected");
            }
            return ExitCode.OK;
        });
    }
}

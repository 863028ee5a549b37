package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControllerInfo;
import io.millrace.control.message.HostInfo;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace host}: allowed and connected hosts.
 */
@Command(
    name = "host",
    description = "List, allow, deny and disconnect hosts.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace host allow nqn.2026-11.io.example:vol0 nqn.2014-08...",
        "  millrace host connected"})
public final class HostCommand extends CommandGroup
{
    /**
     * Called by picocli.
     */
    public HostCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List the allowed hosts of subsystems.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace host list", "  millrace host list nqn.2026-11.io.example:vol0"})
    int list(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "SUBSYSTEM", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only resources of this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.HOSTS, link.client().hosts(nqn)));
    }

    @Command(name = "allow", mixinStandardHelpOptions = true,
        description = "Allow hosts to connect to a subsystem.", footerHeading = "%nExamples:%n", footer = {
            "  millrace host allow nqn.2026-11.io.example:vol0 $(cat /etc/nvme/hostnqn)"})
    int allow(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "SUBSYSTEM", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(index = "1..*", arity = "1..*", paramLabel = "HOST",
            completionCandidates = LiveNames.Hosts.class, description = "NQNs of the hosts.")
        final List<String> hosts)
    {
        return control.reportEach(Role.ADMIN, hosts, (client, host) ->
        {
            client.allowHost(nqn, host);
            return "host " + host + " allowed on " + nqn;
        });
    }

    @Command(name = "deny", mixinStandardHelpOptions = true,
        description = {
            "Revoke the access of hosts to a subsystem.", "The hosts are disconnected, unless the subsystem allows " +
                "any host."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace host deny nqn.2026-11.io.example:vol0 nqn.2014-08..."})
    int deny(
        @Mixin final ControlOptions control,
        @Mixin final Removal removal,
        @Parameters(index = "0", paramLabel = "SUBSYSTEM", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(index = "1..*", arity = "1..*", paramLabel = "HOST",
            completionCandidates = LiveNames.AllowedHosts.class, description = "NQNs of the hosts.")
        final List<String> hosts)
    {
        return removal.run(control, Views.HOSTS, nqn, hosts, HostInfo::hostNqn,
            (check, host) -> check.confirmDenyHost(nqn, host), (client, host) ->
            {
                client.denyHost(nqn, host);
                return "host " + host + " denied on " + nqn;
            });
    }

    @Command(name = "connected", mixinStandardHelpOptions = true,
        description = "List the hosts that are connected.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace host connected", "  millrace host connected nqn.2026-11.io.example:vol0 --json"})
    int connected(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "SUBSYSTEM", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only connections to this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.CONTROLLERS, link.client().controllers(nqn)));
    }

    @Command(name = "disconnect", mixinStandardHelpOptions = true,
        description = {
            "Disconnect a host from a subsystem. Asks for confirmation.",
            "The host may reconnect at once, unless it is denied first."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace host disconnect nqn.2026-11.io.example:vol0 nqn.2014-08...",
            "  millrace host disconnect nqn.2026-11.io.example:vol0 3    by its ID"})
    int disconnect(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Parameters(paramLabel = "SUBSYSTEM", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(paramLabel = "HOST|ID",
            completionCandidates = LiveNames.ConnectedHosts.class,
            description = "NQN of the host, for all its controllers, or a controller ID.") final String host)
    {
        return control.run(Role.OPERATOR, (link) ->
        {
            final List<ControllerInfo> found = link.client().controllers("").stream().filter((each) ->
                each.nqn().equals(nqn) && (each.hostNqn().equals(host) ||
                Integer.toString(each.controllerId()).equals(host))).toList();
            if (found.isEmpty())
            {
                throw new CommandException(ExitCode.FAILURE, "host " + host + " is not connected to " + nqn +
                    "; 'millrace host connected' lists who is");
            }
            for (final ControllerInfo each : found)
            {
                new ImpactCheck(link, confirmation).confirmDisconnect(nqn, each);
                link.client().disconnect(nqn, each.controllerId());
                Terminal.standard().line("controller " + each.controllerId() + " of host " + each.hostNqn() +
                    " disconnected");
            }
            return ExitCode.OK;
        });
    }
}

package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandGroup;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Role;
import io.millrace.control.message.SubsystemInfo;
import io.millrace.control.message.SubsystemSpec;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace subsystem}: NVM subsystems.
 */
@Command(
    name = "subsystem",
    description = "List, create and delete subsystems, and allow any host.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace subsystem create nqn.2026-11.io.example:vol0 --allow-any-host",
        "  millrace subsystem list"})
public final class SubsystemCommand extends CommandGroup
{
    /**
     * Called by picocli.
     */
    public SubsystemCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List subsystems.", footerHeading = "%nExamples:%n", footer = {
            "  millrace subsystem list", "  millrace subsystem list nqn.2026-11.io.example:vol0 --json"})
    int list(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "NQN", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only this subsystem.") final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.SUBSYSTEMS, link.client().subsystems(nqn)));
    }

    @Command(name = "create", mixinStandardHelpOptions = true,
        description = "Create a subsystem.", footerHeading = "%nExamples:%n", footer = {
            "  millrace subsystem create nqn.2026-11.io.example:vol0 --allow-any-host",
            "  millrace subsystem create nqn.2026-11.io.example:vol0 --host nqn.2014-08..."})
    int create(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "NQN",
            description = "NQN of the subsystem, such as nqn.2026-11.io.example:vol0.") final String nqn,
        @Option(names = "--allow-any-host", description = "Allow any host.") final boolean allowAnyHost,
        @Option(names = "--host", paramLabel = "HOST", completionCandidates = LiveNames.Hosts.class,
            description = "NQN of a host to allow. Repeatable.")
        final List<String> hosts,
        @Option(names = "--serial", paramLabel = "TEXT", defaultValue = "",
            description = "Serial number that hosts see. Default: one made from the NQN.") final String serial,
        @Option(names = "--model", paramLabel = "TEXT", defaultValue = "",
            description = "Model number that hosts see. Default: Millrace.") final String model)
    {
        return control.run(Role.ADMIN, (link) ->
        {
            link.client().createSubsystem(new SubsystemSpec(nqn, allowAnyHost, serial, model));
            Terminal.standard().line(link.outcome("subsystem " + nqn + " created" +
                (allowAnyHost || null != hosts ? "" : "; it allows no host yet, see 'millrace host allow'")));
            for (final String host : null == hosts ? List.<String>of() : hosts)
            {
                link.client().allowHost(nqn, host);
                Terminal.standard().line(link.outcome("host " + host + " allowed"));
            }
            return ExitCode.OK;
        });
    }

    @Command(name = "delete", mixinStandardHelpOptions = true,
        description = {
            "Delete subsystems with their namespaces.", "Connected hosts are disconnected. Devices are kept."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace subsystem delete nqn.2026-11.io.example:vol0"})
    int delete(
        @Mixin final ControlOptions control,
        @Mixin final Removal removal,
        @Parameters(arity = "1..*", paramLabel = "NQN", completionCandidates = LiveNames.Subsystems.class,
            description = "Subsystems to delete.")
        final List<String> nqns)
    {
        return removal.run(control, Views.SUBSYSTEMS, "", nqns, SubsystemInfo::nqn,
            ImpactCheck::confirmDeleteSubsystem, (client, nqn) ->
            {
                client.deleteSubsystem(nqn);
                return "subsystem " + nqn + " deleted";
            });
    }

    /** Whether any host is allowed. */
    enum Permission
    {
        /** Every host. */
        yes,
        /** Those on the list. */
        no
    }

    @Command(name = "allow-any", mixinStandardHelpOptions = true,
        description = {
            "Allow any host, or only the allowed hosts.",
            "With 'no' connected hosts that are not allowed are disconnected."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace subsystem allow-any nqn.2026-11.io.example:vol0 no"})
    int allowAny(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Parameters(paramLabel = "NQN", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(arity = "0..1", paramLabel = "yes|no", defaultValue = "yes",
            description = "Whether any host is allowed. Default: yes.") final Permission permission)
    {
        return control.reportEach(Role.ADMIN, List.of(nqn), (link, name) ->
        {
            if (Permission.no == permission)
            {
                new ImpactCheck(link, confirmation).confirmRevokeAnyHost(name);
            }
        }, (client, name) ->
        {
            client.setAllowAnyHost(name, Permission.yes == permission);
            return "subsystem " + name + " allows " +
                (Permission.yes == permission ? "any host" : "listed hosts only");
        });
    }
}

package io.millrace.cli.control;

import io.millrace.cli.control.ListenerCommand.Endpoint;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.control.codec.AnaState;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.Transport;
import io.millrace.control.setting.SettingType;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace ana}: Asymmetric Namespace Access (ANA) states.
 */
@Command(
    name = "ana",
    description = {
        "List and set ANA states of groups of namespaces by listener.",
        "Hosts with several paths choose by them. A state applies until another is set, also to a listener that is " +
            "added later."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace ana set nqn.2026-11.io.example:vol0 inaccessible --listener 192.0.2.7",
        "  millrace ana list"})
public final class AnaCommand extends CommandGroup
{
    private static final int PORT_MAX = 0xFFFF;

    /**
     * Called by picocli.
     */
    public AnaCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = {
            "List the ANA states of groups that have namespaces, by listener.",
            "'any other' applies to listeners that do not exist yet; what is not listed is optimized."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace ana list", "  millrace ana list nqn.2026-11.io.example:vol0 --json"})
    int list(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "SUBSYSTEM", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only resources of this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.ANA, link.client().anaStates(nqn)));
    }

    @Command(name = "set", mixinStandardHelpOptions = true,
        description = {
            "Set the ANA state of a group at a listener and notify hosts.",
            "Where it takes access away, this returns when commands that came before have ended; a note names " +
                "devices that have not completed theirs within 5 s. A transition (change) holds I/O off for at most " +
                "limits.ana-transition-time and is not kept: when nobody ends it, it ends as inaccessible."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace ana set nqn.2026-11.io.example:vol0 non-optimized -l 192.0.2.7",
            "  millrace ana set nqn.2026-11.io.example:vol0 inaccessible --group 2",
            "  millrace ana set nqn.2026-11.io.example:vol0 optimized    everywhere"})
    int set(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Parameters(index = "0", paramLabel = "SUBSYSTEM", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(index = "1", paramLabel = "STATE", converter = AnaStateConverter.class,
            completionCandidates = AnaStateConverter.Candidates.class,
            description = "One of ${COMPLETION-CANDIDATES}.") final AnaState state,
        @Option(names = {"-l", "--listener"}, paramLabel = "ADDRESS[:PORT]",
            completionCandidates = LiveNames.Listeners.class, description =
            "Only at this listener, rdma:// before those of RDMA, vfio-user:// before directories; 0.0.0.0 and " +
                "[::] stand for every address with the port. Default port: 4420. " +
                "Default: all listeners.") final String listener,
        @Option(names = {"-g", "--group"}, paramLabel = "N",
            description = "Only this ANA group. Default: all groups.") final Integer group)
    {
        final Endpoint endpoint = null == listener ? null : Endpoint.of(listener);
        if (null != endpoint && Transport.VFIO_USER != endpoint.transport() &&
            (endpoint.port() < 1 || endpoint.port() > PORT_MAX))
        {
            throw new CommandException(ExitCode.USAGE, "--listener " + listener +
                ": port is not within 1 to " + PORT_MAX + "; give that of the listener");
        }
        if (null != group && group < 1)
        {
            throw new CommandException(ExitCode.USAGE, "--group " + group +
                ": is not within 1 to 128; choose another, or leave it out for all");
        }
        final int groupId = null == group ? 0 : group;
        return control.reportEach(Role.OPERATOR, List.of(nqn),
            (link, name) -> new ImpactCheck(link, confirmation).confirmSetAnaState(name, state, endpoint, groupId),
            (client, name) ->
            {
                client.setAnaState(name, null == endpoint ? Transport.TCP : endpoint.transport(),
                    null == endpoint ? "" : endpoint.address(), null == endpoint ? 0 : endpoint.port(), groupId, state);
                return (null == group ? "every ANA group" : "ANA group " + group) + " of " + nqn +
                    " is " + words(state) + " at " + (null == endpoint ? "every listener" : endpoint);
            });
    }

    private static String words(final AnaState state)
    {
        return AnaState.CHANGE == state ? "in transition" : SettingType.word(state);
    }
}

package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandGroup;
import io.millrace.control.codec.Role;
import io.millrace.control.message.NamespaceInfo;
import io.millrace.control.message.NamespaceSpec;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace namespace}: namespaces of subsystems.
 */
@Command(
    name = "namespace",
    description = "List, add and remove namespaces, each of which exports a device.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace namespace add nqn.2026-11.io.example:vol0 mem0",
        "  millrace namespace list"})
public final class NamespaceCommand extends CommandGroup
{
    private static final UUID NO_UUID = new UUID(0, 0);

    /**
     * Called by picocli.
     */
    public NamespaceCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List namespaces with their I/O counts since they were added.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace namespace list", "  millrace namespace list nqn.2026-11.io.example:vol0 --json"})
    int list(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "SUBSYSTEM", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only resources of this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.NAMESPACES, link.client().namespaces(nqn)));
    }

    @Command(name = "add", mixinStandardHelpOptions = true,
        description = "Add a namespace that exports a device; connected hosts are notified.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace namespace add nqn.2026-11.io.example:vol0 mem0",
            "  millrace namespace add nqn.2026-11.io.example:vol0 mem1 --nsid 7"})
    int add(
        @Mixin final ControlOptions control,
        @Parameters(paramLabel = "SUBSYSTEM", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(paramLabel = "DEVICE", completionCandidates = LiveNames.Devices.class,
            description = "Name of the device.") final String device,
        @Option(names = {"-i", "--nsid"}, paramLabel = "N", description = "Namespace ID. Default: the lowest free one.")
        final Integer nsid,
        @Option(names = {"-u", "--uuid"}, paramLabel = "UUID",
            description = "UUID that hosts see. Default: one made from subsystem, number and device.") final UUID uuid,
        @Option(names = {"-g", "--ana-group"}, paramLabel = "N", defaultValue = "" + NamespaceSpec.ANA_GROUP_DEFAULT,
            description = "ANA group of the namespace, 1 to 128. Default: ${DEFAULT-VALUE}.") final int anaGroup)
    {
        return control.report(Role.ADMIN, (client) ->
        {
            final int number = null == nsid ? lowestFree(client.namespaces(nqn)) : nsid;
            client.addNamespace(new NamespaceSpec(nqn, number, null == uuid ? NO_UUID : uuid, device, anaGroup));
            return "namespace " + number + " of " + nqn + " exports device " + device;
        });
    }

    private static int lowestFree(final List<NamespaceInfo> namespaces)
    {
        final Set<Integer> taken = new HashSet<>();
        namespaces.forEach((each) -> taken.add(each.nsid()));
        int nsid = 1;
        while (taken.contains(nsid))
        {
            nsid++;
        }
        return nsid;
    }

    @Command(name = "remove", mixinStandardHelpOptions = true,
        description = {
            "Remove namespaces; connected hosts are notified.", "Their devices are kept, and are free when the " +
                "command returns."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace namespace remove nqn.2026-11.io.example:vol0 1"})
    int remove(
        @Mixin final ControlOptions control,
        @Mixin final Removal removal,
        @Parameters(index = "0", paramLabel = "SUBSYSTEM", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(index = "1..*", arity = "1..*", paramLabel = "NSID",
            completionCandidates = LiveNames.Namespaces.class, description = "IDs of the namespaces.")
        final List<Integer> nsids)
    {
        return removal.run(control, Views.NAMESPACES, nqn, nsids, NamespaceInfo::nsid,
            (check, nsid) -> check.confirmRemoveNamespace(nqn, nsid), (client, nsid) ->
            {
                client.removeNamespace(nqn, nsid);
                return "namespace " + nsid + " of " + nqn + " removed";
            });
    }
}

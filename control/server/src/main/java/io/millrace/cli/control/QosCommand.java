package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.ByteSize;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.ExitCode;
import io.millrace.console.TimeSpan;
import io.millrace.control.codec.Role;
import io.millrace.control.message.QosSpec;
import io.millrace.control.state.QosLimits;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace qos}: limits of namespaces and hosts.
 */
@Command(
    name = "qos",
    description = {
        "List, set and clear limits of namespaces and hosts.",
        "A command over a limit waits and never fails. The limits of the host apply first, then those of the " +
            "namespace."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace qos set nqn.2026-11.io.example:vol0 1 --iops 20000 --burst 100ms",
        "  millrace qos list"})
public final class QosCommand extends CommandGroup
{
    private static final Pattern NSID = Pattern.compile("\\d{1,9}");

    /** The limits that can be given. */
    static final class Limits
    {
        @Option(names = "--iops", paramLabel = "N", description = "Reads and writes per second.")
        private Long iops;

        @Option(names = "--read-iops", paramLabel = "N", description = "Reads per second.")
        private Long readIops;

        @Option(names = "--write-iops", paramLabel = "N", description = "Writes per second.")
        private Long writeIops;

        @Option(names = "--bandwidth", paramLabel = "SIZE", converter = ByteSize.class,
            description = "Bytes of reads and writes per second, such as 200MiB.")
        private Long bytesPerSecond;

        @Option(names = "--read-bandwidth", paramLabel = "SIZE", converter = ByteSize.class,
            description = "Bytes of reads per second.")
        private Long readBytesPerSecond;

        @Option(names = "--write-bandwidth", paramLabel = "SIZE", converter = ByteSize.class,
            description = "Bytes of writes per second.")
        private Long writeBytesPerSecond;

        @Option(names = "--burst", paramLabel = "TIME", converter = TimeSpan.class,
            description = "Burst: unused capacity of this time may be used at once, 2ms to 10s. Default: 10ms.")
        private Long burstMs;

        /** A limit of 0 would be none; that of a data plane has bounds of its own. */
        private void check()
        {
            final Map<String, Long> given = new LinkedHashMap<>();
            given.put("iops", iops);
            given.put("read-iops", readIops);
            given.put("write-iops", writeIops);
            given.put("bandwidth", bytesPerSecond);
            given.put("read-bandwidth", readBytesPerSecond);
            given.put("write-bandwidth", writeBytesPerSecond);
            for (final QosLimits.Limit each : QosLimits.ALL)
            {
                final Long value = given.get(each.key());
                if (null != value && value <= 0)
                {
                    throw new CommandException(ExitCode.USAGE, "--" + each.key() + " = " + value +
                        ": out of range " + each.range() +
                        "; use a value in the range, or 'millrace qos clear', which removes limits");
                }
            }
        }
    }

    /**
     * Called by picocli.
     */
    public QosCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List limits, with the number of commands that waited since the limits were set.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace qos list", "  millrace qos list nqn.2026-11.io.example:vol0 --json"})
    int list(
        @Mixin final ControlOptions control,
        @Mixin final OutputOptions output,
        @Parameters(arity = "0..1", paramLabel = "SUBSYSTEM", defaultValue = "",
            completionCandidates = LiveNames.Subsystems.class, description = "Only resources of this subsystem.")
        final String nqn)
    {
        return control.run(Role.READ, (link) -> output.print(Views.QOS, link.client().qos(nqn)));
    }

    @Command(name = "set", mixinStandardHelpOptions = true,
        description = {
            "Limit a namespace (all hosts together) or a host (all namespaces of the subsystem together).",
            "The given limits replace all former ones at once, also for commands that wait."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace qos set nqn.2026-11.io.example:vol0 1 --iops 20000",
            "  millrace qos set nqn.2026-11.io.example:vol0 1 --write-bandwidth 200MiB",
            "  millrace qos set nqn.2026-11.io.example:vol0 nqn.2014-08... --read-iops 5000"})
    int set(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "SUBSYSTEM", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(index = "1", paramLabel = "NSID|HOST", completionCandidates = LiveNames.NamespacesAndHosts.class,
            description = "ID of the namespace, or NQN of the host, which need not be connected.")
        final String limited,
        @ArgGroup(validate = false, heading = "%nLimits, at least one:%n") final Limits limits)
    {
        final QosSpec qos = spec(nqn, limited, null == limits ? new Limits() : limits);
        if (null != limits)
        {
            limits.check();
        }
        if (QosLimits.isNone(qos))
        {
            throw new CommandException(ExitCode.USAGE, "no limit is given: add " + QosLimits.ALL.stream()
                .map((each) -> "--" + each.key()).collect(Collectors.joining(", ")) +
                "; 'millrace qos clear' removes limits");
        }
        return control.report(Role.OPERATOR, (client) ->
        {
            client.setQos(qos);
            return QosLimits.subject(qos) + " is limited to " + QosLimits.text(qos);
        });
    }

    @Command(name = "clear", mixinStandardHelpOptions = true,
        description = "Remove the limits of a namespace or a host; waiting commands continue.",
        footerHeading = "%nExamples:%n", footer = {
            "  millrace qos clear nqn.2026-11.io.example:vol0 1"})
    int clear(
        @Mixin final ControlOptions control,
        @Parameters(index = "0", paramLabel = "SUBSYSTEM", completionCandidates = LiveNames.Subsystems.class,
            description = "NQN of the subsystem.") final String nqn,
        @Parameters(index = "1", paramLabel = "NSID|HOST", completionCandidates = LiveNames.NamespacesAndHosts.class,
            description = "ID of the namespace, or NQN of the host.") final String limited)
    {
        final QosSpec none = spec(nqn, limited, new Limits());
        return control.report(Role.OPERATOR, (client) ->
        {
            client.setQos(none);
            return QosLimits.subject(none) + " is not limited";
        });
    }

    private static QosSpec spec(final String nqn, final String limited, final Limits limits)
    {
        final boolean isNamespace = NSID.matcher(limited).matches();
        if (isNamespace && 0 == Integer.parseInt(limited))
        {
            throw new CommandException(ExitCode.USAGE, "'" + limited +
                "' is no namespace: numbers begin with 1; 'millrace namespace list' shows them");
        }
        return new QosSpec(nqn, isNamespace ? Integer.parseInt(limited) : 0, isNamespace ? "" : limited,
            of(limits.readIops), of(limits.writeIops), of(limits.iops), of(limits.readBytesPerSecond),
            of(limits.writeBytesPerSecond), of(limits.bytesPerSecond),
            (int)Math.min(of(limits.burstMs), Integer.MAX_VALUE));
    }

    /** 0 is no limit. */
    private static long of(final Long limit)
    {
        return null == limit ? 0 : limit;
    }
}

package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.Patience;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace watch}: what is changed, as it happens.
 */
@Command(
    name = "watch",
    description = {
        "Print what is created, changed and deleted, a line each, until Ctrl-C.",
        "Goes on when the process is started again, and says so. 'events' tells of hosts that come and go too."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace watch",
        "  millrace watch devices namespaces",
        "  millrace watch --json | jq -r .name"})
public final class WatchCommand implements Callable<Integer>
{
    private static final Set<Change> CHANGES = EnumSet.of(
        Change.CREATED, Change.DELETED, Change.CHANGED, Change.FAILED);

    @Mixin
    private ControlOptions control;

    @Parameters(arity = "0..*", paramLabel = "KIND", converter = KindConverter.class,
        completionCandidates = KindConverter.Candidates.class, description = "Only these kinds. Default: all.")
    private List<View<?>> kinds = List.of();

    @Option(names = "--json", description = "Print a JSON object a line.")
    private boolean json;

    @Option(names = {"-c", "--count"}, paramLabel = "N", defaultValue = "0", description = "End after so many lines.")
    private long count;

    /**
     * Made by the command line.
     */
    public WatchCommand()
    {
    }

    @Override
    public Integer call()
    {
        final EventStream stream = new EventStream(Terminal.standard(), json, (event) ->
            CHANGES.contains(event.change()) &&
            (kinds.isEmpty() || kinds.stream().anyMatch((view) -> view.kind() == event.kind())), count);
        return control.run(Role.READ, Patience.SHORT, stream, (link) -> stream.run(link, StopSignal.install()));
    }
}

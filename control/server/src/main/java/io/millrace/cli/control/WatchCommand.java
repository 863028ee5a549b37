package io.millrace.cli.control;

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
 * {@code millrace watch}: changes of resources as they happen.
 */
@Command(
    name = "watch",
    description = {
        "Print created, changed and deleted resources, one per line, until Ctrl-C.",
        "Continues after a restart of the process. 'events' also reports hosts that connect and disconnect."},
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

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Option(names = {"-c", "--count"}, paramLabel = "N", defaultValue = "0", description = "Stop after N lines.")
    private long count;

    /**
     * Called by picocli.
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
        return control.runOnAll(Role.READ, stream::listener, (links) ->
            stream.run(links.values(), StopSignal.install()));
    }
}

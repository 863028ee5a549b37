package io.millrace.cli.control;

import io.millrace.cli.control.view.KindConverter;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

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

    @Parameters(arity = "0..*", paramLabel = "KIND",
        completionCandidates = KindConverter.Candidates.class, description = "Only these kinds. Default: all.")
    private List<String> names = List.of();

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Option(names = {"-c", "--count"}, paramLabel = "N", description = "Stop after N lines. Default: until Ctrl-C.")
    private Long count;

    /**
     * Called by picocli.
     */
    public WatchCommand()
    {
    }

    @Override
    public Integer call()
    {
        final Set<Kind> kinds = names.stream().map(WatchCommand::kind).collect(Collectors.toSet());
        final EventStream stream = new EventStream(Terminal.standard(), json, (event) ->
            CHANGES.contains(event.change()) &&
            (kinds.isEmpty() || kinds.contains(event.kind())), EventStream.limit(count));
        return control.runOnAll(Role.READ, stream::listener, (links) ->
            stream.run(links.values(), StopSignal.install()));
    }

    /** The parser takes a value of a list that it cannot convert for a parameter too many. */
    private static Kind kind(final String name)
    {
        try
        {
            return new KindConverter().convert(name).kind();
        }
        catch (final TypeConversionException e)
        {
            throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
        }
    }
}

package io.millrace.cli.control;

import io.millrace.cli.control.view.KindConverter;
import io.millrace.cli.control.view.View;
import io.millrace.console.StopSignal;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Change;
import io.millrace.control.codec.Role;
import io.millrace.control.message.ControlEvent;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace events}: all events.
 */
@Command(
    name = "events",
    description = "Print all events, connects and disconnects of hosts included, one per line, until Ctrl-C.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace events",
        "  millrace events --change connected --change disconnected",
        "  millrace events --kind controller --name 'nqn.2026-11.io.example:*'"})
public final class EventsCommand implements Callable<Integer>
{
    /** Changes that events report: values of the option. */
    enum ChangeFilter
    {
        /** Something was created. */
        created(Change.CREATED),
        /** Something was deleted. */
        deleted(Change.DELETED),
        /** Something was changed. */
        changed(Change.CHANGED),
        /** A host connected. */
        connected(Change.CONNECTED),
        /** A host disconnected. */
        disconnected(Change.DISCONNECTED),
        /** A host was rejected. */
        refused(Change.REFUSED),
        /** A device had an error. */
        failed(Change.FAILED);

        private final Change change;

        ChangeFilter(final Change change)
        {
            this.change = change;
        }
    }

    @Mixin
    private ControlOptions control;

    @Option(names = {"-k", "--kind"}, paramLabel = "KIND", converter = KindConverter.class,
        completionCandidates = KindConverter.Candidates.class,
        description = "Only events of this kind of resource, such as ${COMPLETION-CANDIDATES}. Repeatable.")
    private List<View<?>> kinds = List.of();

    @Option(names = {"-e", "--change"}, paramLabel = "CHANGE",
        description = "Only events with this change: ${COMPLETION-CANDIDATES}. Repeatable.")
    private List<ChangeFilter> changes = List.of();

    @Option(names = "--name", paramLabel = "PATTERN", description = "Only events of names that match; * matches any " +
        "text.")
    private String name;

    @Option(names = "--json", description = "Print one JSON object per line.")
    private boolean json;

    @Option(names = {"-c", "--count"}, paramLabel = "N", description = "Stop after N lines. Default: until Ctrl-C.")
    private Long count;

    /**
     * Called by picocli.
     */
    public EventsCommand()
    {
    }

    @Override
    public Integer call()
    {
        final Pattern pattern = null == name ? null :
            Pattern.compile("\\Q" + name.replace("*", "\\E.*\\Q") + "\\E");
        final EventStream stream = new EventStream(
            Terminal.standard(), json, (event) -> isWanted(event, pattern), EventStream.limit(count));
        return control.runOnAll(Role.READ, stream::listener, (links) ->
            stream.run(links.values(), StopSignal.install()));
    }

    private boolean isWanted(final ControlEvent event, final Pattern pattern)
    {
        return (kinds.isEmpty() || kinds.stream().anyMatch((view) -> view.kind() == event.kind())) &&
            (changes.isEmpty() || changes.stream().anyMatch((each) -> each.change == event.change())) &&
            (null == pattern || pattern.matcher(event.name()).matches());
    }
}

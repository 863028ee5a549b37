package io.millrace.cli.control;

import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command.List;
import io.millrace.control.message.Resource;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace get}: what is there, of one kind or all.
 */
@Command(
    name = "get",
    description = {
        "Show what is there, of one kind or all.",
        "Without KIND, yaml is a document that 'millrace apply' and 'millrace serve' take."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace get                                   all there is, in tables",
        "  millrace get --output yaml > state.yaml        to change and apply again",
        "  millrace get devices",
        "  millrace get namespaces nqn.2026-11.io.example:vol0 --output json"})
public final class GetCommand implements Callable<Integer>
{
    private static final View<?>[] STATE = {
        Views.DEVICES, Views.SUBSYSTEMS, Views.NAMESPACES, Views.HOSTS, Views.LISTENERS, Views.ANA, Views.QOS};

    @Mixin
    private ControlOptions control;

    @Mixin
    private OutputOptions output;

    @Parameters(index = "0", arity = "0..1", paramLabel = "KIND", converter = KindConverter.class,
        completionCandidates = KindConverter.Candidates.class,
        description = "One of ${COMPLETION-CANDIDATES}.")
    private View<?> kind;

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", defaultValue = "",
        completionCandidates = LiveNames.OfKind.class,
        description = "Name of one device or data plane, or of the subsystem that namespaces, hosts, ANA states, " +
            "limits and controllers are of.")
    private String name;

    /**
     * Made by the command line.
     */
    public GetCommand()
    {
    }

    @Override
    public Integer call()
    {
        return control.run(Role.READ, null == kind ? this::all : (link) -> one(link, kind));
    }

    private <T extends Resource> int one(final ControlLink link, final View<T> view)
    {
        return output.print(view, view.cast(link.client().execute(new List(view.kind(), name)).resources()));
    }

    private int all(final ControlLink link)
    {
        final Terminal terminal = Terminal.standard();
        switch (output.format())
        {
            case yaml -> terminal.text(StateDocument.writeServed(DesiredState.of(Reports.state(link))));
            case json ->
            {
                final Map<String, Object> all = new LinkedHashMap<>();
                for (final View<?> each : STATE)
                {
                    all.put(key(each), maps(link, each));
                }
                terminal.line(Json.write(all));
            }
            case table ->
            {
                for (final View<?> each : STATE)
                {
                    one(link, each);
                    terminal.line();
                }
            }
        }
        return ExitCode.OK;
    }

    /** Kinds have keys of one word. */
    private static String key(final View<?> view)
    {
        return Views.ANA == view ? "ana" : Views.QOS == view ? "qos" : view.plural();
    }

    private static <T extends Resource> java.util.List<Map<String, Object>> maps(
        final ControlLink link, final View<T> view)
    {
        return view.maps(view.cast(link.client().execute(new List(view.kind(), "")).resources()));
    }
}

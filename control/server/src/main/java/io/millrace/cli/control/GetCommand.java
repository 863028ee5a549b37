package io.millrace.cli.control;

import io.millrace.cli.control.view.Format;
import io.millrace.cli.control.view.KindConverter;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.View;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Kind;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command.List;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.Resource;
import io.millrace.control.state.StateRecords;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code millrace get}: the desired or the actual state, of one kind or all.
 */
@Command(
    name = "get",
    description = {
        "Show the desired state of a manager, or the resources of a data plane: of one kind, or all.",
        "Without KIND, yaml is a document that 'millrace apply' and 'millrace serve' take. The desired state is " +
            "available while the data plane is down; --actual shows the actual state, with I/O counts. Of several " +
            "data planes, json is an array of objects with data-plane, and yaml a document each."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace get                                   all resources, in tables",
        "  millrace get --output yaml > state.yaml        to edit and apply",
        "  millrace get devices",
        "  millrace get namespaces --actual               with their I/O counts",
        "  millrace get namespaces nqn.2026-11.io.example:vol0 --output json"})
public final class GetCommand implements Callable<Integer>
{
    /** Kinds that a manager lists of all its data planes by itself. */
    private static final Set<Kind> OF_MANAGER = EnumSet.of(Kind.MANAGED, Kind.AUDIT, Kind.DRIFT);

    @Mixin
    private ControlOptions control;

    @Mixin
    private OutputOptions output;

    @Option(names = "--actual",
        description = "Show the actual state of the data plane instead of the manager's desired state.")
    private boolean actual;

    @Parameters(index = "0", arity = "0..1", paramLabel = "KIND", converter = KindConverter.class,
        completionCandidates = KindConverter.Candidates.class,
        description = "One of ${COMPLETION-CANDIDATES}.")
    private View<?> kind;

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", defaultValue = "",
        completionCandidates = LiveNames.OfKind.class,
        description = "Name of one device or data plane, or of the subsystem that namespaces, hosts, ANA states, " +
            "limits and controllers are of.")
    private String name;

    /** Data planes that did not answer for one kind, and are not asked for others. */
    private final Set<String> notShown = new HashSet<>();

    /**
     * Called by picocli.
     */
    public GetCommand()
    {
    }

    @Override
    public Integer call()
    {
        return control.run(Role.READ, (link) ->
        {
            if (null != kind && !OF_MANAGER.contains(kind.kind()) && link.isManager() && link.needsDataPlane())
            {
                return Kind.DATA_PLANE == kind.kind() ?
                    output.print(Views.MANAGED, link.client().manager().managed(name)) : ofEach(link, kind);
            }
            if (null == kind && link.isManager() && link.needsDataPlane())
            {
                return Format.table == output.format() ? allOfEach(link) : documentOfEach(link);
            }
            final StatePrinter printer = printer(link);
            return null == kind ? printer.all() : printer.one(kind, name);
        });
    }

    /** JSON: an array with an object for each data plane. YAML: a document for each, so that it can be applied. */
    private int documentOfEach(final ControlLink link)
    {
        final Terminal terminal = Terminal.standard();
        final java.util.List<Map<String, Object>> states = new ArrayList<>();
        final int exitCode = forEach(link, (name, own) ->
        {
            if (Format.yaml == output.format())
            {
                terminal.text("---\n# data-plane: " + name + '\n' + printer(own).document());
                return;
            }
            final Map<String, Object> state = new LinkedHashMap<>();
            state.put("data-plane", name);
            state.putAll(printer(own).map());
            states.add(state);
        });
        if (Format.json == output.format())
        {
            terminal.line(Json.write(states));
        }
        return exitCode;
    }

    /** A table of each kind, with the resources of all data planes. */
    private int allOfEach(final ControlLink link)
    {
        int exitCode = ExitCode.OK;
        for (final View<?> each : StatePrinter.STATE)
        {
            exitCode = Math.max(exitCode, ofEach(link, each));
            Terminal.standard().line();
        }
        return exitCode;
    }

    private StatePrinter printer(final ControlLink link)
    {
        return new StatePrinter(link, output, null == kind || StateRecords.KINDS.contains(kind.kind()) ?
            Reports.shown(link, actual) : List.ACTUAL);
    }

    /** Records of all data planes of a manager. One that does not answer is noted and makes the command fail. */
    private <T extends Resource> int ofEach(final ControlLink link, final View<T> view)
    {
        final Map<T, String> dataPlanes = new IdentityHashMap<>();
        final java.util.List<T> records = new ArrayList<>();
        final int exitCode = forEach(link, (dataPlane, own) ->
        {
            for (final T record : printer(own).records(view, name))
            {
                records.add(record);
                dataPlanes.put(record, dataPlane);
            }
        });
        output.print(view.withDataPlane(dataPlanes), records);
        return exitCode;
    }

    private int forEach(final ControlLink link, final BiConsumer<String, ControlLink> action)
    {
        int exitCode = ExitCode.OK;
        for (final ManagedInfo each : link.client().manager().managed(""))
        {
            if (notShown.contains(each.name()))
            {
                continue;
            }
            try
            {
                control.runOn(each.name(), Role.READ, (own) ->
                {
                    action.accept(each.name(), own);
                    return ExitCode.OK;
                });
            }
            catch (final CommandException e)
            {
                Terminal.standardError().line("note: data plane " + each.name() + " is not shown: " + e.getMessage());
                notShown.add(each.name());
                exitCode = ExitCode.FAILURE;
            }
        }
        return exitCode;
    }
}

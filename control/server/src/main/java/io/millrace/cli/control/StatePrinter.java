package io.millrace.cli.control;

import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.View;
import io.millrace.cli.control.view.Views;
import io.millrace.console.ExitCode;
import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.control.message.Command;
import io.millrace.control.message.Resource;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateDocument;
import io.millrace.control.state.StateRecords;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Prints the actual state, the desired state or a version. One thread.
 */
final class StatePrinter
{
    static final View<?>[] STATE = {
        Views.DEVICES, Views.SUBSYSTEMS, Views.NAMESPACES, Views.HOSTS, Views.LISTENERS, Views.ANA, Views.QOS};

    private final ControlLink link;
    private final OutputOptions output;
    private final long version;

    StatePrinter(final ControlLink link, final OutputOptions output, final long version)
    {
        this.link = link;
        this.output = output;
        this.version = version;
    }

    /** Records of one kind. */
    <T extends Resource> int one(final View<T> view, final String name)
    {
        return output.print(view, records(view, name));
    }

    <T extends Resource> List<T> records(final View<T> view, final String name)
    {
        return view.cast(link.client().execute(list(view, name)).resources());
    }

    /** Resources that are not part of a state are always current ones. */
    private Command.List list(final View<?> view, final String name)
    {
        return new Command.List(view.kind(), name,
            StateRecords.KINDS.contains(view.kind()) ? version : Command.List.ACTUAL);
    }

    /** All resources; as YAML a document that can be applied. */
    int all()
    {
        final Terminal terminal = Terminal.standard();
        switch (output.format())
        {
            case yaml -> terminal.text(StateDocument.write(state()));
            case json -> terminal.line(Json.write(map()));
            case table ->
            {
                for (final View<?> each : STATE)
                {
                    one(each, "");
                    terminal.line();
                }
            }
        }
        return ExitCode.OK;
    }

    /** All resources, by kind, for programs. */
    Map<String, Object> map()
    {
        final Map<String, Object> all = new LinkedHashMap<>();
        for (final View<?> each : STATE)
        {
            all.put(key(each), maps(each));
        }
        return all;
    }

    /** The state in YAML. */
    String document()
    {
        return StateDocument.write(state());
    }

    private DesiredState state()
    {
        return DesiredState.of(Reports.state(link, version));
    }

    /** Kinds have keys of one word. */
    private static String key(final View<?> view)
    {
        return Views.ANA == view ? "ana" : Views.QOS == view ? "qos" : view.plural();
    }

    private <T extends Resource> List<Map<String, Object>> maps(final View<T> view)
    {
        return view.maps(view.cast(link.client().execute(list(view, "")).resources()));
    }
}

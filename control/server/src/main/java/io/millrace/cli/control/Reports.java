package io.millrace.cli.control;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.Resource;
import io.millrace.control.state.StateRecords;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists of several kinds, requested at once. Stateless.
 */
final class Reports
{
    private Reports()
    {
    }

    /** All resources of the actual state. */
    static List<Resource> state(final ControlLink link)
    {
        return state(link, Command.List.ACTUAL);
    }

    /** All resources of a state: the actual state, or a version of a manager. */
    static List<Resource> state(final ControlLink link, final long version)
    {
        return of(link, StateRecords.KINDS.stream().map((kind) -> new Command.List(kind, "", version))
            .toArray(Command[]::new));
    }

    /** State that 'get' shows by default: of a manager the desired state. */
    static long shown(final ControlLink link, final boolean isActual)
    {
        return !isActual && link.isManager() ? Command.List.DESIRED : Command.List.ACTUAL;
    }

    static List<Resource> of(final ControlLink link, final Kind... kinds)
    {
        final Command[] commands = new Command[kinds.length];
        for (int i = 0; i < kinds.length; i++)
        {
            commands[i] = new Command.List(kinds[i], "");
        }
        return of(link, commands);
    }

    private static List<Resource> of(final ControlLink link, final Command... commands)
    {
        final List<Resource> resources = new ArrayList<>();
        for (final Call call : link.all(commands))
        {
            resources.addAll(call.orThrow().resources());
        }
        return resources;
    }
}

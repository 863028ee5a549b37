package io.millrace.cli.control;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.Resource;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists of several kinds, asked for at once. Stateless.
 */
final class Reports
{
    private Reports()
    {
    }

    /** All that a state consists of. */
    static List<Resource> state(final ControlLink link)
    {
        return of(link, Kind.DEVICE, Kind.SUBSYSTEM, Kind.NAMESPACE, Kind.HOST, Kind.LISTENER, Kind.ANA, Kind.QOS);
    }

    static List<Resource> of(final ControlLink link, final Kind... kinds)
    {
        final Command[] commands = new Command[kinds.length];
        for (int i = 0; i < kinds.length; i++)
        {
            commands[i] = new Command.List(kinds[i], "");
        }
        final List<Resource> resources = new ArrayList<>();
        for (final Call call : link.all(commands))
        {
            resources.addAll(call.orThrow().resources());
        }
        return resources;
    }
}

package io.millrace.manager.change;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.service.Reply;
import io.millrace.manager.store.Refusal;
import io.millrace.manager.store.VersionHeader;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Replies to commands before the last restart of the manager, so that a repeated command gets the same reply. Refused
 * commands are not retried either, as later ones are applied already. Commands of this process are in the reply cache
 * of the service. The manager's thread.
 */
public final class RecentCommands
{
    private static final int COMMANDS_MAX = 16 * 1024;

    /** Made a version, or was refused. */
    private record Outcome(long version, Refusal refusal)
    {
    }

    private final Map<CommandId, Outcome> outcomes = new LinkedHashMap<>();

    /** Knows no commands yet. */
    public RecentCommands()
    {
    }

    /**
     * Adds the commands of versions.
     *
     * @param history headers of versions, the oldest first.
     */
    public void add(final List<VersionHeader> history)
    {
        for (final VersionHeader each : history)
        {
            each.commands().forEach((id) -> outcomes.put(id, new Outcome(each.version(), null)));
            each.refused().forEach((refusal) -> outcomes.put(refusal.id(), new Outcome(0, refusal)));
        }
        for (final Iterator<CommandId> i = outcomes.keySet().iterator(); outcomes.size() > COMMANDS_MAX; )
        {
            i.next();
            i.remove();
        }
    }

    /**
     * Finds the reply to a command that is repeated.
     *
     * @param id      of the command.
     * @param command itself.
     * @return its reply; null: unknown.
     */
    public Reply replyTo(final CommandId id, final Command command)
    {
        final Outcome outcome = outcomes.get(id);
        return null == outcome ? null : null == outcome.refusal() ?
            new Reply(Code.OK, ChangeRequest.valueOf(command, outcome.version()),
                "already applied in version " + outcome.version()) :
            Reply.refused(outcome.refusal().code(), outcome.refusal().text());
    }
}

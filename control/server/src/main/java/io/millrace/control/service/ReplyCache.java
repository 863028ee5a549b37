package io.millrace.control.service;

import io.millrace.control.message.CommandId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Replies to executed commands, so that a repeated command is not executed twice. Holds all commands in progress and
 * the last {@link #FINISHED_MAX} completed ones. The service's thread.
 */
final class ReplyCache
{
    /** Several windows of several clients. */
    static final int FINISHED_MAX = 16 * 1024;

    private final Map<CommandId, PendingCommand> pending = new HashMap<>();
    private final Map<CommandId, Reply> finished = new LinkedHashMap<>();

    /** The reply to the command, or null. */
    Reply finished(final CommandId id)
    {
        return CommandId.NONE.equals(id) ? null : finished.get(id);
    }

    /** The command in progress, or null. */
    PendingCommand pending(final CommandId id)
    {
        return CommandId.NONE.equals(id) ? null : pending.get(id);
    }

    void begin(final PendingCommand work)
    {
        if (!CommandId.NONE.equals(work.id()))
        {
            pending.put(work.id(), work);
        }
    }

    void end(final PendingCommand work, final Reply reply)
    {
        if (!CommandId.NONE.equals(work.id()))
        {
            pending.remove(work.id());
            finished.put(work.id(), reply);
            if (finished.size() > FINISHED_MAX)
            {
                finished.remove(finished.keySet().iterator().next());
            }
        }
    }
}

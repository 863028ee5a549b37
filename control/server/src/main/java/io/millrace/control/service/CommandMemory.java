package io.millrace.control.service;

import io.millrace.control.message.CommandId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which commands were carried out and how they were answered, so that a repeated one does nothing twice. Those under
 * way are all there; of those that ended the last {@link #FINISHED_MAX}. The service's thread.
 */
final class CommandMemory
{
    /** Several windows of commands of several clients. */
    static final int FINISHED_MAX = 16 * 1024;

    private final Map<CommandId, Work> pending = new HashMap<>();
    private final Map<CommandId, Reply> finished = new LinkedHashMap<>();

    /** How the command was answered, or null. */
    Reply finished(final CommandId id)
    {
        return CommandId.NONE.equals(id) ? null : finished.get(id);
    }

    /** The command that is under way, or null. */
    Work pending(final CommandId id)
    {
        return CommandId.NONE.equals(id) ? null : pending.get(id);
    }

    void begin(final Work work)
    {
        if (!CommandId.NONE.equals(work.id()))
        {
            pending.put(work.id(), work);
        }
    }

    void end(final Work work, final Reply reply)
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

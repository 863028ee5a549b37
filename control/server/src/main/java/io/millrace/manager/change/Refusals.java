package io.millrace.manager.change;

import io.millrace.control.message.CommandId;
import io.millrace.control.service.Reply;
import io.millrace.manager.store.Refusal;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Refused commands, saved with the next version: a command repeated after a restart must not be applied to a later
 * state. Holds the last {@value #MAX}, enough for the unanswered commands of several sessions. The manager's thread.
 */
public final class Refusals
{
    static final int MAX = 4 * 1024;

    private final ArrayDeque<Refusal> refusals = new ArrayDeque<>();

    /** Holds none yet. */
    public Refusals()
    {
    }

    /**
     * Adds a refusal. A command without an id cannot be repeated, and is not kept.
     *
     * @param id    of the command.
     * @param reply that refuses it.
     */
    public void add(final CommandId id, final Reply reply)
    {
        if (!CommandId.NONE.equals(id))
        {
            add(new Refusal(id, reply.code(), reply.text()));
        }
    }

    void add(final Refusal refusal)
    {
        refusals.addLast(refusal);
        if (refusals.size() > MAX)
        {
            refusals.removeFirst();
        }
    }

    /** Removes and returns all, the oldest first. */
    List<Refusal> take()
    {
        final List<Refusal> taken = List.copyOf(refusals);
        refusals.clear();
        return taken;
    }
}

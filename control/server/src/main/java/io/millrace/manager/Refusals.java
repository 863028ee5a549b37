package io.millrace.manager;

import io.millrace.control.message.CommandId;
import io.millrace.control.service.Reply;
import io.millrace.manager.store.Refusal;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Refused commands that go with the next version: whoever repeats one after a new start finds what came behind it, and
 * must not have it tried on that. The last {@value #MAX} are kept: commands of several sessions that may be repeated,
 * since none was answered. The manager's thread.
 */
final class Refusals
{
    static final int MAX = 4 * 1024;

    private final ArrayDeque<Refusal> refusals = new ArrayDeque<>();

    /** A command without an id cannot be repeated, and is not kept. */
    void add(final CommandId id, final Reply reply)
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

    /** All there are, the oldest first; there are none then. */
    List<Refusal> take()
    {
        final List<Refusal> taken = List.copyOf(refusals);
        refusals.clear();
        return taken;
    }
}

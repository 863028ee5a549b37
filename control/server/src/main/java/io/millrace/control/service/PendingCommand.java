package io.millrace.control.service;

import io.millrace.control.message.Command;
import io.millrace.control.message.CommandHeader;
import io.millrace.control.message.CommandId;
import java.util.ArrayList;
import java.util.List;

/**
 * A modifying command in progress, with the sessions that wait for its answer: several if it was repeated. The agent's
 * thread.
 */
final class PendingCommand
{
    private record Waiter(Session session, long correlationId)
    {
    }

    private final Caller caller;
    private final CommandHeader header;
    private final Command command;
    private final List<Waiter> waiters = new ArrayList<>(1);

    /**
     * @param header that it came with first.
     */
    PendingCommand(final Caller caller, final CommandHeader header, final Command command)
    {
        this.caller = caller;
        this.header = header;
        this.command = command;
    }

    /** Who wanted it first. */
    Caller caller()
    {
        return caller;
    }

    CommandId id()
    {
        return header.commandId();
    }

    /** Of the manager that sent it; 0: none. */
    long term()
    {
        return header.term();
    }

    Command command()
    {
        return command;
    }

    void await(final Session session, final long correlationId)
    {
        waiters.add(new Waiter(session, correlationId));
        session.beginChange();
    }

    /** {@return whether a session waits for its answer} */
    boolean isAwaitedBy(final Session session)
    {
        return waiters.stream().anyMatch((waiter) -> session == waiter.session());
    }

    void answer(final Reply reply)
    {
        waiters.forEach((waiter) ->
        {
            waiter.session().endChange();
            waiter.session().answer(waiter.correlationId(), reply);
        });
    }
}

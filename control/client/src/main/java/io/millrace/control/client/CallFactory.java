package io.millrace.control.client;

import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.wire.CommandCheck;
import java.security.SecureRandom;
import java.util.ArrayDeque;

/**
 * Makes calls of commands: refuses what cannot be sent, gives each its ids and the time it has, and says whether it may
 * be sent again in another session, by the context and by the change that was begun. Belongs to the thread of the
 * client.
 */
final class CallFactory
{
    private final ControlClientContext ctx;
    private final ChangeGuard change;
    private final CommandCheck check = new CommandCheck();
    private final ArrayDeque<Call> done = new ArrayDeque<>();
    private final long commandIdHigh;
    private long commandIdLow;
    private long correlationId;

    CallFactory(final ControlClientContext ctx, final ChangeGuard change)
    {
        this.ctx = ctx;
        this.change = change;
        final SecureRandom random = new SecureRandom();
        commandIdHigh = random.nextLong();
        commandIdLow = random.nextLong();
    }

    /** The time of the context from now. */
    long newDeadline()
    {
        return ctx.clock().nanoTime() + ctx.callTimeoutNs();
    }

    /** Of a command with an id that no other has, when it changes something. */
    Call newCall(final Command command, final long deadlineNs)
    {
        return newCall(
            command, command.changes() ? new CommandId(commandIdHigh, commandIdLow++) : CommandId.NONE, deadlineNs);
    }

    /**
     * Of a command with a given id. A command of a change that is lost makes a call that is done already.
     *
     * @throws IllegalArgumentException when it has a text or a number of rules that cannot be sent.
     */
    Call newCall(final Command command, final CommandId commandId, final long deadlineNs)
    {
        check.check(command);
        final ChangeGuard.Verdict verdict = change.judge(command);
        final Call call =
            make(command, commandId, deadlineNs, ctx.retryOnReconnect() && ChangeGuard.Verdict.FREE == verdict);
        if (ChangeGuard.Verdict.LOST == verdict)
        {
            call.onAbandoned("the session in which the change was begun is lost, and the change with it: begin again");
        }
        return call;
    }

    /** The client's own, in whichever session there is. */
    Call newSubscription()
    {
        return make(new Command.Subscribe(), CommandId.NONE, newDeadline(), true);
    }

    private Call make(
        final Command command, final CommandId commandId, final long deadlineNs, final boolean isRetryable)
    {
        return new Call(command, commandId, nextCorrelationId(), deadlineNs, isRetryable, done);
    }

    /** Of a request to which an answer belongs. */
    long nextCorrelationId()
    {
        return ++correlationId;
    }

    /** The next that is done of those somebody wants to be told of; null: none. */
    Call pollDone()
    {
        return done.pollFirst();
    }
}

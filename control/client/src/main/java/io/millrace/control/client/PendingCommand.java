package io.millrace.control.client;

import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import java.util.concurrent.CompletableFuture;

/**
 * A command that was submitted to an {@link AsyncControlClient}, and the future of its answer. Made by any thread; the
 * thread of the client sends it and sets its outcome; whoever {@link #run() runs} it completes the future, once.
 */
final class PendingCommand implements Runnable
{
    private final PendingCommands owner;
    private final Command command;
    private final CommandId commandId;
    private final long deadlineNs;
    private final CompletableFuture<Answer> future;
    private volatile Runnable outcome;

    /** @param commandId null: the client makes one. */
    PendingCommand(
        final PendingCommands owner,
        final Command command,
        final CommandId commandId,
        final long deadlineNs,
        final CompletableFuture<Answer> future)
    {
        this.owner = owner;
        this.command = command;
        this.commandId = commandId;
        this.deadlineNs = deadlineNs;
        this.future = future;
    }

    /** Makes the call that carries it; throws IllegalArgumentException if it cannot be sent. */
    Call newCall(final CallFactory factory)
    {
        return null == commandId ?
            factory.newCall(command, deadlineNs) : factory.newCall(command, commandId, deadlineNs);
    }

    CompletableFuture<Answer> future()
    {
        return future;
    }

    void onAnswer(final Answer answer)
    {
        outcome = () -> future.complete(answer);
    }

    void onFailure(final Throwable failure)
    {
        outcome = () -> future.completeExceptionally(failure);
    }

    /** Completes the future with its outcome, unless that was done before. */
    @Override
    public void run()
    {
        if (owner.remove(this))
        {
            outcome.run();
        }
    }

    /** Completes the future with its outcome, or with a failure if it has none. */
    void abandon(final Throwable failure)
    {
        if (null == outcome)
        {
            onFailure(failure);
        }
        run();
    }
}

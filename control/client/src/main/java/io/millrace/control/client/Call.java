package io.millrace.control.client;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.CommandId;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.Resource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * A command in progress and its result. Confined to the thread of its client.
 */
public final class Call
{
    /** Where a call is. */
    private enum State
    {
        /** In the client, or sent and not answered. */
        WAITING,
        /** The data plane answered. */
        ANSWERED,
        /** No answer came in time. */
        TIMED_OUT,
        /** Abandoned, since the client was closed, or the connection was lost and the command must not be retried. */
        ABANDONED
    }

    private final Command command;
    private final CommandId commandId;
    private final long correlationId;
    private final long deadlineNs;
    private final boolean isRetryable;
    private final Deque<Call> doneQueue;
    private final List<Resource> resources = new ArrayList<>(0);
    private State state = State.WAITING;
    private Consumer<Call> listener;
    private Code code = Code.NULL_VAL;
    private String text = "";
    private long value;

    /**
     * @param isRetryable whether it may be sent again in another session.
     * @param doneQueue takes it when it is done and has a callback.
     */
    Call(
        final Command command,
        final CommandId commandId,
        final long correlationId,
        final long deadlineNs,
        final boolean isRetryable,
        final Deque<Call> doneQueue)
    {
        this.isRetryable = isRetryable;
        this.doneQueue = doneQueue;
        this.command = command;
        this.commandId = commandId;
        this.correlationId = correlationId;
        this.deadlineNs = deadlineNs;
    }

    /**
     * {@return the command}
     */
    public Command command()
    {
        return command;
    }

    /**
     * {@return its id}
     */
    public CommandId commandId()
    {
        return commandId;
    }

    /**
     * {@return whether it was answered, or will not be any more}
     */
    public boolean isDone()
    {
        return State.WAITING != state;
    }

    /**
     * {@return the result; {@link Code#NULL_VAL} without an answer, {@link Code#SBE_UNKNOWN} for a code of a later
     * version}
     */
    public Code code()
    {
        return code;
    }

    /**
     * {@return one sentence if it failed, else empty}
     */
    public String text()
    {
        return text;
    }

    /**
     * {@return number of records, port taken, or 0}
     */
    public long value()
    {
        return value;
    }

    /**
     * {@return what was listed, in the order of the data plane; not to be changed}
     */
    public List<Resource> resources()
    {
        return Collections.unmodifiableList(resources);
    }

    Answer answer()
    {
        return new Answer(commandId, value, text, resources);
    }

    /**
     * Throws if it failed.
     *
     * @return this.
     * @throws ControlTimeoutException when no answer came in time.
     * @throws ControlException        when the answer is another code than OK, or the call was given up.
     * @throws IllegalStateException   when it is not done.
     */
    public Call orThrow()
    {
        switch (state)
        {
            case WAITING:
                throw new IllegalStateException("the call is not done: await it first");
            case TIMED_OUT:
                throw new ControlTimeoutException(text);
            default:
                if (Code.OK != code)
                {
                    throw new ControlException(code, text);
                }
                return this;
        }
    }

    /**
     * Sets a callback for completion, called by {@link ControlClient#poll()}, but not if the client is closed before.
     * Set it right after submitting the call.
     *
     * @param value takes the call.
     * @return this.
     */
    public Call onDone(final Consumer<Call> value)
    {
        listener = value;
        if (isDone())
        {
            doneQueue.addLast(this);
        }
        return this;
    }

    void notifyDone()
    {
        listener.accept(this);
    }

    private void end(final State value)
    {
        state = value;
        if (null != listener)
        {
            doneQueue.addLast(this);
        }
    }

    long correlationId()
    {
        return correlationId;
    }

    long deadlineNs()
    {
        return deadlineNs;
    }

    /** Whether it may be sent again without being carried out twice. */
    boolean isRetryable()
    {
        return isRetryable && (!command.changes() || !CommandId.NONE.equals(commandId));
    }

    /** Whether it must not be sent in another session, though it was not sent in this one. */
    boolean isBound()
    {
        return !isRetryable;
    }

    void onSend()
    {
        resources.clear();
    }

    void onResource(final Resource resource)
    {
        resources.add(resource);
    }

    void onAnswer(final Code answered, final long answeredValue, final String answeredText)
    {
        code = answered;
        value = answeredValue;
        text = answeredText.isEmpty() && Code.OK != answered ? "the data plane answered " + answered : answeredText;
        if (Code.OK == code && command instanceof Command.List && value != resources.size())
        {
            code = Code.MALFORMED;
            text = "the data plane announced " + value + " records, of which " + resources.size() + " could be read";
        }
        end(State.ANSWERED);
    }

    void onTimeout(final String reason)
    {
        text = reason;
        end(State.TIMED_OUT);
    }

    void onAbandoned(final String reason)
    {
        text = reason;
        end(State.ABANDONED);
    }
}

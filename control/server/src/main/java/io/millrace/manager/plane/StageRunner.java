package io.millrace.manager.plane;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.service.Reply;
import io.millrace.control.state.StateStep;
import java.util.List;
import java.util.function.Function;

/**
 * Applies a plan to a data plane: the steps of a stage are pipelined, and the next stage begins when all are answered.
 * The manager's thread.
 */
public final class StageRunner
{
    /** Reaction to a refused step. */
    enum OnRefusal
    {
        /** The remaining steps are sent nevertheless, but for those that need a rename which was refused. */
        CONTINUE,
        /** No more steps are sent. */
        STOP
    }

    private final List<List<StateStep>> stages;
    private final OnRefusal onRefusal;
    private final Function<Command, Call> submit;
    private final int window;
    private final UnfinishedRenames renames = new UnfinishedRenames();
    private int stage;
    private int next;
    private int outstanding;
    private int refusedCount;
    private boolean isStopped;
    private Reply refusal;
    private String absent = "";

    /**
     * @param submit sends a command without waiting.
     * @param window maximum number of outstanding steps.
     */
    StageRunner(
        final List<List<StateStep>> stages,
        final OnRefusal onRefusal,
        final Function<Command, Call> submit,
        final int window)
    {
        this.stages = stages;
        this.onRefusal = onRefusal;
        this.submit = submit;
        this.window = window;
    }

    /** Sends steps; returns the work count. */
    int poll()
    {
        int count = 0;
        while (!isStopped && stage < stages.size() && outstanding < window)
        {
            final List<StateStep> steps = stages.get(stage);
            if (next < steps.size())
            {
                count++;
                final Command command = steps.get(next++).command();
                if (renames.concern(command))
                {
                    refuse(command);
                    continue;
                }
                outstanding++;
                submit.apply(command).onDone((call) -> onAnswered(command, call));
            }
            else if (0 == outstanding)
            {
                stage++;
                next = 0;
            }
            else
            {
                break;
            }
        }
        return count;
    }

    private void onAnswered(final Command command, final Call call)
    {
        outstanding--;
        if (Code.OK == call.code() || isGone(command, call.code()))
        {
            return;
        }
        final String device = AbsentDevices.absent(command, call.code(), call.text());
        if (OnRefusal.STOP == onRefusal && null != device)
        {
            absent = device;
            return;
        }
        refuse(command);
        if (null == refusal || Code.STALE_TERM == call.code())
        {
            refusal = replyOf(call);
        }
        isStopped = isStopped || OnRefusal.STOP == onRefusal || Code.STALE_TERM == call.code();
    }

    private void refuse(final Command command)
    {
        refusedCount++;
        renames.add(command);
    }

    /**
     * Tells whether a removal failed because the resource does not exist, as older data planes report it.
     *
     * @param command that was sent.
     * @param code    of the reply.
     * @return true: there is nothing to remove.
     */
    public static boolean isGone(final Command command, final Code code)
    {
        return Code.NOT_FOUND == code && switch (command)
        {
            case Command.DeleteDevice _, Command.DeleteSubsystem _, Command.RemoveNamespace _, Command.DenyHost _,
                Command.RemoveListener _ -> true;
            default -> false;
        };
    }

    /** The reply of a data plane, or a failure without an answer. */
    static Reply replyOf(final Call call)
    {
        final Code code = Code.NULL_VAL == call.code() || Code.SBE_UNKNOWN == call.code() ? Code.FAILED : call.code();
        return new Reply(code, call.value(), call.text());
    }

    boolean isDone()
    {
        return 0 == outstanding && (isStopped || stage == stages.size());
    }

    /** The first refusal, or STALE_TERM; null: none. */
    Reply refusal()
    {
        return refusal;
    }

    /** A device whose settings change and that the data plane could not create so far; empty: none. */
    String absent()
    {
        return absent;
    }

    int refusedCount()
    {
        return refusedCount;
    }
}

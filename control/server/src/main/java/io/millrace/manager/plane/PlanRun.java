package io.millrace.manager.plane;

import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.service.Reply;
import io.millrace.control.state.StatePlan;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.change.WorkThread;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * Makes a plan on another thread and applies it. The manager's thread.
 */
final class PlanRun
{
    private StatePlan plan;
    private StageRunner runner;
    private Reply failure;

    /** Begins to plan. */
    PlanRun(
        final WorkThread work,
        final Callable<StatePlan> planner,
        final StageRunner.OnRefusal onRefusal,
        final Function<Command, Call> submit,
        final int window)
    {
        work.run(planner, (made, thrown) ->
        {
            plan = made;
            if (null == thrown)
            {
                runner = new StageRunner(made.stages(), onRefusal, submit, window);
            }
            else
            {
                failure = Reply.refused(Code.FAILED, "planning failed: " + Ledger.reason(thrown));
            }
        });
    }

    int poll()
    {
        return null == runner ? 0 : runner.poll();
    }

    boolean isDone()
    {
        return null != failure || null != runner && runner.isDone();
    }

    /** Null until it is made. */
    StatePlan plan()
    {
        return plan;
    }

    /** The first refusal, or STALE_TERM; null: none. */
    Reply refusal()
    {
        return null == runner ? failure : runner.refusal();
    }

    /** A device whose settings change and that the data plane could not create so far; empty: none. */
    String absent()
    {
        return null == runner ? "" : runner.absent();
    }

    int refusedCount()
    {
        return null == runner ? 1 : runner.refusedCount();
    }
}

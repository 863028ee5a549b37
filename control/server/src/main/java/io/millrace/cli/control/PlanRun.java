package io.millrace.cli.control;

import io.millrace.console.CommandException;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.client.Call;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.setting.Units;
import io.millrace.control.state.StatePlan;
import io.millrace.control.state.StateStep;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies a plan to a data plane, stage by stage, until a stage fails. One thread.
 */
final class PlanRun
{
    private static final int STEPS_PER_LOOK = 64;

    private final ControlLink link;
    private final StatePlan plan;
    private final Terminal terminal;
    private final int count;
    private int done;

    /**
     * @param terminal for progress.
     */
    PlanRun(final ControlLink link, final StatePlan plan, final Terminal terminal)
    {
        this.link = link;
        this.plan = plan;
        this.terminal = terminal;
        count = plan.steps().size();
    }

    /**
     * Applies the plan.
     *
     * @throws CommandException naming the first step that failed.
     */
    void run()
    {
        try
        {
            plan.stages().forEach(this::carryOut);
        }
        finally
        {
            terminal.endDrawing();
        }
    }

    private void carryOut(final List<StateStep> steps)
    {
        final List<Call> calls = new ArrayList<>(steps.size());
        for (final StateStep step : steps)
        {
            final Command command = step.command();
            calls.add(link.client().submit(command));
            if (0 == calls.size() % STEPS_PER_LOOK)
            {
                link.client().poll();
            }
        }
        int failed = 0;
        int first = -1;
        for (int i = 0; i < calls.size(); i++)
        {
            final Call call = link.client().await(calls.get(i));
            done++;
            if (0 == done % STEPS_PER_LOOK)
            {
                terminal.draw(done + " of " + Units.count(count, "step"));
            }
            if (Code.OK != call.code())
            {
                first = 0 == failed ? i : first;
                failed++;
            }
        }
        if (failed > 0)
        {
            throw new CommandException(ExitCode.FAILURE, "cannot " + steps.get(first).sentence() + ": " +
                calls.get(first).text() + (1 == failed ? "" : ", and " +
                Units.count(failed - 1, "other step") + " failed") + "; " + (done - failed) + " of " +
                Units.count(count, "step") + (1 == count ? " was" : " were") + " done");
        }
    }
}

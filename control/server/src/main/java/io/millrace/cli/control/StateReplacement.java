package io.millrace.cli.control;

import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Code;
import io.millrace.control.message.Command.ReplaceState;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.PlanStepInfo;
import io.millrace.control.setting.Units;
import java.util.List;

/**
 * Replaces the desired state of a manager: prints the plan, asks for confirmation, and applies the plan unless the
 * desired state has changed in between. One thread.
 */
final class StateReplacement
{
    private final ControlLink link;
    private final PlanPrinter printer;
    private final Confirmation confirmation;

    StateReplacement(final ControlLink link, final PlanPrinter printer, final Confirmation confirmation)
    {
        this.link = link;
        this.printer = printer;
        this.confirmation = confirmation;
    }

    /**
     * Does it.
     *
     * @param document with the desired state; null: an earlier version.
     * @param wanted   what to do; a dry run shows the steps.
     * @return exit code.
     * @throws CommandException when it was not done.
     */
    int run(final String document, final ReplaceState wanted)
    {
        final long version = plan(document, wanted);
        final List<PlanStepInfo> steps = link.client().manager().plan();
        printer.print(steps);
        if (!mayGoOn(steps, wanted.isDryRun(), wanted.allowsDestroy()))
        {
            return steps.isEmpty() ? ExitCode.OK : ExitCode.CHANGES;
        }
        confirmation.require(Terminal.standard(), PlanPrinter.summary(steps));
        final long made = link.client().manager().replaceState(new ReplaceState(wanted.fromVersion(), version, false,
            wanted.allowsDestroy(), wanted.prunes(), wanted.name(), wanted.comment()));
        Terminal.standardError().line("done, version " + made);
        return ExitCode.OK;
    }

    private long plan(final String document, final ReplaceState wanted)
    {
        final ReplaceState planned = new ReplaceState(wanted.fromVersion(), wanted.ifVersion(), true,
            wanted.allowsDestroy(), wanted.prunes(), wanted.name(), wanted.comment());
        try
        {
            return null == document ? link.client().manager().replaceState(planned) :
                link.client().manager().replaceState(document, planned);
        }
        catch (final ControlException e)
        {
            if (Code.INVALID == e.code() && !link.needsDataPlane())
            {
                throw new CommandException(ExitCode.USAGE, e.getMessage(), e);
            }
            throw e;
        }
    }

    /** Whether there are steps to apply; throws CommandException if they must not be applied. */
    static boolean mayGoOn(final List<PlanStepInfo> steps, final boolean isDryRun, final boolean allowsDestroy)
    {
        final List<String> obstacles = PlanPrinter.obstacles(steps);
        if (!obstacles.isEmpty())
        {
            throw new CommandException(ExitCode.FAILURE, obstacles.getFirst() +
                (1 == obstacles.size() ? "" : ", and " + Units.count(obstacles.size() - 1, "other obstacle")));
        }
        if (steps.isEmpty() || isDryRun)
        {
            return false;
        }
        if (!allowsDestroy && steps.stream().anyMatch(PlanStepInfo::destructive))
        {
            throw new CommandException(ExitCode.USAGE, "steps marked ! destroy data or take a resource from hosts " +
                "that use it: add --allow-destroy to confirm; nothing was done");
        }
        return true;
    }
}

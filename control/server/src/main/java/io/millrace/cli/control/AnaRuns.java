package io.millrace.cli.control;

import io.millrace.console.Table;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.Command;
import io.millrace.control.state.StateStep;
import java.util.List;
import java.util.StringJoiner;

/**
 * ANA groups that go together, in one line for people: a state is set for all 128 mostly, of which few have namespaces.
 * Stateless.
 */
final class AnaRuns
{
    private AnaRuns()
    {
    }

    /** Where a run of groups ends that get the same state at the same listener. */
    static int end(final List<StateStep> steps, final int from)
    {
        int end = from + 1;
        while (end < steps.size() && steps.get(from).command() instanceof final Command.SetAnaState first &&
            steps.get(end).command() instanceof final Command.SetAnaState next && 0 != first.group() &&
            next.equals(new Command.SetAnaState(first.nqn(), first.transport(), first.address(), first.port(),
            next.group(), first.state())) && 0 != next.group())
        {
            end++;
        }
        return end;
    }

    /** What steps of a run do. */
    static String sentence(final List<StateStep> run)
    {
        final String first = run.getFirst().sentence();
        if (1 == run.size())
        {
            return first;
        }
        final int[] groups = run.stream().mapToInt((step) -> ((Command.SetAnaState)step.command()).group()).toArray();
        return first.replace("ANA group " + groups[0] + ' ', "ANA groups " + ranges(groups) + ' ');
    }

    private static String ranges(final int... groups)
    {
        final StringJoiner text = new StringJoiner(", ");
        for (int i = 0; i < groups.length; i++)
        {
            final int first = groups[i];
            while (i + 1 < groups.length && groups[i] + 1 == groups[i + 1])
            {
                i++;
            }
            text.add(range(first, groups[i]));
        }
        return text.toString();
    }

    private static String range(final int first, final int last)
    {
        return first == last ? Integer.toString(first) : first + "-" + last;
    }

    /** A line for each group with namespaces, and for each run of others. */
    static Table table(final List<AnaInfo> states)
    {
        final Table table = new Table("SUBSYSTEM", "LISTENER", ">GROUP", "STATE", ">NAMESPACES", ">CHANGES");
        for (int i = 0; i < states.size(); i++)
        {
            final AnaInfo first = states.get(i);
            while (i + 1 < states.size() && 0 == first.namespaces() &&
                states.get(i + 1).equals(following(states.get(i))))
            {
                i++;
            }
            table.row(first.nqn(), Views.listenerOf(first), range(first.group(), states.get(i).group()),
                Views.stateOf(first), Integer.toString(first.namespaces()), Long.toString(first.changes()));
        }
        return table;
    }

    private static AnaInfo following(final AnaInfo info)
    {
        return new AnaInfo(info.nqn(), info.transport(), info.address(), info.port(), info.group() + 1, info.state(),
            info.changes(), info.namespaces());
    }
}

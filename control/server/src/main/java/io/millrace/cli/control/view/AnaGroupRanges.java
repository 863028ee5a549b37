package io.millrace.cli.control.view;

import io.millrace.console.Table;
import io.millrace.control.message.AnaInfo;
import io.millrace.control.message.PlanStepInfo;
import io.millrace.control.message.Resource;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Ranges of ANA groups with the same state, printed in one line: a state is mostly set for all 128 groups, of which few
 * have namespaces. Stateless.
 */
public final class AnaGroupRanges
{
    /** A step that sets the state of one group, see AnaStates.Entry. */
    private static final Pattern GROUP = Pattern.compile("make ANA group (\\d{1,3}) (of .*)");

    private AnaGroupRanges()
    {
    }

    /**
     * {@return the end, exclusive, of the range of groups that get the same state at the same listener}
     *
     * @param steps of a plan.
     * @param from  index of the first step of the range.
     */
    public static int end(final List<PlanStepInfo> steps, final int from)
    {
        final Matcher first = GROUP.matcher(steps.get(from).sentence());
        int end = from + 1;
        while (first.matches() && end < steps.size())
        {
            final Matcher next = GROUP.matcher(steps.get(end).sentence());
            if (!next.matches() || !next.group(2).equals(first.group(2)))
            {
                break;
            }
            end++;
        }
        return end;
    }

    /**
     * {@return the description of the steps of a range, in one sentence}
     *
     * @param run the steps, at least one.
     */
    public static String sentence(final List<PlanStepInfo> run)
    {
        if (1 == run.size())
        {
            return run.getFirst().sentence();
        }
        final int[] groups = new int[run.size()];
        String rest = "";
        for (int i = 0; i < groups.length; i++)
        {
            final Matcher each = GROUP.matcher(run.get(i).sentence());
            if (each.matches())
            {
                groups[i] = Integer.parseInt(each.group(1));
                rest = each.group(2);
            }
        }
        return "make ANA groups " + ranges(groups) + ' ' + rest;
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

    /** A line for each group with namespaces, and for each range of others. */
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
                Views.stateOf(first), Integer.toString(first.namespaces()), Resource.UNKNOWN == first.changes() ? "-" :
                    Long.toString(first.changes()));
        }
        return table;
    }

    private static AnaInfo following(final AnaInfo info)
    {
        return new AnaInfo(info.nqn(), info.transport(), info.address(), info.port(), info.group() + 1, info.state(),
            info.changes(), info.namespaces());
    }
}

package io.millrace.control.state;

import io.millrace.control.codec.Effect;
import io.millrace.control.message.PlanStepInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * The way from one state to another in commands, each of which a data plane takes when those before it were carried
 * out:
 * <ol>
 * <li>what is in the way of something new is taken away: other things of the same name, users of a device that gets
 * another one;</li>
 * <li>devices are created, those that others wrap first, then subsystems, ANA states, namespaces, hosts, limits and
 * listeners: what a host may see and do is said before it comes;</li>
 * <li>devices grow, subsystems are opened or closed to hosts that are on no list;</li>
 * <li>the rest is taken away, the other way round.</li>
 * </ol>
 * What cannot be changed in place (another block size, a smaller volume in memory) is taken away and created anew, and
 * its steps are marked destructive, as is all that loses data. Steps come in stages: those of one may be under way at a
 * time, in order, and the next begins when all are answered, since a device is free only then. Immutable.
 *
 * @param stages    each not empty.
 * @param obstacles what no command can bring about, a sentence each: the plan leads to the rest.
 */
public record StatePlan(List<List<StateStep>> stages, List<String> obstacles)
{
    /**
     * Copies the lists.
     */
    public StatePlan
    {
        stages = stages.stream().map(List::copyOf).toList();
        obstacles = List.copyOf(obstacles);
    }

    /**
     * The way from one state to another.
     *
     * @param actual  what is.
     * @param desired what should be.
     * @return the plan.
     */
    public static StatePlan between(final DesiredState actual, final DesiredState desired)
    {
        return new StatePlanner(actual, desired).plan();
    }

    /**
     * {@return all steps in order}
     */
    public List<StateStep> steps()
    {
        return stages.stream().flatMap(List::stream).toList();
    }

    /**
     * {@return the steps in order, then the obstacles, as records of the protocol}
     */
    public List<PlanStepInfo> records()
    {
        final List<PlanStepInfo> records = new ArrayList<>();
        steps().forEach((step) ->
            records.add(new PlanStepInfo(effect(step), step.destructive(), step.sentence())));
        obstacles.forEach((each) -> records.add(new PlanStepInfo(Effect.OBSTACLE, false, each)));
        return records;
    }

    private static Effect effect(final StateStep step)
    {
        return switch (step.effect())
        {
            case CREATE -> Effect.CREATE;
            case CHANGE -> Effect.CHANGE;
            case REMOVE -> Effect.REMOVE;
        };
    }

    /**
     * {@return whether there is nothing to do and nothing in the way: the actual state meets the desired one}
     */
    public boolean isEmpty()
    {
        return stages.isEmpty() && obstacles.isEmpty();
    }

    /**
     * {@return whether a step loses data, or gives hosts something else than they had}
     */
    public boolean isDestructive()
    {
        return stages.stream().anyMatch((stage) -> stage.stream().anyMatch(StateStep::destructive));
    }

    /**
     * {@return how many steps have an effect}
     *
     * @param effect to count.
     */
    public int count(final StateStep.Effect effect)
    {
        int count = 0;
        for (final List<StateStep> stage : stages)
        {
            for (final StateStep step : stage)
            {
                count += effect == step.effect() ? 1 : 0;
            }
        }
        return count;
    }
}

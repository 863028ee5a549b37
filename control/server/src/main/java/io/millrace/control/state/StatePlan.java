package io.millrace.control.state;

import io.millrace.control.codec.Effect;
import io.millrace.control.message.Command;
import io.millrace.control.message.PlanStepInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * A plan: commands that lead from one state to another, each of which a data plane accepts after those before it:
 * <ol>
 * <li>arrays that have another name are renamed;</li>
 * <li>resources that block new ones are removed: replaced ones of the same name, users of a device that gets another
 * user;</li>
 * <li>devices are created, those that others wrap first, then subsystems, ANA states, namespaces, hosts, limits and
 * listeners: access and limits are set before hosts connect;</li>
 * <li>devices are resized, and subsystems allow or revoke any host;</li>
 * <li>remaining removals follow in reverse order.</li>
 * </ol>
 * Resources that cannot be changed in place (another block size, a smaller memory device) are deleted and recreated;
 * their steps are marked destructive, as are all steps that lose data. Steps are grouped in stages: those of one stage
 * may be outstanding together, in order, and the next stage begins when all are answered, since a device is free only
 * then. Immutable.
 *
 * @param stages    each not empty.
 * @param obstacles one sentence for each difference that no command can resolve.
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
     * Makes the plan from one state to another.
     *
     * @param actual  state.
     * @param desired state.
     * @return the plan.
     */
    public static StatePlan between(final DesiredState actual, final DesiredState desired)
    {
        final Renames renames = Renames.between(actual, desired);
        final StatePlan plan = new StatePlanner(renames.of(actual), desired).plan();
        if (!renames.obstacles().isEmpty())
        {
            return new StatePlan(revocations(plan), renames.obstacles());
        }
        final List<List<StateStep>> stages = new ArrayList<>(renames.stages());
        stages.addAll(plan.stages());
        return new StatePlan(stages, plan.obstacles());
    }

    /** What hosts may not do any more does not wait for the names of arrays. */
    private static List<List<StateStep>> revocations(final StatePlan plan)
    {
        final List<StateStep> steps = plan.steps().stream().filter((each) -> switch (each.command())
        {
            case Command.DenyHost _ -> true;
            case final Command.SetAllowAnyHost any -> !any.allowAnyHost();
            default -> false;
        }).toList();
        return steps.isEmpty() ? List.of() : List.of(steps);
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
     * {@return whether the plan has no steps and no obstacles: the actual state matches the desired one}
     */
    public boolean isEmpty()
    {
        return stages.isEmpty() && obstacles.isEmpty();
    }

    /**
     * {@return whether a step loses data, replaces a resource, or takes one from connected hosts}
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

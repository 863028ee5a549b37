package io.millrace.block.fault;

import java.util.List;

/**
 * The faults of a device. Rules are asked in order: delays add up, and the first other effect that applies is done.
 * Immutable.
 *
 * @param seed  of everything that is drawn.
 * @param rules in order; none makes a device that only passes on.
 */
public record FaultPlan(long seed, List<FaultRule> rules)
{
    /** No faults. */
    public static final FaultPlan NONE = new FaultPlan(0, List.of());

    /**
     * Copies the list.
     */
    public FaultPlan
    {
        rules = List.copyOf(rules);
    }

    /**
     * A plan of some rules.
     *
     * @param seed  of everything that is drawn.
     * @param rules in order.
     * @return the plan.
     */
    public static FaultPlan of(final long seed, final FaultRule... rules)
    {
        return new FaultPlan(seed, List.of(rules));
    }
}

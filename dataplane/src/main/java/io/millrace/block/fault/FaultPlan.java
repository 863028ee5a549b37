package io.millrace.block.fault;

import io.millrace.block.DeviceProperties;
import java.util.List;
import java.util.Map;

/**
 * The faults of a device. Rules are asked in order: delays add up, and the first other effect that applies is done.
 * Immutable.
 *
 * @param seed  of everything that is drawn.
 * @param rules in order; none makes a device that only passes on.
 */
public record FaultPlan(long seed, List<FaultRule> rules)
{
    /** Setting with the name of the device that is wrapped. */
    public static final String BASE = "base";
    /** Setting with the seed. */
    public static final String SEED = "seed";
    /** Setting with the rules. */
    public static final String RULES = "rules";

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
     * The plan of a device as declared.
     *
     * @param properties of the device.
     * @return the plan.
     * @throws io.millrace.block.BlockDeviceException if a rule is invalid.
     */
    public static FaultPlan of(final DeviceProperties properties)
    {
        return new FaultPlan(properties.number(SEED, 0),
            properties.groups(RULES).stream().map(FaultRule::of).toList());
    }

    /**
     * {@return the settings of a device with this plan}
     *
     * @param base name of the device that is wrapped.
     */
    public DeviceProperties properties(final String base)
    {
        return DeviceProperties.of(Map.of(
            BASE, base, SEED, seed, RULES, rules.stream().map((rule) -> rule.properties().values()).toList()));
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

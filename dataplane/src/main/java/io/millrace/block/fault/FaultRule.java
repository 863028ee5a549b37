package io.millrace.block.fault;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceProperties;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which requests meet which fault. A request matches when its operation is named and its range touches the rule's, a
 * copy also when what it reads does, except where writes are lost; of those that match, {@code every} and
 * {@code probability} choose, and {@code count} ends it. Immutable.
 *
 * @param effect      what is done.
 * @param operations  that the rule is for; all when empty.
 * @param lbaFrom     first block of the range; a flush has no range and matches any.
 * @param lbaTo       last block of the range, included.
 * @param status      that a request ends with; not used by {@link FaultEffect#DELAY} and {@link FaultEffect#HANG}.
 * @param delayNs     for {@link FaultEffect#DELAY}, with the resolution of the reactor's timers (1 ms); else 0.
 * @param every       takes each n-th match of a channel; 1 takes all.
 * @param probability of each of those, above 0 and up to 1.
 * @param count       ends the rule after so many faults on the whole device; 0 never.
 */
public record FaultRule(
    FaultEffect effect,
    Set<BlockOperation> operations,
    long lbaFrom,
    long lbaTo,
    BlockStatus status,
    long delayNs,
    long every,
    double probability,
    long count)
{
    private static final String EFFECT = "effect";
    private static final String OPERATIONS = "operations";
    private static final String FIRST_BLOCK = "first-block";
    private static final String LAST_BLOCK = "last-block";
    private static final String STATUS = "status";
    private static final String DELAY = "delay";
    private static final String EVERY = "every";
    private static final String PROBABILITY = "probability";
    private static final String COUNT = "count";

    /**
     * Checks the values against each other.
     */
    public FaultRule
    {
        operations = operations.isEmpty() ?
            Set.copyOf(EnumSet.allOf(BlockOperation.class)) : Set.copyOf(operations);
        if (lbaFrom < 0 || lbaTo < lbaFrom)
        {
            throw new BlockDeviceException("fault range " + lbaFrom + " to " + lbaTo +
                " is empty: give a first block from 0 and a last block not below it");
        }
        if (!(probability > 0 && probability <= 1))
        {
            throw new BlockDeviceException(
                "fault probability " + probability + " is outside (0, 1]: choose one inside");
        }
        if (every < 1)
        {
            throw new BlockDeviceException("fault every " + every + " is below 1: use 1 for each request");
        }
        if (count < 0)
        {
            throw new BlockDeviceException("fault count " + count + " is below 0: use 0 for no end");
        }
        if (FaultEffect.DELAY == effect ? delayNs < 1 : 0 != delayNs)
        {
            throw new BlockDeviceException("fault delay " + delayNs + " ns does not go with effect " + effect +
                ": a delay needs a time above 0, other effects none");
        }
        if ((FaultEffect.ERROR == effect || FaultEffect.POWER_LOSS == effect) && BlockStatus.SUCCESS == status)
        {
            throw new BlockDeviceException("fault status SUCCESS is not an error: choose another status");
        }
    }

    /**
     * A rule as declared.
     *
     * @param properties of the rule.
     * @return the rule.
     * @throws BlockDeviceException if it is invalid.
     */
    public static FaultRule of(final DeviceProperties properties)
    {
        final FaultEffect effect = properties.choice(EFFECT, FaultEffect.class, null);
        if (null == effect)
        {
            throw new BlockDeviceException("fault effect is missing: add it");
        }
        return new FaultRule(
            effect,
            Set.copyOf(properties.choices(OPERATIONS, BlockOperation.class)),
            properties.number(FIRST_BLOCK, 0),
            properties.number(LAST_BLOCK, Long.MAX_VALUE),
            properties.choice(STATUS, BlockStatus.class, statusDefault(effect)),
            properties.number(DELAY, 0),
            properties.number(EVERY, 1),
            properties.share(PROBABILITY, 1),
            properties.number(COUNT, 0));
    }

    /**
     * {@return the status that an effect ends requests with when none is given}
     *
     * @param effect of a rule.
     */
    public static BlockStatus statusDefault(final FaultEffect effect)
    {
        return switch (effect)
        {
            case ERROR -> BlockStatus.MEDIA_ERROR;
            case HANG -> BlockStatus.ABORTED;
            case POWER_LOSS -> BlockStatus.DEVICE_ERROR;
            case DELAY, TORN_WRITE, LOST_WRITE -> BlockStatus.SUCCESS;
        };
    }

    DeviceProperties properties()
    {
        final Map<String, Object> values = new HashMap<>(Map.of(
            EFFECT, DeviceProperties.word(effect), FIRST_BLOCK, lbaFrom, LAST_BLOCK, lbaTo,
            STATUS, DeviceProperties.word(status), EVERY, every, PROBABILITY, probability, COUNT, count,
            OPERATIONS, operations.stream().sorted().map(DeviceProperties::word).toList()));
        if (FaultEffect.DELAY == effect)
        {
            values.put(DELAY, delayNs);
        }
        return new DeviceProperties(values);
    }

    /**
     * Ends requests with an error.
     *
     * @param status to end with.
     * @return a rule for every request.
     */
    public static FaultRule error(final BlockStatus status)
    {
        return all(FaultEffect.ERROR, status, 0);
    }

    /**
     * Delays requests.
     *
     * @param delayNs in nanoseconds.
     * @return a rule for every request.
     */
    public static FaultRule delay(final long delayNs)
    {
        return all(FaultEffect.DELAY, BlockStatus.SUCCESS, delayNs);
    }

    /**
     * Tears writes and reports success.
     *
     * @return a rule for every write.
     */
    public static FaultRule tornWrite()
    {
        return all(FaultEffect.TORN_WRITE, BlockStatus.SUCCESS, 0);
    }

    /**
     * Loses writes and reports success.
     *
     * @return a rule for every write.
     */
    public static FaultRule lostWrite()
    {
        return all(FaultEffect.LOST_WRITE, BlockStatus.SUCCESS, 0);
    }

    /**
     * Keeps requests until the channel is closed.
     *
     * @return a rule for every request.
     */
    public static FaultRule hang()
    {
        return all(FaultEffect.HANG, BlockStatus.ABORTED, 0);
    }

    /**
     * Loses power.
     *
     * @return a rule for every request.
     */
    public static FaultRule powerLoss()
    {
        return all(FaultEffect.POWER_LOSS, BlockStatus.DEVICE_ERROR, 0);
    }

    /**
     * Limits the rule to operations.
     *
     * @param value operations; none means all.
     * @return a copy.
     */
    public FaultRule withOperations(final Set<BlockOperation> value)
    {
        return new FaultRule(effect, value, lbaFrom, lbaTo, status, delayNs, every, probability, count);
    }

    /**
     * Limits the rule to a range.
     *
     * @param from first block.
     * @param to   last block, included.
     * @return a copy.
     */
    public FaultRule withRange(final long from, final long to)
    {
        return new FaultRule(effect, operations, from, to, status, delayNs, every, probability, count);
    }

    /**
     * Changes what a torn or lost write ends with.
     *
     * @param value status.
     * @return a copy.
     */
    public FaultRule withStatus(final BlockStatus value)
    {
        return new FaultRule(effect, operations, lbaFrom, lbaTo, value, delayNs, every, probability, count);
    }

    /**
     * Takes each n-th match only.
     *
     * @param value n, from 1.
     * @return a copy.
     */
    public FaultRule withEvery(final long value)
    {
        return new FaultRule(effect, operations, lbaFrom, lbaTo, status, delayNs, value, probability, count);
    }

    /**
     * Takes a match with a probability only.
     *
     * @param value above 0, up to 1.
     * @return a copy.
     */
    public FaultRule withProbability(final double value)
    {
        return new FaultRule(effect, operations, lbaFrom, lbaTo, status, delayNs, every, value, count);
    }

    /**
     * Ends the rule after some faults.
     *
     * @param value how many on the whole device; 0 never ends it.
     * @return a copy.
     */
    public FaultRule withCount(final long value)
    {
        return new FaultRule(effect, operations, lbaFrom, lbaTo, status, delayNs, every, probability, value);
    }

    boolean matches(final BlockRequest request)
    {
        final BlockOperation operation = request.operation();
        if (!operations.contains(operation) || !fits(operation))
        {
            return false;
        }
        return BlockOperation.FLUSH == operation || touches(request.lba(), request.blocks()) ||
            BlockOperation.COPY == operation && FaultEffect.LOST_WRITE != effect &&
            touches(request.sourceLba(), request.blocks());
    }

    private boolean touches(final long lba, final int blocks)
    {
        return lba <= lbaTo && lba + blocks - 1 >= lbaFrom;
    }

    private boolean fits(final BlockOperation operation)
    {
        return switch (effect)
        {
            case ERROR, DELAY, HANG, POWER_LOSS -> true;
            case TORN_WRITE -> BlockOperation.WRITE == operation;
            case LOST_WRITE -> operation.changesData();
        };
    }

    private static FaultRule all(final FaultEffect effect, final BlockStatus status, final long delayNs)
    {
        return new FaultRule(effect, Set.of(), 0, Long.MAX_VALUE, status, delayNs, 1, 1, 0);
    }
}

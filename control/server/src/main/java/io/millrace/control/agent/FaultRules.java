package io.millrace.control.agent;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.control.codec.FaultAction;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.control.state.FaultRuleValues;
import io.millrace.nvme.NvmeStatus;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Converts fault rules between protocol and device. Stateless.
 */
final class FaultRules
{
    private FaultRules()
    {
    }

    static FaultPlan plan(final long seed, final List<FaultRuleSpec> specs)
    {
        final String problem = FaultRuleValues.problem(FaultRuleValues.canonical(specs));
        if (null != problem)
        {
            throw new IllegalArgumentException(problem);
        }
        final List<FaultRule> rules = new ArrayList<>(specs.size());
        for (final FaultRuleSpec spec : specs)
        {
            final FaultEffect effect = effect(spec);
            rules.add(new FaultRule(effect, operations(spec), spec.firstBlock(), lastBlock(spec),
                status(effect, spec.status()), spec.delayNs(), 0 == spec.every() ? 1 : spec.every(),
                spec.probability(), spec.limit()));
        }
        return new FaultPlan(seed, rules);
    }

    private static FaultEffect effect(final FaultRuleSpec spec)
    {
        return switch (spec.action())
        {
            case ERROR -> FaultEffect.ERROR;
            case DELAY -> FaultEffect.DELAY;
            case TORN_WRITE -> FaultEffect.TORN_WRITE;
            case LOST_WRITE -> FaultEffect.LOST_WRITE;
            case HANG -> FaultEffect.HANG;
            case SBE_UNKNOWN, NULL_VAL -> throw new IllegalArgumentException(
                "fault action is unknown to this data plane; use a client of its version");
        };
    }

    private static Set<BlockOperation> operations(final FaultRuleSpec spec)
    {
        final Set<BlockOperation> operations = EnumSet.noneOf(BlockOperation.class);
        spec.operations().forEach((each) -> operations.add(BlockOperation.valueOf(each.name())));
        return operations;
    }

    private static long lastBlock(final FaultRuleSpec spec)
    {
        // On overflow the range extends to the end of the device.
        final long last = spec.firstBlock() + spec.blocks() - 1;
        return 0 == spec.blocks() || spec.blocks() > 0 && last < spec.firstBlock() ? Long.MAX_VALUE : last;
    }

    private static BlockStatus status(final FaultEffect effect, final int nvmeStatus)
    {
        if (0 == nvmeStatus)
        {
            return switch (effect)
            {
                case ERROR -> BlockStatus.MEDIA_ERROR;
                case HANG -> BlockStatus.ABORTED;
                case DELAY, TORN_WRITE, LOST_WRITE -> BlockStatus.SUCCESS;
            };
        }
        return switch (nvmeStatus)
        {
            case NvmeStatus.WRITE_FAULT, NvmeStatus.UNRECOVERED_READ_ERROR -> BlockStatus.MEDIA_ERROR;
            case NvmeStatus.INTERNAL_ERROR -> BlockStatus.DEVICE_ERROR;
            case NvmeStatus.CAPACITY_EXCEEDED -> BlockStatus.CAPACITY_EXCEEDED;
            case NvmeStatus.COMPARE_FAILURE -> BlockStatus.COMPARE_FAILURE;
            case NvmeStatus.INVALID_OPCODE -> BlockStatus.NOT_SUPPORTED;
            case NvmeStatus.NAMESPACE_WRITE_PROTECTED -> BlockStatus.WRITE_PROTECTED;
            case NvmeStatus.LBA_OUT_OF_RANGE -> BlockStatus.OUT_OF_RANGE;
            case NvmeStatus.ABORT_REQUESTED -> BlockStatus.ABORTED;
            default -> throw new IllegalArgumentException("fault status 0x" + Integer.toHexString(nvmeStatus) +
                " is not a status of devices; use 0x280, 0x281, 0x285, 0x1, 0x6, 0x7, 0x20, 0x80 or 0x81");
        };
    }

    /** The rules of a plan as protocol records. */
    static List<FaultRuleSpec> specs(final FaultPlan plan)
    {
        return FaultRuleValues.canonical(plan.rules().stream().map(FaultRules::spec).toList());
    }

    private static FaultRuleSpec spec(final FaultRule rule)
    {
        final Set<io.millrace.control.message.BlockOperation> operations =
            EnumSet.noneOf(io.millrace.control.message.BlockOperation.class);
        rule.operations().forEach((each) ->
            operations.add(io.millrace.control.message.BlockOperation.valueOf(each.name())));
        return new FaultRuleSpec(FaultAction.valueOf(rule.effect().name()), operations, rule.lbaFrom(),
            Long.MAX_VALUE == rule.lbaTo() ? 0 : rule.lbaTo() - rule.lbaFrom() + 1, rule.probability(), rule.count(),
            rule.delayNs(), nvmeStatus(rule.status()), rule.every());
    }

    private static int nvmeStatus(final BlockStatus status)
    {
        return switch (status)
        {
            case SUCCESS -> 0;
            case MEDIA_ERROR -> NvmeStatus.UNRECOVERED_READ_ERROR;
            case DEVICE_ERROR -> NvmeStatus.INTERNAL_ERROR;
            case CAPACITY_EXCEEDED -> NvmeStatus.CAPACITY_EXCEEDED;
            case COMPARE_FAILURE -> NvmeStatus.COMPARE_FAILURE;
            case NOT_SUPPORTED -> NvmeStatus.INVALID_OPCODE;
            case WRITE_PROTECTED -> NvmeStatus.NAMESPACE_WRITE_PROTECTED;
            case OUT_OF_RANGE -> NvmeStatus.LBA_OUT_OF_RANGE;
            case ABORTED -> NvmeStatus.ABORT_REQUESTED;
        };
    }
}

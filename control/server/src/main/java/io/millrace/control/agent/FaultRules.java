package io.millrace.control.agent;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultEffect;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.nvme.NvmeStatus;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * From fault rules of the protocol to those of a device. Stateless.
 */
final class FaultRules
{
    private FaultRules()
    {
    }

    static FaultPlan plan(final long seed, final List<FaultRuleSpec> specs)
    {
        final List<FaultRule> rules = new ArrayList<>(specs.size());
        for (final FaultRuleSpec spec : specs)
        {
            final FaultEffect effect = effect(spec);
            rules.add(new FaultRule(effect, operations(effect, spec), spec.firstBlock(), lastBlock(spec),
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
                "fault action is none that this data plane knows; use a client of its version");
        };
    }

    private static Set<BlockOperation> operations(final FaultEffect effect, final FaultRuleSpec spec)
    {
        if (spec.operations().size() == io.millrace.control.message.BlockOperation.values().length)
        {
            // All that the protocol can name: those that it cannot are meant too.
            return EnumSet.allOf(BlockOperation.class);
        }
        final Set<BlockOperation> operations = EnumSet.noneOf(BlockOperation.class);
        spec.operations().forEach((each) -> operations.add(BlockOperation.valueOf(each.name())));
        // The protocol has no name for copies; they are lost with writes.
        if (FaultEffect.LOST_WRITE == effect && operations.contains(BlockOperation.WRITE))
        {
            operations.add(BlockOperation.COPY);
        }
        return operations;
    }

    private static long lastBlock(final FaultRuleSpec spec)
    {
        // Past the largest number is past the end of any device.
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
                " is none that a device ends with; use 0x280, 0x281, 0x285, 0x1, 0x6, 0x7, 0x20, 0x80 or 0x81");
        };
    }
}

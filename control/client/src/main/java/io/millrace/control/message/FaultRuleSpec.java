package io.millrace.control.message;

import io.millrace.control.codec.FaultAction;
import java.util.Objects;
import java.util.Set;

/**
 * Which requests of a fault device meet which fault.
 *
 * @param action      what happens.
 * @param operations  to which; none: all.
 * @param firstBlock  of the range.
 * @param blocks      of the range; 0: to the end.
 * @param probability above 0, at most 1.
 * @param limit       how often at most; 0: without end.
 * @param delayNs     of {@link FaultAction#DELAY}; else 0.
 * @param status      NVMe status code of {@link FaultAction#ERROR}, type in bits 10:8, up to 0x7FF; 0: the
 *                    default.
 * @param every       each n-th request that fits; 0 and 1: all.
 */
public record FaultRuleSpec(
    FaultAction action,
    Set<BlockOperation> operations,
    long firstBlock,
    long blocks,
    double probability,
    long limit,
    long delayNs,
    int status,
    long every)
{
    /**
     * Rejects null.
     */
    public FaultRuleSpec
    {
        Objects.requireNonNull(action, "action");
        operations = Set.copyOf(operations);
    }
}

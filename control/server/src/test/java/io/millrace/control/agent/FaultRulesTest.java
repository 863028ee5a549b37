package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockOperation;
import io.millrace.control.codec.FaultAction;
import io.millrace.control.message.FaultRuleSpec;
import io.millrace.control.state.FaultRuleValues;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Which operations a rule of the protocol reaches, which has no names for Verify and Copy.
 */
class FaultRulesTest
{
    private static Set<BlockOperation> reached(
        final FaultAction action, final Set<io.millrace.control.message.BlockOperation> named)
    {
        final FaultRuleSpec spec = new FaultRuleSpec(action, named, 0, 0, 1, 0, 0, 0, 1);
        return FaultRules.plan(1, List.of(spec)).rules().getFirst().operations();
    }

    @Test
    void shouldReachEveryOperationWithNoneNamedAndWithAllNamed()
    {
        final Set<BlockOperation> all = EnumSet.allOf(BlockOperation.class);
        assertEquals(all, reached(FaultAction.ERROR, Set.of()));
        assertEquals(all, reached(FaultAction.HANG, EnumSet.allOf(io.millrace.control.message.BlockOperation.class)));
    }

    @Test
    void shouldReachNoOtherThanThoseNamed()
    {
        for (final var each : io.millrace.control.message.BlockOperation.values())
        {
            assertEquals(
                Set.of(BlockOperation.valueOf(each.name())), reached(FaultAction.ERROR, Set.of(each)));
        }
    }

    @Test
    void shouldTellTheRulesOfAPlanAsTheyWereSet()
    {
        final List<FaultRuleSpec> rules = FaultRuleValues.canonical(List.of(
            new FaultRuleSpec(FaultAction.ERROR, Set.of(), 0, 0, 1, 0, 0, 0, 0),
            new FaultRuleSpec(FaultAction.DELAY, Set.of(io.millrace.control.message.BlockOperation.READ), 7, 9, 0.25, 3,
            1_000_000, 0, 5),
            new FaultRuleSpec(FaultAction.TORN_WRITE, EnumSet.of(io.millrace.control.message.BlockOperation.WRITE,
            io.millrace.control.message.BlockOperation.COPY), 0, Long.MAX_VALUE, 1, 0, 0, 0x7, 1),
            new FaultRuleSpec(FaultAction.LOST_WRITE, Set.of(), 5, Long.MAX_VALUE, 1, 0, 0, 0, 1),
            new FaultRuleSpec(FaultAction.HANG, Set.of(), 0, 1, 1, 1, 0, 0, 1)));
        assertEquals(rules, FaultRules.specs(FaultRules.plan(1, rules)));
        for (final int status : FaultRuleValues.STATUS.values())
        {
            final List<FaultRuleSpec> rule = List.of(
                new FaultRuleSpec(FaultAction.ERROR, Set.of(), 0, 0, 1, 0, 0, status, 1));
            assertEquals(rule, FaultRules.specs(FaultRules.plan(1, rule)));
        }
    }
}

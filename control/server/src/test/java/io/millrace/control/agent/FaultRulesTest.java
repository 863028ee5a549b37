package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockOperation;
import io.millrace.control.codec.FaultAction;
import io.millrace.control.message.FaultRuleSpec;
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
    void shouldLoseCopiesWithWrites()
    {
        assertEquals(Set.of(BlockOperation.WRITE, BlockOperation.COPY),
            reached(FaultAction.LOST_WRITE, Set.of(io.millrace.control.message.BlockOperation.WRITE)));
        assertEquals(Set.of(BlockOperation.DEALLOCATE),
            reached(FaultAction.LOST_WRITE, Set.of(io.millrace.control.message.BlockOperation.DEALLOCATE)));
    }
}

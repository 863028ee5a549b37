package io.millrace.manager.plane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.control.message.Command;
import io.millrace.control.state.StateStep;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest
{
    @Test
    void shouldGiveEachWithheldStepItsReason()
    {
        final StateStep delete = step(new Command.DeleteDevice("a"));
        final StateStep other = step(new Command.DeleteDevice("b"));
        final StateStep allow = step(new Command.AllowHost("nqn.2026-11.io.s", "nqn.2026-11.io.h"));
        final String removes = "removes a resource that this desired state did not create)";
        final String end = "; see 'millrace dataplane drift'";
        assertEquals("1 step needs confirmation: delete device a (" + removes + end,
            Comparison.withheld(List.of(delete)));
        assertEquals("3 steps need confirmation: delete device a, delete device b (each " + removes +
            ", allow host nqn.2026-11.io.h on nqn.2026-11.io.s (allows access that may have been revoked directly)" +
            end, Comparison.withheld(List.of(delete, allow, other)));
    }

    private static StateStep step(final Command command)
    {
        return new StateStep(command, StateStep.Effect.CHANGE, false, "");
    }
}

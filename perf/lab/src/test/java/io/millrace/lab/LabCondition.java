package io.millrace.lab;

import io.millrace.testing.Requirement;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * Asks {@code lab doctor} once whether machines can be started here.
 */
final class LabCondition implements ExecutionCondition
{
    private static final String MISSING = Lab.missing();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(final ExtensionContext context)
    {
        try
        {
            Requirement.require(MISSING.isEmpty(), "the lab cannot run here", MISSING);
            return ConditionEvaluationResult.enabled("the lab has what it needs");
        }
        catch (final TestAbortedException e)
        {
            // Machines start before the tests of a class, which is therefore skipped as a whole.
            return ConditionEvaluationResult.disabled(e.getMessage());
        }
    }
}

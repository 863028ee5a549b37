package io.millrace.lab;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Asks {@code lab doctor} once whether machines can be started here.
 */
final class LabCondition implements ExecutionCondition
{
    private static final String MISSING = Lab.missing();

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(final ExtensionContext context)
    {
        if (MISSING.isEmpty())
        {
            return ConditionEvaluationResult.enabled("the lab has what it needs");
        }
        if ("true".equals(System.getenv("CI")))
        {
            throw new IllegalStateException("CI=true, and the lab cannot run: " + MISSING);
        }
        return ConditionEvaluationResult.disabled("the lab cannot run here: " + MISSING);
    }
}

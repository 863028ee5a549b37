package io.millrace.seed;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Gives properties of jqwik the seed of the run, and names it in their failures. Registered for all properties, by
 * {@code META-INF/services}.
 */
public final class SeedHook implements AroundPropertyHook
{
    /** Called by jqwik. */
    public SeedHook()
    {
    }

    @Override
    public PropertyExecutionResult aroundProperty(
        final PropertyLifecycleContext context, final PropertyExecutor property)
    {
        if (context.attributes().seed().isEmpty())
        {
            context.attributes().setSeed(Long.toString(TestSeeds.seed()));
        }
        final PropertyExecutionResult result = property.execute();
        result.throwable().ifPresent((failure) ->
            TestSeeds.addTo(failure, context.containerClass(), context.targetMethod().getName()));
        return result;
    }

    @Override
    public PropagationMode propagateTo()
    {
        return PropagationMode.ALL_DESCENDANTS;
    }
}

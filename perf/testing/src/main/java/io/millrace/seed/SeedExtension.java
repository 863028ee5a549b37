package io.millrace.seed;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Names the seed of the run in each failure of a JUnit test. Registered for all tests, by {@code META-INF/services}.
 */
public final class SeedExtension implements TestExecutionExceptionHandler, LifecycleMethodExecutionExceptionHandler
{
    /** Called by JUnit. */
    public SeedExtension()
    {
    }

    @Override
    public void handleTestExecutionException(final ExtensionContext context, final Throwable throwable)
        throws Throwable
    {
        fail(context, throwable);
    }

    @Override
    public void handleBeforeEachMethodExecutionException(final ExtensionContext context, final Throwable throwable)
        throws Throwable
    {
        fail(context, throwable);
    }

    @Override
    public void handleAfterEachMethodExecutionException(final ExtensionContext context, final Throwable throwable)
        throws Throwable
    {
        fail(context, throwable);
    }

    private static void fail(final ExtensionContext context, final Throwable throwable) throws Throwable
    {
        TestSeeds.addTo(throwable, context.getRequiredTestClass(), context.getRequiredTestMethod().getName());
        throw throwable;
    }
}

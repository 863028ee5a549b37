package io.millrace.nvmf.initiator;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Bounded waiting.
 */
public final class Waits
{
    private static final long LIMIT_S = 60;
    private static final long PAUSE_NS = 200_000;

    private Waits()
    {
    }

    public static <T> T get(final CompletableFuture<T> future)
    {
        try
        {
            return future.get(LIMIT_S, TimeUnit.SECONDS);
        }
        catch (final ExecutionException e)
        {
            throw new AssertionError("failed: " + e.getCause(), e.getCause());
        }
        catch (final InterruptedException | TimeoutException e)
        {
            throw new AssertionError("not done within " + LIMIT_S + " s", e);
        }
    }

    /** What a future fails with. */
    public static Throwable failure(final CompletableFuture<?> future)
    {
        try
        {
            throw new AssertionError("succeeded with " + future.get(LIMIT_S, TimeUnit.SECONDS));
        }
        catch (final ExecutionException e)
        {
            return e.getCause();
        }
        catch (final InterruptedException | TimeoutException e)
        {
            throw new AssertionError("not done within " + LIMIT_S + " s", e);
        }
    }

    public static void until(final String what, final BooleanSupplier condition)
    {
        until(what, LIMIT_S, condition);
    }

    public static void until(final String what, final long limitS, final BooleanSupplier condition)
    {
        until(() -> what, limitS, condition);
    }

    /** With words that are found at the end of the time. */
    public static void until(final Supplier<String> what, final BooleanSupplier condition)
    {
        until(what, LIMIT_S, condition);
    }

    private static void until(final Supplier<String> what, final long limitS, final BooleanSupplier condition)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitS);
        while (!condition.getAsBoolean())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                throw new AssertionError("not so within " + limitS + " s: " + what.get());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}

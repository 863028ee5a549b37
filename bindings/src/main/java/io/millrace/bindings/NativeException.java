package io.millrace.bindings;

import java.io.Serial;

/**
 * A native function failed during set-up. Carries the function's name and its {@code errno}.
 * Never thrown per I/O: there the negated {@code errno} is returned.
 */
public final class NativeException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final String function;
    private final int errno;

    /**
     * Made where a set-up call failed.
     *
     * @param function that failed, as C names it, with what helps of its arguments.
     * @param errno    it left, positive.
     */
    public NativeException(final String function, final int errno)
    {
        super(function + ": " + Errno.describe(errno));
        this.function = function;
        this.errno = errno;
    }

    /**
     * Throws when a call failed, otherwise hands its result through.
     *
     * @param function that was called, for the message.
     * @param result   of the call: negative is a negated {@code errno}.
     * @return the result, not negative.
     */
    public static long check(final String function, final long result)
    {
        if (result < 0)
        {
            throw new NativeException(function, (int)-result);
        }
        return result;
    }

    /**
     * As {@link #check(String, long)} for functions that answer an {@code int}.
     *
     * @param function that was called, for the message.
     * @param result   of the call: negative is a negated {@code errno}.
     * @return the result, not negative.
     */
    public static int check(final String function, final int result)
    {
        return (int)check(function, (long)result);
    }

    /**
     * {@return the function that failed, as C names it}
     */
    public String function()
    {
        return function;
    }

    /**
     * {@return the error number, positive}
     */
    public int errno()
    {
        return errno;
    }
}

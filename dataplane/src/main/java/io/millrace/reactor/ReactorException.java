package io.millrace.reactor;

import java.io.Serial;

/**
 * A reactor cannot be set up. The message names the reactor, the value that is at fault, its bound and the remedy.
 */
public final class ReactorException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Made where set-up failed.
     *
     * @param message one line for the operator.
     * @param cause   of it, or null.
     */
    public ReactorException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}

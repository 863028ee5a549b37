package io.millrace.perf.load;

import java.io.Serial;

/**
 * A load cannot be run as configured. The message is one sentence that names setting, value, bound and remedy.
 */
public final class LoadException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Made where a load is configured or begun.
     *
     * @param message of one sentence.
     */
    public LoadException(final String message)
    {
        super(message);
    }

    /**
     * Made where a load is configured or begun.
     *
     * @param message of one sentence.
     * @param cause   of the failure.
     */
    public LoadException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}

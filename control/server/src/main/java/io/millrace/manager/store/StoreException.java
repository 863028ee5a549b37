package io.millrace.manager.store;

import java.io.Serial;

/**
 * Kept state cannot be used as it is. The message is one line: file, line, what is wrong, remedy.
 */
public final class StoreException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Made where that was found.
     *
     * @param message one line.
     */
    public StoreException(final String message)
    {
        super(message);
    }

    /**
     * Made where that was found.
     *
     * @param message one line.
     * @param cause   or null.
     */
    public StoreException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}

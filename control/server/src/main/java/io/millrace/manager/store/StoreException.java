package io.millrace.manager.store;

import java.io.Serial;

/**
 * Persistent state is damaged or unavailable. The message is one line: file, line, problem, remedy.
 */
public class StoreException extends RuntimeException
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

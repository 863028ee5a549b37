package io.millrace.lock;

import java.io.IOException;

/**
 * A lock that somebody else has. The message names who, if that can be found.
 */
public final class LockedException extends IOException
{
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message who has it, with what.
     */
    LockedException(final String message)
    {
        super(message);
    }
}

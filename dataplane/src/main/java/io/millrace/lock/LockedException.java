package io.millrace.lock;

import java.io.IOException;

/**
 * A lock is held by another process. The message names the process, if it can be found.
 */
public final class LockedException extends IOException
{
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message naming the holder.
     */
    LockedException(final String message)
    {
        super(message);
    }
}

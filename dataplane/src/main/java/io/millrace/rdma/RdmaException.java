package io.millrace.rdma;

import java.io.Serial;

/**
 * RDMA cannot be used as was asked. The message says what was tried, what the reason is and what to check. Set-up only.
 */
public final class RdmaException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Made where it failed.
     *
     * @param message with what was tried, the reason and the remedy.
     */
    public RdmaException(final String message)
    {
        super(message);
    }
}

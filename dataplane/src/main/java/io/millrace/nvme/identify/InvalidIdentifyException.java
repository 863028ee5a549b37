package io.millrace.nvme.identify;

import java.io.Serial;

/**
 * Identify data contradict themselves or the specification, so that the controller or namespace cannot be used. The
 * message goes on after the controller's name, such as {@code has namespace 1 with blocks of 2^3 bytes ...}.
 */
public final class InvalidIdentifyException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    InvalidIdentifyException(final String message)
    {
        super(message);
    }
}

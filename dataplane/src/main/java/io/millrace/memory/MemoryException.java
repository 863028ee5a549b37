package io.millrace.memory;

/**
 * Memory was refused by one of those that need to know of it, or is still held by one. Set-up only.
 */
public final class MemoryException extends IllegalStateException
{
    private static final long serialVersionUID = 1;

    MemoryException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}

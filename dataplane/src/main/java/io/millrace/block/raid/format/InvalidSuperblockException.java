package io.millrace.block.raid.format;

import java.io.Serial;

/**
 * A device has a superblock of Millrace that this build cannot use: damaged, or written by a later version. The message
 * is one sentence that names the field, its value and the remedy.
 */
public final class InvalidSuperblockException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Made where a superblock is decoded.
     *
     * @param message with field, value and remedy.
     */
    public InvalidSuperblockException(final String message)
    {
        super(message);
    }

    /**
     * Made where a superblock is decoded.
     *
     * @param message with field, value and remedy.
     * @param cause   the problem of the values.
     */
    public InvalidSuperblockException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}

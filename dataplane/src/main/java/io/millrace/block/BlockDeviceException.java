package io.millrace.block;

import java.io.Serial;

/**
 * A device cannot be created or opened. The message names the setting, the value, the bound and the remedy. Never
 * thrown per I/O: there a {@link BlockStatus} is reported.
 */
public final class BlockDeviceException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Made where a device is configured or opened.
     *
     * @param message with name, value, bound and remedy.
     */
    public BlockDeviceException(final String message)
    {
        super(message);
    }

    /**
     * Made where a device is configured or opened.
     *
     * @param message with name, value, bound and remedy.
     * @param cause   such as the native call that failed.
     */
    public BlockDeviceException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}

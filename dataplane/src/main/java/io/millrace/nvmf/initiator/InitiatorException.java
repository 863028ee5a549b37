package io.millrace.nvmf.initiator;

import java.io.Serial;

/**
 * A target cannot be reached, refuses the host or breaks the protocol, or a setting is out of bounds. The message is
 * one sentence that names what, the value and the remedy. Never thrown per I/O: there {@link HostRequest#status()} says
 * how it went.
 */
public final class InitiatorException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /**
     * Made where set-up failed.
     *
     * @param message of one sentence.
     */
    public InitiatorException(final String message)
    {
        super(message);
    }

    /**
     * Made where set-up failed.
     *
     * @param message of one sentence.
     * @param cause   of the failure.
     */
    public InitiatorException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}

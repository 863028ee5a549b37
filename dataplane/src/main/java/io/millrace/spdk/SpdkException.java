package io.millrace.spdk;

import java.io.Serial;

/**
 * SPDK could not be started or asked: one sentence with the remedy.
 */
public final class SpdkException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private static final String SUBJECT = "spdk: ";

    /**
     * Without a cause.
     *
     * @param message one sentence with the remedy.
     */
    public SpdkException(final String message)
    {
        super(message);
    }

    /**
     * With a cause.
     *
     * @param message one sentence with the remedy.
     * @param cause   of the failure.
     */
    public SpdkException(final String message, final Throwable cause)
    {
        super(message, cause);
    }

    /**
     * {@return the message without its subject}
     */
    public String problem()
    {
        return getMessage().startsWith(SUBJECT) ? getMessage().substring(SUBJECT.length()) : getMessage();
    }
}

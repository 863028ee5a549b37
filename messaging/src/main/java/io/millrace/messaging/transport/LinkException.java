package io.millrace.messaging.transport;

/**
 * A connection or a listener cannot begin. Thrown by set-up only.
 */
public final class LinkException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    private final EndpointStatus status;

    /**
     * Makes one.
     *
     * @param status kind of the failure.
     * @param reason in a sentence, with what to check.
     */
    public LinkException(final EndpointStatus status, final String reason)
    {
        super(reason);
        this.status = status;
    }

    /**
     * {@return the kind of the failure}
     */
    public EndpointStatus status()
    {
        return status;
    }
}

package io.millrace.rdma;

import java.io.Serial;

/**
 * RDMA cannot be used as was asked. The message says what was tried, what the reason is and what to check. Set-up only.
 */
public final class RdmaException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    private final String reason;
    private final String remedy;
    private final int errno;

    /**
     * Made where it failed.
     *
     * @param message with what was tried, the reason and the remedy.
     */
    public RdmaException(final String message)
    {
        super(message);
        reason = message;
        remedy = "";
        errno = 0;
    }

    /**
     * Made where a call failed.
     *
     * @param tried  what was tried, with its address; empty where the reason says it.
     * @param reason why it failed.
     * @param remedy what to do; empty when nothing is known.
     * @param errno  number of the error, positive.
     */
    public RdmaException(final String tried, final String reason, final String remedy, final int errno)
    {
        super((tried.isEmpty() ? "" : tried + ": ") + reason + (remedy.isEmpty() ? "" : "; " + remedy));
        this.reason = reason;
        this.remedy = remedy;
        this.errno = errno;
    }

    /**
     * {@return why it failed, without what was tried and without the remedy where those are known; else the message}
     */
    public String reason()
    {
        return reason;
    }

    /**
     * {@return what to do; empty when it is part of the reason, or nothing is known}
     */
    public String remedy()
    {
        return remedy;
    }

    /**
     * {@return the error number of the call that failed, positive; 0 when there is none}
     */
    public int errno()
    {
        return errno;
    }
}

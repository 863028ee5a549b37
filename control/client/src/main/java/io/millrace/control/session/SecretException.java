package io.millrace.control.session;

import java.io.Serial;

/**
 * A shared secret cannot be used. The message is one sentence with file, reason and remedy, and never the secret.
 */
public final class SecretException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    SecretException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}

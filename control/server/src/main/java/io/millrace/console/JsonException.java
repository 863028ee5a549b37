package io.millrace.console;

import java.io.Serial;

/**
 * A text is no JSON, or beyond what is read. The message says what is wrong, and at which character.
 */
public final class JsonException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    JsonException(final String problem, final int position)
    {
        super(problem + " at character " + (position + 1));
    }
}

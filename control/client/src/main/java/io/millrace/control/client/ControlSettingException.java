package io.millrace.control.client;

import java.io.Serial;

/**
 * A setting of a client is unavailable. The message is one line: setting, value, bound, remedy. Thrown before anything
 * was started.
 */
public final class ControlSettingException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    ControlSettingException(final String setting, final Object value, final String bound, final String remedy)
    {
        super(setting + " = " + value + ": " + bound + "; " + remedy);
    }
}

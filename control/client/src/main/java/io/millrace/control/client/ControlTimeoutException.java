package io.millrace.control.client;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import java.io.Serial;

/**
 * No answer came in time, or no session could be opened in time. Whether a command was carried out is not known; it
 * may be given again with the same id.
 */
public final class ControlTimeoutException extends ControlException
{
    @Serial
    private static final long serialVersionUID = 1L;

    ControlTimeoutException(final String text)
    {
        super(Code.NULL_VAL, text);
    }
}

package io.millrace.control.client;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import java.io.Serial;

/**
 * The client has as many outstanding commands as {@link ControlClientContext#outstandingMax(int)} permits. The command
 * was not sent: submit it again when others are done.
 */
public final class ControlOverloadedException extends ControlException
{
    @Serial
    private static final long serialVersionUID = 1L;

    ControlOverloadedException(final int count, final int bound)
    {
        super(Code.OVERLOADED, count + " more commands would exceed outstandingMax = " + bound +
            ": wait for answers before you submit more, or raise outstandingMax");
    }
}

package io.millrace.control.agent;

import io.millrace.block.BlockDeviceException;
import io.millrace.control.codec.Code;
import io.millrace.dataplane.OperationException;
import java.util.concurrent.CompletionException;

/**
 * How a command went. Immutable.
 *
 * @param code  of it.
 * @param value port taken by a listener, else 0.
 * @param text  one sentence when it did not go well.
 */
record Reply(Code code, long value, String text)
{
    static final Reply OK = new Reply(Code.OK, 0, "");

    static Reply of(final Throwable failure)
    {
        return switch (failure)
        {
            case final OperationException e -> new Reply(codeOf(e.reason()), 0, e.getMessage());
            case final BlockDeviceException e -> new Reply(Code.INVALID, 0, e.getMessage());
            case final IllegalArgumentException e -> new Reply(Code.INVALID, 0, e.getMessage());
            case final CompletionException e when null != e.getCause() -> of(e.getCause());
            default -> new Reply(Code.FAILED, 0, "the data plane failed: " + failure);
        };
    }

    private static Code codeOf(final OperationException.Reason reason)
    {
        return switch (reason)
        {
            case NOT_FOUND -> Code.NOT_FOUND;
            case EXISTS -> Code.EXISTS;
            case IN_USE -> Code.IN_USE;
            case INVALID -> Code.INVALID;
            case UNSUPPORTED -> Code.UNSUPPORTED;
            case FAILED -> Code.FAILED;
        };
    }
}

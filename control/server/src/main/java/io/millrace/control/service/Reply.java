package io.millrace.control.service;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import java.util.Objects;
import java.util.concurrent.CompletionException;

/**
 * Reply to a command. Immutable.
 *
 * @param code  of the result.
 * @param value port taken by a listener, else 0.
 * @param text  one sentence if it failed.
 */
public record Reply(Code code, long value, String text)
{
    /** Success without a message. */
    public static final Reply OK = new Reply(Code.OK, 0, "");

    /**
     * Rejects null.
     */
    public Reply
    {
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(text, "text");
    }

    /**
     * A refusal.
     *
     * @param code other than OK.
     * @param text one sentence.
     * @return the reply.
     */
    public static Reply refused(final Code code, final String text)
    {
        return new Reply(code, 0, text);
    }

    static Reply of(final Throwable failure)
    {
        return switch (failure)
        {
            case final ControlException e -> refused(e.code(), e.getMessage());
            case final CompletionException e when null != e.getCause() -> of(e.getCause());
            default -> refused(Code.FAILED, "internal error: " + failure);
        };
    }
}

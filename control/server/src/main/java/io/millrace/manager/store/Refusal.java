package io.millrace.manager.store;

import io.millrace.control.codec.Code;
import io.millrace.control.message.CommandId;
import java.util.Objects;

/**
 * A command that was refused, and how: what a version has came after it, so that it must not be tried again on that.
 * Immutable.
 *
 * @param id   of the command.
 * @param code of the answer, other than OK.
 * @param text of the answer.
 */
public record Refusal(CommandId id, Code code, String text)
{
    /**
     * Rejects null.
     */
    public Refusal
    {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(text, "text");
    }
}

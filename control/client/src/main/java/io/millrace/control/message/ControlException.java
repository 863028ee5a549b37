package io.millrace.control.message;

import io.millrace.control.codec.Code;
import java.io.Serial;

/**
 * A command was not carried out. The message is one sentence for people.
 */
public class ControlException extends RuntimeException
{
    @Serial
    private static final long serialVersionUID = 1L;

    /** How the data plane answered. */
    private final Code code;

    /**
     * Made of an answer.
     *
     * @param code how the data plane answered; {@link Code#NULL_VAL} when no answer came.
     * @param text one sentence.
     */
    public ControlException(final Code code, final String text)
    {
        super(text);
        this.code = code;
    }

    /**
     * {@return how the data plane answered; {@link Code#NULL_VAL} when no answer came, {@link Code#SBE_UNKNOWN} when
     * it is a code of a later version}
     */
    public Code code()
    {
        return code;
    }
}

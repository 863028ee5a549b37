package io.millrace.control.state;

import io.millrace.control.message.Command;
import java.util.Objects;

/**
 * A command of a plan. Immutable.
 *
 * @param command     to send.
 * @param effect      what it does to what is there.
 * @param destructive whether data is lost, or hosts find something else where they found theirs; not to be done
 *                    unasked.
 * @param sentence    what it does, for people.
 */
public record StateStep(Command command, Effect effect, boolean destructive, String sentence)
{
    /** What a step does to what is there. */
    public enum Effect
    {
        /** Something new is made. */
        CREATE,
        /** Something is changed and stays. */
        CHANGE,
        /** Something is taken away. */
        REMOVE
    }

    /**
     * Refuses null.
     */
    public StateStep
    {
        Objects.requireNonNull(command, "command");
        Objects.requireNonNull(effect, "effect");
        Objects.requireNonNull(sentence, "sentence");
    }

    /**
     * {@return one character for lists: {@code !} destroys, {@code +} creates, {@code ~} changes, {@code -} removes}
     */
    public char mark()
    {
        return destructive ? '!' : switch (effect)
        {
            case CREATE -> '+';
            case CHANGE -> '~';
            case REMOVE -> '-';
        };
    }
}

package io.millrace.control.state;

import io.millrace.control.message.Command;
import java.util.Objects;

/**
 * A command of a plan. Immutable.
 *
 * @param command     to send.
 * @param effect      on the resource.
 * @param destructive whether data is lost, or a resource is replaced or taken from connected hosts; needs
 *                    confirmation.
 * @param sentence    what it does, for people.
 */
public record StateStep(Command command, Effect effect, boolean destructive, String sentence)
{
    /** Effect of a step. */
    public enum Effect
    {
        /** A resource is created. */
        CREATE,
        /** A resource is changed in place. */
        CHANGE,
        /** A resource is removed. */
        REMOVE
    }

    /**
     * Rejects null.
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

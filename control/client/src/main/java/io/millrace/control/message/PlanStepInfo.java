package io.millrace.control.message;

import io.millrace.control.codec.Effect;
import java.util.Objects;

/**
 * A step of the plan that a manager made for a {@link Command.ReplaceState}, or what is in its way.
 *
 * @param effect      what it does.
 * @param destructive whether data is lost, or hosts find something else where they found theirs.
 * @param sentence    what it does, for people.
 */
public record PlanStepInfo(Effect effect, boolean destructive, String sentence) implements Resource
{
    /**
     * Refuses null.
     */
    public PlanStepInfo
    {
        Objects.requireNonNull(effect, "effect");
        Objects.requireNonNull(sentence, "sentence");
    }
}

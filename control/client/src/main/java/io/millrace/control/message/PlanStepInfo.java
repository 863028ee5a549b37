package io.millrace.control.message;

import io.millrace.control.codec.Effect;
import java.util.Objects;

/**
 * A step of the plan that a manager made for a {@link Command.ReplaceState}, or what is in its way.
 *
 * @param effect      what it does.
 * @param destructive whether data is lost, or a resource that hosts use is replaced.
 * @param sentence    what it does, for people.
 */
public record PlanStepInfo(Effect effect, boolean destructive, String sentence) implements Resource
{
    /**
     * Rejects null.
     */
    public PlanStepInfo
    {
        Objects.requireNonNull(effect, "effect");
        Objects.requireNonNull(sentence, "sentence");
    }
}

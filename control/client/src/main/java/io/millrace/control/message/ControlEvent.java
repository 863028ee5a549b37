package io.millrace.control.message;

import io.millrace.control.codec.Change;
import io.millrace.control.codec.Kind;
import java.util.Objects;

/**
 * Something happened to a resource of a data plane.
 *
 * @param sequence in its session, from 1 without gaps.
 * @param epochNs  since 1970, by the clock of the data plane.
 * @param kind     of the resource.
 * @param change   what happened.
 * @param name     of the resource.
 * @param text     one sentence, or empty.
 */
public record ControlEvent(long sequence, long epochNs, Kind kind, Change change, String name, String text)
{
    /**
     * Rejects null.
     */
    public ControlEvent
    {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(text, "text");
    }
}

package io.millrace.control.service;

import io.millrace.control.codec.Change;
import io.millrace.control.codec.Kind;
import java.util.Objects;

/**
 * Something that happened, to be told to sessions that subscribed. Immutable.
 *
 * @param dataPlane that it happened to: told to sessions about it alone; empty: told to all.
 * @param epochNs   since 1970.
 * @param kind      of the resource.
 * @param change    what happened.
 * @param name      of the resource.
 * @param text      one sentence, or empty.
 */
public record ServiceEvent(String dataPlane, long epochNs, Kind kind, Change change, String name, String text)
{
    /**
     * Refuses null.
     */
    public ServiceEvent
    {
        Objects.requireNonNull(dataPlane, "dataPlane");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(change, "change");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(text, "text");
    }
}

package io.millrace.control.service;

import io.millrace.control.codec.Change;
import io.millrace.control.codec.Kind;
import java.util.Objects;

/**
 * An event for sessions that subscribed. Immutable.
 *
 * @param dataPlane of the event, sent only to its sessions; empty: sent to all.
 * @param epochNs   since 1970.
 * @param kind      of the resource.
 * @param change    what happened.
 * @param name      of the resource.
 * @param text      one sentence, or empty.
 */
public record ServiceEvent(String dataPlane, long epochNs, Kind kind, Change change, String name, String text)
{
    /**
     * Rejects null.
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

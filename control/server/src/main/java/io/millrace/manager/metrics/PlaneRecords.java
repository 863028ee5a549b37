package io.millrace.manager.metrics;

import io.millrace.control.message.Resource;
import java.util.List;
import java.util.Objects;

/**
 * What a manager knows of one of its data planes at a moment. Immutable.
 *
 * @param name      that the manager gives it.
 * @param connected whether it was reached; if not, there is only its {@link io.millrace.control.message.ManagedInfo}.
 * @param resources of all kinds that it tells of, and the manager's own record of it.
 */
public record PlaneRecords(String name, boolean connected, List<Resource> resources)
{
    /**
     * Rejects null, and copies the list.
     */
    public PlaneRecords
    {
        Objects.requireNonNull(name, "name");
        resources = List.copyOf(resources);
    }
}

package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Data planes of a manager by name, in the order of its configuration.
 */
final class ManagedPlanes
{
    private final Map<String, ManagedPlane> planes = new LinkedHashMap<>();

    void add(final ManagedPlane plane)
    {
        planes.put(plane.name(), plane);
    }

    int size()
    {
        return planes.size();
    }

    Collection<ManagedPlane> all()
    {
        return planes.values();
    }

    /** The named one, or all for an empty name. */
    Stream<ManagedPlane> matching(final String name)
    {
        return planes.values().stream().filter((each) -> name.isEmpty() || name.equals(each.name()));
    }

    /** The data plane of a name, which may be empty; null: unknown. */
    ManagedPlane get(final String name)
    {
        return planes.get(name);
    }

    /** Data plane of a session: the wanted one, the only one, or empty; throws ControlException if it is unknown. */
    String resolve(final String wanted)
    {
        if (wanted.isEmpty())
        {
            return 1 == planes.size() ? planes.keySet().iterator().next() : "";
        }
        if (!planes.containsKey(wanted))
        {
            throw unknown(wanted);
        }
        return wanted;
    }

    /** Refusal of a name that no data plane has. */
    ControlException unknown(final String name)
    {
        return new ControlException(Code.NOT_FOUND, "no data plane " + name + " here; this manager has " + names());
    }

    /** Error message for a request that names no data plane and needs one. */
    String nameRequired()
    {
        return "which data plane? name one with --data-plane: " + names();
    }

    private String names()
    {
        return String.join(", ", planes.keySet());
    }
}

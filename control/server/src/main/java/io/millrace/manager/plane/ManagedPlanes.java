package io.millrace.manager.plane;

import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Data planes of a manager by name, in the order of its configuration.
 */
public final class ManagedPlanes
{
    private final Map<String, ManagedPlane> planes = new LinkedHashMap<>();

    /** Has none yet. */
    public ManagedPlanes()
    {
    }

    /**
     * Adds a data plane, at set-up.
     *
     * @param plane with a name of its own.
     */
    public void add(final ManagedPlane plane)
    {
        planes.put(plane.name(), plane);
    }

    /** {@return number of data planes} */
    public int size()
    {
        return planes.size();
    }

    /** {@return all data planes, in the order of the configuration} */
    public Collection<ManagedPlane> all()
    {
        return planes.values();
    }

    /**
     * Finds data planes by name.
     *
     * @param name of one; empty: all.
     * @return the named one, or all.
     */
    public Stream<ManagedPlane> matching(final String name)
    {
        return planes.values().stream().filter((each) -> name.isEmpty() || name.equals(each.name()));
    }

    /**
     * Finds a data plane.
     *
     * @param name which may be empty.
     * @return the data plane; null: unknown.
     */
    public ManagedPlane get(final String name)
    {
        return planes.get(name);
    }

    /**
     * Finds the data plane of a session.
     *
     * @param wanted name; empty: the only one.
     * @return its name; empty: there are several and none was named.
     * @throws ControlException if it is unknown.
     */
    public String resolve(final String wanted)
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

    /**
     * Refuses a name that no data plane has.
     *
     * @param name wanted.
     * @return the refusal.
     */
    public ControlException unknown(final String name)
    {
        return new ControlException(Code.NOT_FOUND, "no data plane " + name + " here; this manager has " + names());
    }

    /** {@return error message for a request that names no data plane and needs one} */
    public String nameRequired()
    {
        return "which data plane? name one with --data-plane: " + names();
    }

    private String names()
    {
        return String.join(", ", planes.keySet());
    }
}

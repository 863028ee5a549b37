package io.millrace.control.state;

/**
 * A manager in messages. Stateless.
 */
public final class ManagerName
{
    /** Name of a manager whose configuration has none. */
    public static final String DEFAULT = "manager";

    private ManagerName()
    {
    }

    /**
     * {@return "manager NAME", or "the manager" of a name that says nothing more}
     *
     * @param name of the manager.
     */
    public static String phrase(final String name)
    {
        return DEFAULT.equals(name) ? "the manager" : "manager " + name;
    }
}

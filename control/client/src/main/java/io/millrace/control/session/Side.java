package io.millrace.control.session;

/**
 * An end of a session.
 */
public enum Side
{
    /** Who sends commands. */
    CLIENT("client"),
    /** Who carries them out. */
    DATA_PLANE("data plane");

    private final String label;

    Side(final String label)
    {
        this.label = label;
    }

    String label()
    {
        return label;
    }

    Side other()
    {
        return CLIENT == this ? DATA_PLANE : CLIENT;
    }
}

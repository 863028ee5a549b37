package io.millrace.rdma;

/**
 * Which device, port and GID to use, as a user sets it. Immutable; any thread.
 *
 * @param device   name, or {@link #AUTO}.
 * @param port     number, from 1, or {@link #ANY}.
 * @param gidIndex in the port's table, from 0, or {@link #ANY}.
 */
public record RdmaSettings(String device, int port, int gidIndex)
{
    /** Any device. */
    public static final String AUTO = "auto";
    /** Any port, any GID. */
    public static final int ANY = -1;
    /** What holds when nothing is set: any device, its port 1, any GID. */
    public static final RdmaSettings DEFAULT = new RdmaSettings(AUTO, 1, ANY);
    private static final int PORT_MAX = 255;

    /** Checks the bounds. */
    public RdmaSettings
    {
        if (device.isEmpty())
        {
            throw new RdmaException("device is empty: it must be auto or a name that 'millrace rdma devices' lists");
        }
        if (ANY != port && (port < 1 || port > PORT_MAX))
        {
            throw new RdmaException("port is " + port + ": it must be auto or 1 to " + PORT_MAX);
        }
        if (gidIndex < ANY)
        {
            throw new RdmaException("gid-index is " + gidIndex + ": it must be auto or 0 and above");
        }
    }

    /**
     * {@return whether they name a device or a GID, and so do not leave the choice to the route to a peer}
     */
    public boolean isChosen()
    {
        return !AUTO.equals(device) || ANY != gidIndex;
    }

    /**
     * {@return whether a connection may go by a port of a device; by any when they do not choose}
     *
     * @param name  of its device.
     * @param on    number of its port, from 1.
     * @param index of its GID; negative when it is not known, as on InfiniBand and iWARP.
     */
    public boolean allows(final String name, final int on, final int index)
    {
        return !isChosen() ||
            (AUTO.equals(device) || device.equals(name)) &&
            (ANY == port || port == on) &&
            (ANY == gidIndex || index < 0 || gidIndex == index);
    }

    /**
     * {@return for example {@code device auto, port 1, gid-index auto}}
     */
    @Override
    public String toString()
    {
        return "device " + device + ", port " + text(port) + ", gid-index " + text(gidIndex);
    }

    private static String text(final int number)
    {
        return ANY == number ? AUTO : Integer.toString(number);
    }
}

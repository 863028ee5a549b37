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

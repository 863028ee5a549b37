package io.millrace.dataplane;

import java.net.InetSocketAddress;

/**
 * An NVMe/TCP listener. Immutable.
 *
 * @param address       to listen on; port 0 takes any free one.
 * @param discoveryOnly whether no other subsystem than discovery is reached there.
 */
public record ListenerSettings(InetSocketAddress address, boolean discoveryOnly)
{
    /** IANA's port of NVMe over Fabrics. */
    public static final int PORT_DEFAULT = 4420;
    /** IANA's port of NVMe discovery. */
    public static final int DISCOVERY_PORT = 8009;

    /**
     * A listener where every subsystem is reached.
     *
     * @param address to listen on; port 0 takes any free one.
     */
    public ListenerSettings(final InetSocketAddress address)
    {
        this(address, false);
    }

    /**
     * {@return address and port as people write them: {@code 127.0.0.1:4420}, {@code [::1]:4420}}
     *
     * @param address to write.
     */
    public static String text(final InetSocketAddress address)
    {
        final String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}

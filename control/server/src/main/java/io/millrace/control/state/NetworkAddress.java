package io.millrace.control.state;

import io.millrace.control.codec.Transport;
import io.millrace.validation.AddressText;
import io.millrace.validation.ResourceValidation;
import java.net.InetAddress;
import java.nio.file.Path;

/**
 * Numeric addresses in canonical form: IPv4 with dots, IPv6 as of RFC 5952; directories of vfio-user. Stateless.
 */
public final class NetworkAddress
{
    private static final String RDMA = "rdma://";
    /** Before directories of vfio-user. */
    public static final String VFIO_USER = "vfio-user://";

    private NetworkAddress()
    {
    }

    /**
     * {@return the address of a text, or null when it is none}
     *
     * @param text numeric.
     */
    static InetAddress parse(final String text)
    {
        try
        {
            return InetAddress.ofLiteral(text);
        }
        catch (final IllegalArgumentException _)
        {
            return null;
        }
    }

    /**
     * {@return the canonical form of an address; other texts are unchanged}
     *
     * @param text numeric, or a directory.
     */
    public static String canonical(final String text)
    {
        if (isDirectory(text))
        {
            return Path.of(text).normalize().toString();
        }
        final InetAddress address = parse(text);
        if (null == address)
        {
            return text;
        }
        final String host = address.getHostAddress();
        final int scope = host.indexOf('%');
        return AddressText.of(address) + (scope < 0 ? "" : host.substring(scope));
    }

    /**
     * {@return address and port in text form: {@code 127.0.0.1:4420}, {@code [::1]:4420}}
     *
     * @param address in its one form.
     * @param port    of it.
     */
    public static String text(final String address, final int port)
    {
        return (address.indexOf(':') >= 0 ? '[' + address + ']' : address) + ':' + port;
    }

    /**
     * {@return whether a text may be a directory of vfio-user: an absolute path}
     *
     * @param text of an address.
     */
    public static boolean isDirectory(final String text)
    {
        return text.startsWith("/") && text.indexOf('\0') < 0;
    }

    /**
     * {@return name of a listener: its address and port, with {@code rdma://} before those of RDMA, since a port of TCP
     * and one of RDMA are two; {@code vfio-user://} and the directory}
     *
     * @param transport of the listener.
     * @param address   in its one form.
     * @param port      of it.
     */
    public static String text(final Transport transport, final String address, final int port)
    {
        return Transport.VFIO_USER == transport ? VFIO_USER + address :
            (Transport.RDMA == transport ? RDMA : "") + text(address, port);
    }

    /**
     * {@return whether an address stands for all of the machine}
     *
     * @param address in its one form.
     */
    static boolean isWildcard(final String address)
    {
        final InetAddress parsed = parse(address);
        return null != parsed && parsed.isAnyLocalAddress();
    }

    /**
     * {@return whether the kernel refuses to listen on both at the same port: one stands for every address of the
     * other's family}
     *
     * @param a an address.
     * @param b another.
     */
    static boolean overlap(final String a, final String b)
    {
        final InetAddress first = parse(a);
        final InetAddress second = parse(b);
        return null != first && null != second && ResourceValidation.overlap(first, second);
    }
}

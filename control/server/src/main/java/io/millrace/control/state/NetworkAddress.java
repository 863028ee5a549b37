package io.millrace.control.state;

import io.millrace.validation.ResourceValidation;
import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * Numeric addresses in canonical form: IPv4 with dots, IPv6 as of RFC 5952. Stateless.
 */
public final class NetworkAddress
{
    private static final int GROUPS = 8;

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
     * @param text numeric.
     */
    public static String canonical(final String text)
    {
        final InetAddress address = parse(text);
        if (null == address)
        {
            return text;
        }
        if (!(address instanceof final Inet6Address wide))
        {
            return address.getHostAddress();
        }
        final String host = wide.getHostAddress();
        final int scope = host.indexOf('%');
        return compressed(wide.getAddress()) + (scope < 0 ? "" : host.substring(scope));
    }

    /** Longest run of two or more zero groups becomes "::", the first of equals (RFC 5952, section 4.2). */
    private static String compressed(final byte[] bytes)
    {
        final int[] groups = new int[GROUPS];
        for (int i = 0; i < GROUPS; i++)
        {
            groups[i] = (bytes[2 * i] & 0xFF) << 8 | bytes[2 * i + 1] & 0xFF;
        }
        int start = -1;
        int length = 1;
        for (int i = 0; i < GROUPS; i++)
        {
            int end = i;
            while (end < GROUPS && 0 == groups[end])
            {
                end++;
            }
            if (end - i > length)
            {
                start = i;
                length = end - i;
            }
        }
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < GROUPS; i++)
        {
            if (i == start)
            {
                text.append("::");
                i += length - 1;
            }
            else
            {
                text.append(text.isEmpty() || ':' == text.charAt(text.length() - 1) ? "" : ":")
                    .append(Integer.toHexString(groups[i]));
            }
        }
        return text.toString();
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

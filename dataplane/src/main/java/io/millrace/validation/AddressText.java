package io.millrace.validation;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Text of numeric addresses in canonical form, so that equal addresses have equal texts: IPv4 with dots, IPv6 as of
 * RFC 5952. Stateless.
 */
public final class AddressText
{
    private static final int IPV6_BYTES = 16;
    private static final int GROUPS = 8;

    private AddressText()
    {
    }

    /**
     * {@return the text of an address, without the scope of a link-local one: {@code 192.0.2.1}, {@code 2001:db8::1}}
     *
     * @param address of IPv4 or IPv6.
     */
    public static String of(final InetAddress address)
    {
        final byte[] bytes = address.getAddress();
        return IPV6_BYTES == bytes.length ? ofIpv6(bytes) : address.getHostAddress();
    }

    /**
     * {@return an address with its port: {@code 192.0.2.1:4420}, {@code [2001:db8::1]:4420}}
     *
     * @param address resolved or not; a name that is not resolved is printed as it is.
     */
    public static String of(final InetSocketAddress address)
    {
        if (address.isUnresolved())
        {
            return address.getHostString() + ':' + address.getPort();
        }
        final String host = of(address.getAddress());
        return (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + address.getPort();
    }

    /**
     * {@return the text of an IPv6 address}
     * The longest run of two or more zero groups becomes "::", the first of equals (RFC 5952, section 4.2).
     *
     * @param bytes of the address, 16.
     */
    public static String ofIpv6(final byte[] bytes)
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
}

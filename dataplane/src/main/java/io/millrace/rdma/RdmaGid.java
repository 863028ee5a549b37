package io.millrace.rdma;

import io.millrace.validation.AddressText;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;

/**
 * An address of a port: 16 bytes, written and, for RoCE v2, sent as an IPv6 or IPv4 address. Immutable; any thread.
 *
 * @param index            in the port's table.
 * @param type             of its packets.
 * @param high             first half, the subnet prefix.
 * @param low              second half, the interface identifier.
 * @param networkInterface that it comes from, such as {@code eth0}; empty when the kernel names none.
 */
public record RdmaGid(int index, GidType type, long high, long low, String networkInterface)
{
    private static final long MAPPED_IPV4 = 0xFFFFL;
    private static final long LINK_LOCAL = 0xFE80_0000_0000_0000L;
    private static final int GROUPS = 4;

    /**
     * {@return whether it is an IPv4 address, mapped as {@code ::ffff:a.b.c.d}}
     */
    public boolean isIpv4()
    {
        return 0 == high && MAPPED_IPV4 == low >>> Integer.SIZE;
    }

    /**
     * {@return the address of this machine that it is, which a connection can be bound to; none of InfiniBand and
     *     iWARP, whose GIDs are no IP addresses, and none that is valid within one segment only}
     */
    public Optional<InetAddress> ipAddress()
    {
        if (GidType.IB == type || isLinkLocal())
        {
            return Optional.empty();
        }
        try
        {
            // One that is a mapped address becomes an IPv4 one.
            return Optional.of(InetAddress.getByAddress(
                ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array()));
        }
        catch (final UnknownHostException e)
        {
            throw new IllegalStateException(e);
        }
    }

    /**
     * {@return whether it is valid within one segment only, {@code fe80::/64}}
     */
    public boolean isLinkLocal()
    {
        return LINK_LOCAL == high;
    }

    /**
     * {@return the address as {@code ibv_devinfo} prints it: {@code ::ffff:192.0.2.1}, {@code 2001:db8::1} for RoCE v2,
     * otherwise eight groups of four digits}
     */
    public String address()
    {
        if (isIpv4())
        {
            return "::ffff:" + (low >>> 24 & 0xFF) + "." + (low >>> 16 & 0xFF) + "." + (low >>> 8 & 0xFF) + "." +
                (low & 0xFF);
        }
        if (GidType.ROCE_V2 == type)
        {
            return AddressText.ofIpv6(ByteBuffer.allocate(2 * Long.BYTES).putLong(high).putLong(low).array());
        }
        return groups(high) + ":" + groups(low);
    }

    /**
     * {@return for example {@code GID 1 (RoCE v2 ::ffff:192.0.2.1)}}
     */
    @Override
    public String toString()
    {
        return "GID " + index + " (" + type + " " + address() + ")";
    }

    /**
     * {@return 64 bits as four groups of four hexadecimal digits}
     *
     * @param bits of a GID or GUID.
     */
    static String groups(final long bits)
    {
        final StringBuilder text = new StringBuilder();
        for (int i = GROUPS - 1; i >= 0; i--)
        {
            text.append(HexFormat.of().toHexDigits((short)(bits >>> i * Short.SIZE))).append(0 == i ? "" : ":");
        }
        return text.toString();
    }
}

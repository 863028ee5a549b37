package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.linux.sockaddr_in;
import io.millrace.bindings.generated.linux.sockaddr_in6;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * {@code struct sockaddr_in} and {@code struct sockaddr_in6}, to and from {@link InetSocketAddress}. Set-up only:
 * allocates.
 */
public final class SocketAddress
{
    /** Room that holds either. */
    public static final int SIZE_BYTES_MAX = (int)sockaddr_in6.sizeof();
    private static final int IN4_SIZE_BYTES = (int)sockaddr_in.sizeof();
    private static final int IN6_SIZE_BYTES = (int)sockaddr_in6.sizeof();
    /** Family and port lie at the same place in both. */
    private static final long FAMILY_OFFSET = sockaddr_in.sin_family$offset();
    private static final long PORT_OFFSET = sockaddr_in.sin_port$offset();
    private static final long IN4_ADDRESS_OFFSET = sockaddr_in.sin_addr$offset();
    private static final long IN6_ADDRESS_OFFSET = sockaddr_in6.sin6_addr$offset();
    private static final long IN6_SCOPE_OFFSET = sockaddr_in6.sin6_scope_id$offset();

    private SocketAddress()
    {
    }

    /**
     * {@return the address family to make a socket of}
     *
     * @param socketAddress resolved.
     */
    public static int family(final InetSocketAddress socketAddress)
    {
        return socketAddress.getAddress() instanceof Inet4Address ? Sockets.AF_INET : Sockets.AF_INET6;
    }

    /**
     * Writes an address.
     *
     * @param address       of at least {@link #SIZE_BYTES_MAX} bytes.
     * @param socketAddress resolved.
     * @return its length in bytes.
     */
    public static int write(final long address, final InetSocketAddress socketAddress)
    {
        NativeMemory.fill(address, SIZE_BYTES_MAX, (byte)0);
        final int family = family(socketAddress);
        final byte[] bytes = socketAddress.getAddress().getAddress();
        NativeMemory.putShort(address + FAMILY_OFFSET, (short)family);
        NativeMemory.putShort(address + PORT_OFFSET, Short.reverseBytes((short)socketAddress.getPort()));
        final long start = address + (Sockets.AF_INET == family ? IN4_ADDRESS_OFFSET : IN6_ADDRESS_OFFSET);
        for (int i = 0; i < bytes.length; i++)
        {
            NativeMemory.putByte(start + i, bytes[i]);
        }
        if (socketAddress.getAddress() instanceof final Inet6Address scoped)
        {
            // A link-local address says nothing without its interface.
            NativeMemory.putInt(address + IN6_SCOPE_OFFSET, scoped.getScopeId());
        }
        return Sockets.AF_INET == family ? IN4_SIZE_BYTES : IN6_SIZE_BYTES;
    }

    /**
     * Reads an address that the kernel wrote.
     *
     * @param address start address.
     * @return the same, as Java has it.
     */
    public static InetSocketAddress read(final long address)
    {
        final boolean v4 = Sockets.AF_INET == NativeMemory.getShort(address + FAMILY_OFFSET);
        final long start = address + (v4 ? IN4_ADDRESS_OFFSET : IN6_ADDRESS_OFFSET);
        final byte[] bytes = new byte[v4 ? 4 : 16];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = NativeMemory.getByte(start + i);
        }
        try
        {
            return new InetSocketAddress(InetAddress.getByAddress(bytes),
                Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(address + PORT_OFFSET))));
        }
        catch (final UnknownHostException e)
        {
            throw new IllegalStateException("an address of " + bytes.length + " bytes is always valid", e);
        }
    }
}

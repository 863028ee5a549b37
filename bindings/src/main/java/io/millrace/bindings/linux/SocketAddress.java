package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * {@code struct sockaddr_in} and {@code struct sockaddr_in6}, to and from {@link InetSocketAddress}. Set-up only: allocates.
 */
public final class SocketAddress
{
    /** Room that holds either. */
    public static final int SIZE_BYTES_MAX = 28;
    private static final int IN4_SIZE_BYTES = 16;
    private static final int IN6_SIZE_BYTES = 28;

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
        NativeMemory.putShort(address, (short)family);
        NativeMemory.putShort(address + 2, Short.reverseBytes((short)socketAddress.getPort()));
        final long start = address + (Sockets.AF_INET == family ? 4 : 8);
        for (int i = 0; i < bytes.length; i++)
        {
            NativeMemory.putByte(start + i, bytes[i]);
        }
        return Sockets.AF_INET == family ? IN4_SIZE_BYTES : IN6_SIZE_BYTES;
    }

    /**
     * Reads an address that the kernel wrote.
     *
     * @param address of it.
     * @return the same, as Java has it.
     */
    public static InetSocketAddress read(final long address)
    {
        final boolean v4 = Sockets.AF_INET == NativeMemory.getShort(address);
        final byte[] bytes = new byte[v4 ? 4 : 16];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = NativeMemory.getByte(address + (v4 ? 4 : 8) + i);
        }
        try
        {
            return new InetSocketAddress(InetAddress.getByAddress(bytes),
                Short.toUnsignedInt(Short.reverseBytes(NativeMemory.getShort(address + 2))));
        }
        catch (final UnknownHostException e)
        {
            throw new IllegalStateException("an address of " + bytes.length + " bytes is always valid", e);
        }
    }
}

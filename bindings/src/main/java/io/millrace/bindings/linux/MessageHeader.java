package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;

/**
 * {@code struct msghdr} and the {@code struct iovec} array it points to, as {@code sendmsg(2)} and {@code recvmsg(2)} take
 * them. The same on x86-64 and aarch64 with glibc.
 */
public final class MessageHeader
{
    /** Size of a {@code struct msghdr}. */
    public static final int SIZE_BYTES = 56;
    /** Size of a {@code struct iovec}. */
    public static final int IOVEC_SIZE_BYTES = 16;
    /** Most vectors of one call ({@code UIO_MAXIOV}). */
    public static final int IOVEC_COUNT_MAX = 1024;
    private static final int IOV_OFFSET = 16;
    private static final int IOV_COUNT_OFFSET = 24;

    private MessageHeader()
    {
    }

    /**
     * Points a zeroed header at vectors.
     *
     * @param address      of the header.
     * @param iovecAddress of the first vector.
     * @param iovecCount   up to {@link #IOVEC_COUNT_MAX}.
     */
    public static void set(final long address, final long iovecAddress, final int iovecCount)
    {
        NativeMemory.putLong(address + IOV_OFFSET, iovecAddress);
        NativeMemory.putLong(address + IOV_COUNT_OFFSET, iovecCount);
    }

    /**
     * Fills one vector.
     *
     * @param iovecAddress of the vector.
     * @param base         address of its bytes.
     * @param lengthBytes  of its bytes.
     */
    public static void setIovec(final long iovecAddress, final long base, final long lengthBytes)
    {
        NativeMemory.putLong(iovecAddress, base);
        NativeMemory.putLong(iovecAddress + 8, lengthBytes);
    }
}

package io.millrace.bindings.linux;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.linux.iovec;
import io.millrace.bindings.generated.linux.linux_h;
import io.millrace.bindings.generated.linux.msghdr;

/**
 * {@code struct msghdr} and the {@code struct iovec} array it points to, as {@code sendmsg(2)} and {@code recvmsg(2)}
 * take them. The same on x86-64 and aarch64 with glibc.
 */
public final class MessageHeader
{
    /** Size of a {@code struct msghdr}. */
    public static final int SIZE_BYTES = (int)msghdr.sizeof();
    /** Size of a {@code struct iovec}. */
    public static final int IOVEC_SIZE_BYTES = (int)iovec.sizeof();
    /** Most vectors of one call ({@code UIO_MAXIOV}). */
    public static final int IOVEC_COUNT_MAX = linux_h.UIO_MAXIOV();
    private static final long IOV_OFFSET = msghdr.msg_iov$offset();
    private static final long IOV_COUNT_OFFSET = msghdr.msg_iovlen$offset();
    private static final long BASE_OFFSET = iovec.iov_base$offset();
    private static final long LENGTH_OFFSET = iovec.iov_len$offset();

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
        NativeMemory.putLong(iovecAddress + BASE_OFFSET, base);
        NativeMemory.putLong(iovecAddress + LENGTH_OFFSET, lengthBytes);
    }
}

package io.millrace.nvmf.tcp.pdu;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.memory.Segments;

/**
 * The message header for receiving the rest of a payload in place and, what comes behind it, into a window. One
 * reactor's; of no use between two calls.
 */
public final class ScatterVectors
{
    /** Native bytes that it takes. */
    public static final int SIZE_BYTES = 512;

    private static final int VECTORS_OFFSET = 64;

    private final Segments rest = new Segments();
    private final long headerAddress;

    /**
     * Made at set-up.
     *
     * @param address of {@link #SIZE_BYTES} bytes, 8-byte aligned, that are its alone.
     */
    public ScatterVectors(final long address)
    {
        headerAddress = address;
        NativeMemory.fill(address, SIZE_BYTES, (byte)0);
    }

    /**
     * Fills the header.
     *
     * @param payload       that is being received.
     * @param offset        of its first byte that has not come.
     * @param lengthBytes   of it that is to come; positive.
     * @param windowAddress of what follows the payload.
     * @param windowBytes   most to take of what follows.
     * @return address of the header, for {@code recvmsg}.
     */
    public long set(
        final Segments payload,
        final int offset,
        final int lengthBytes,
        final long windowAddress,
        final int windowBytes)
    {
        payload.slice(offset, lengthBytes, rest);
        final long vectors = headerAddress + VECTORS_OFFSET;
        long vector = vectors;
        for (int i = 0; i < rest.count(); i++)
        {
            MessageHeader.setIovec(vector, rest.address(i), rest.lengthBytes(i));
            vector += MessageHeader.IOVEC_SIZE_BYTES;
        }
        MessageHeader.setIovec(vector, windowAddress, windowBytes);
        MessageHeader.set(headerAddress, vectors, rest.count() + 1);
        return headerAddress;
    }
}

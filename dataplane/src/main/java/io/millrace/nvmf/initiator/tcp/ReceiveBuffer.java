package io.millrace.nvmf.initiator.tcp;

import io.millrace.bindings.linux.MessageHeader;
import io.millrace.nvmf.initiator.HostMemory;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The one buffer that all connections of a poll group receive into, in turn, and the message header for receiving into
 * two places at once. One reactor's.
 */
final class ReceiveBuffer implements AutoCloseable
{
    /** Room in front of what is received, for the part of a PDU that came before. */
    static final int HEADROOM_BYTES = 256;
    /** Most bytes received at once. */
    static final int WINDOW_BYTES = 512 << 10;

    private static final int VECTORS_OFFSET = 64;
    private static final int DATA_OFFSET = 4096;

    private final HostMemory memory = new HostMemory(DATA_OFFSET + HEADROOM_BYTES + WINDOW_BYTES);
    private final UnsafeBuffer buffer =
        new UnsafeBuffer(memory.address() + DATA_OFFSET, HEADROOM_BYTES + WINDOW_BYTES);

    ReceiveBuffer()
    {
        MessageHeader.set(memory.address(), memory.address() + VECTORS_OFFSET, 2);
    }

    UnsafeBuffer buffer()
    {
        return buffer;
    }

    long address()
    {
        return memory.address() + DATA_OFFSET;
    }

    long scatter(final long firstAddress, final int firstBytes, final int windowBytes)
    {
        final long vectors = memory.address() + VECTORS_OFFSET;
        MessageHeader.setIovec(vectors, firstAddress, firstBytes);
        MessageHeader.setIovec(vectors + MessageHeader.IOVEC_SIZE_BYTES, address(), windowBytes);
        return memory.address();
    }

    @Override
    public void close()
    {
        memory.close();
    }
}

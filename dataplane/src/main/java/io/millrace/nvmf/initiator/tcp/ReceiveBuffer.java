package io.millrace.nvmf.initiator.tcp;

import io.millrace.memory.Segments;
import io.millrace.nvmf.initiator.HostMemory;
import io.millrace.nvmf.tcp.pdu.ScatterVectors;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The one buffer that all connections of a poll group receive into, in turn, and the message header for receiving into
 * a payload and that buffer at once. One reactor's.
 */
final class ReceiveBuffer implements AutoCloseable
{
    /** Room in front of what is received, for the part of a PDU that came before. */
    static final int HEADROOM_BYTES = 256;
    /** Most bytes received at once. */
    static final int WINDOW_BYTES = 512 << 10;

    private static final int DATA_OFFSET = 4096;

    private final HostMemory memory = new HostMemory(DATA_OFFSET + HEADROOM_BYTES + WINDOW_BYTES);
    private final UnsafeBuffer buffer =
        new UnsafeBuffer(memory.address() + DATA_OFFSET, HEADROOM_BYTES + WINDOW_BYTES);
    private final ScatterVectors vectors = new ScatterVectors(memory.address());

    UnsafeBuffer buffer()
    {
        return buffer;
    }

    long address()
    {
        return memory.address() + DATA_OFFSET;
    }

    /**
     * Points the message header at the rest of a payload and at this buffer behind it.
     *
     * @param payload     that is being received.
     * @param offset      of its first byte that has not come.
     * @param windowBytes of this buffer.
     * @return address of the header.
     */
    long scatter(final Segments payload, final int offset, final int windowBytes)
    {
        return vectors.set(payload, offset, payload.totalBytes() - offset, address(), windowBytes);
    }

    @Override
    public void close()
    {
        memory.close();
    }
}

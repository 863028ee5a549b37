package io.millrace.messaging;

import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import org.agrona.MutableDirectBuffer;

/**
 * Memory that the peer of one endpoint may reach, as long as the connection lasts over which it was exported. The
 * reactor's.
 */
public final class ExportedRegion implements AutoCloseable
{
    private final Connection connection;
    private final MessageMemory memory;
    private final ExportAccess access;
    private final long key;
    private final byte[] descriptor;
    private boolean isRevoked;

    ExportedRegion(
        final Connection connection,
        final MessageMemory memory,
        final ExportAccess access,
        final long key,
        final byte[] descriptor)
    {
        this.connection = connection;
        this.memory = memory;
        this.access = access;
        this.key = key;
        this.descriptor = descriptor;
    }

    /**
     * {@return the memory that it is in}
     */
    public MessageMemory memory()
    {
        return memory;
    }

    /**
     * {@return what the peer may do}
     */
    public ExportAccess access()
    {
        return access;
    }

    /**
     * Writes what the peer makes a {@link RemoteRegion} of.
     *
     * @param buffer where to.
     * @param offset of its {@value RemoteRegion#DESCRIPTOR_BYTES} bytes.
     * @return {@value RemoteRegion#DESCRIPTOR_BYTES}.
     */
    public int writeDescriptor(final MutableDirectBuffer buffer, final int offset)
    {
        buffer.putBytes(offset, descriptor);
        return descriptor.length;
    }

    /**
     * {@return a copy of the descriptor}
     */
    public byte[] descriptor()
    {
        return descriptor.clone();
    }

    /**
     * Revokes it: the peer's next access fails, and with it the connection; so does one that is under way. Over RDMA
     * a large message from this memory is such an access until its completion. When this has returned the peer does not
     * reach the memory. A second call does nothing.
     */
    @Override
    public void close()
    {
        if (!isRevoked)
        {
            isRevoked = true;
            connection.revoke(key);
        }
    }
}

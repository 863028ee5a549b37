package io.millrace.messaging;

import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.wire.RegionDescriptor;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/**
 * A region that a peer has exported, as its descriptor says. Valid for the connection over which the descriptor came;
 * what is wrong with it shows when it is accessed. Immutable; any thread.
 */
public final class RemoteRegion
{
    /** Length of a descriptor. */
    public static final int DESCRIPTOR_BYTES = RegionDescriptor.SIZE_BYTES;

    private final long address;
    private final long lengthBytes;
    private final long key;
    private final int access;

    /**
     * Reads a descriptor.
     *
     * @param buffer that has it.
     * @param offset of its {@value #DESCRIPTOR_BYTES} bytes.
     */
    public RemoteRegion(final DirectBuffer buffer, final int offset)
    {
        buffer.boundsCheck(offset, DESCRIPTOR_BYTES);
        address = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        lengthBytes = buffer.getLong(offset + Long.BYTES, ByteOrder.LITTLE_ENDIAN);
        key = buffer.getLong(offset + 2 * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
        access = buffer.getInt(offset + 3 * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
    }

    long address()
    {
        return address;
    }

    long key()
    {
        return key;
    }

    /**
     * {@return its length in bytes}
     */
    public long lengthBytes()
    {
        return lengthBytes;
    }

    /**
     * {@return whether the peer allows an access}
     *
     * @param wanted access.
     */
    public boolean allows(final ExportAccess wanted)
    {
        return wanted.bits() == (access & wanted.bits());
    }
}

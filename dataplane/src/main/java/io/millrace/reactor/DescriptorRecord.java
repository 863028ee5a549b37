package io.millrace.reactor;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;

/**
 * The record that crosses between a reactor and other threads, of Java or native code, little-endian:
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  0|         record length, 64; not positive while it is written   |
 *  4|                             type                              |
 *  8|                            address                            |
 *   |                                                               |
 * 16|                        length in bytes                        |
 * 20|                             slot                              |
 * 24|                             word 0                            |
 *   |                                                               |
 * 32|                             word 1                            |
 *   |                                                               |
 * 40|                       reserved, 24 bytes                      |
 *  +---------------------------------------------------------------+
 * </pre>
 * A record is a cache line. Offsets here are from behind the first 8 bytes, which are the ring's. Stateless.
 */
final class DescriptorRecord
{
    static final int RECORD_BYTES = 64;
    static final int BODY_BYTES = RECORD_BYTES - RecordDescriptor.HEADER_LENGTH;

    static final int ADDRESS_OFFSET = 0;
    static final int LENGTH_OFFSET = 8;
    static final int SLOT_OFFSET = 12;
    static final int WORD0_OFFSET = 16;
    static final int WORD1_OFFSET = 24;

    private DescriptorRecord()
    {
    }

    static void write(
        final MutableDirectBuffer buffer,
        final int index,
        final int slot,
        final long address,
        final int lengthBytes,
        final long word0,
        final long word1)
    {
        buffer.putLong(index + ADDRESS_OFFSET, address);
        buffer.putInt(index + LENGTH_OFFSET, lengthBytes);
        buffer.putInt(index + SLOT_OFFSET, slot);
        buffer.putLong(index + WORD0_OFFSET, word0);
        buffer.putLong(index + WORD1_OFFSET, word1);
    }

    static void deliver(
        final LinkListener listener, final int type, final MutableDirectBuffer source, final int index)
    {
        listener.onMessage(
            type,
            source.getInt(index + SLOT_OFFSET),
            source.getLong(index + ADDRESS_OFFSET),
            source.getInt(index + LENGTH_OFFSET),
            source.getLong(index + WORD0_OFFSET),
            source.getLong(index + WORD1_OFFSET));
    }
}

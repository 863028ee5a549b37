package io.millrace.messaging.wire;

import io.millrace.bindings.NativeMemory;

/**
 * Begins each frame.
 * <pre>
 *   0                   4    5    6         8
 *   +-------------------+----+----+---------+
 *   | payload bytes     |kind|  0 |    0    |
 *   +-------------------+----+----+---------+  8
 *   | sequence of a message, else 0         |
 *   +---------------------------------------+ 16
 *   | messages of the peer that were        |
 *   | acknowledged, since the beginning     |
 *   +---------------------------------------+ 24
 *   | value: status of a goodbye, else 0    |
 *   +---------------------------------------+ 32
 * </pre>
 */
public final class FrameHeader
{
    /** Its length. */
    public static final int SIZE_BYTES = 32;
    /** A message. */
    public static final int EAGER = 1;
    /** A message that is to be read; the payload is a {@link RegionDescriptor}. */
    public static final int OFFER = 2;
    /** Nothing but the acknowledged count. */
    public static final int ACK = 3;
    /** The sender lives. */
    public static final int KEEP_ALIVE = 4;
    /** The sender closes; the value is a status. */
    public static final int GOODBYE = 5;
    /** The payload proves that the sender knows the secret. */
    public static final int PROOF = 6;

    private static final int LENGTH_OFFSET = 0;
    private static final int KIND_OFFSET = 4;
    private static final int RESERVED_OFFSET = 5;
    private static final int SEQUENCE_OFFSET = 8;
    private static final int ACKNOWLEDGED_OFFSET = 16;
    private static final int VALUE_OFFSET = 24;

    private FrameHeader()
    {
    }

    /**
     * Writes all fields.
     *
     * @param address      where to.
     * @param kind         of the frame.
     * @param payloadBytes that follow.
     * @param sequence     of the message, or 0.
     * @param acknowledged count.
     * @param value        see above.
     */
    public static void write(
        final long address,
        final int kind,
        final int payloadBytes,
        final long sequence,
        final long acknowledged,
        final long value)
    {
        NativeMemory.putInt(address + LENGTH_OFFSET, payloadBytes);
        // Kind and three reserved bytes.
        NativeMemory.putInt(address + KIND_OFFSET, kind);
        NativeMemory.putLong(address + SEQUENCE_OFFSET, sequence);
        NativeMemory.putLong(address + ACKNOWLEDGED_OFFSET, acknowledged);
        NativeMemory.putLong(address + VALUE_OFFSET, value);
    }

    /**
     * {@return whether the reserved bytes are 0, as this version has them}
     *
     * @param address of the header.
     */
    public static boolean isReservedZero(final long address)
    {
        return 0 == NativeMemory.getByte(address + RESERVED_OFFSET) &&
            0 == NativeMemory.getShort(address + RESERVED_OFFSET + 1);
    }

    /**
     * {@return bytes that follow, unsigned}
     *
     * @param address of the header.
     */
    public static int payloadBytes(final long address)
    {
        return NativeMemory.getInt(address + LENGTH_OFFSET);
    }

    /**
     * {@return the kind, of any frame or bulk header}
     *
     * @param address of the header.
     */
    public static int kind(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + KIND_OFFSET));
    }

    /**
     * {@return the number of the message}
     *
     * @param address of the header.
     */
    public static long sequence(final long address)
    {
        return NativeMemory.getLong(address + SEQUENCE_OFFSET);
    }

    /**
     * {@return how many messages were acknowledged}
     *
     * @param address of the header.
     */
    public static long acknowledged(final long address)
    {
        return NativeMemory.getLong(address + ACKNOWLEDGED_OFFSET);
    }

    /**
     * {@return the value}
     *
     * @param address of the header.
     */
    public static long value(final long address)
    {
        return NativeMemory.getLong(address + VALUE_OFFSET);
    }
}

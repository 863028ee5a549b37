package io.millrace.messaging.wire;

import io.millrace.bindings.NativeMemory;

/**
 * One-sided access over TCP. The kind is where {@link FrameHeader} has it, and above all of its kinds.
 * <pre>
 *   0                   4    5    6         8
 *   +-------------------+----+----+---------+
 *   | payload bytes     |kind|stat|    0    |
 *   +-------------------+----+----+---------+  8
 *   | operation, the requester's number     |
 *   +---------------------------------------+ 16
 *   | address in the region                 |
 *   +---------------------------------------+ 24
 *   | key of the region                     |
 *   +-------------------+-------------------+ 32
 *   | bytes to read     | 0                 |
 *   +-------------------+-------------------+ 40
 * </pre>
 */
public final class BulkHeader
{
    /** Its length. */
    public static final int SIZE_BYTES = 40;
    /** The least kind that has this header. */
    public static final int KIND_MIN = 16;
    /** Asks for bytes of a region. */
    public static final int READ_REQUEST = 16;
    /** Answers with them as the payload. */
    public static final int READ_DATA = 17;
    /** Puts the payload into a region. */
    public static final int WRITE_DATA = 18;
    /** Answers that it is there. */
    public static final int WRITE_DONE = 19;
    /** The access was valid. */
    public static final int GRANTED = 0;
    /** Key, bounds or rights are wrong, or the region was revoked. */
    public static final int DENIED = 1;
    /** Largest payload, and largest count of bytes to read. */
    public static final int PIECE_BYTES_MAX = 256 << 10;
    /** Requests of a side that may be unanswered on a stream. */
    public static final int OUTSTANDING_MAX = 16;

    private static final int LENGTH_OFFSET = 0;
    private static final int KIND_OFFSET = 4;
    private static final int OPERATION_OFFSET = 8;
    private static final int ADDRESS_OFFSET = 16;
    private static final int KEY_OFFSET = 24;
    private static final int COUNT_OFFSET = 32;

    private BulkHeader()
    {
    }

    /**
     * Writes all fields.
     *
     * @param at           where to.
     * @param kind         of the frame.
     * @param status       {@link #GRANTED} or {@link #DENIED}.
     * @param payloadBytes that follow.
     * @param operation    the requester's number.
     * @param address      in the region.
     * @param key          of the region.
     * @param count        of bytes to read.
     */
    public static void write(
        final long at,
        final int kind,
        final int status,
        final int payloadBytes,
        final long operation,
        final long address,
        final long key,
        final int count)
    {
        NativeMemory.putInt(at + LENGTH_OFFSET, payloadBytes);
        NativeMemory.putInt(at + KIND_OFFSET, kind | status << 8);
        NativeMemory.putLong(at + OPERATION_OFFSET, operation);
        NativeMemory.putLong(at + ADDRESS_OFFSET, address);
        NativeMemory.putLong(at + KEY_OFFSET, key);
        NativeMemory.putLong(at + COUNT_OFFSET, Integer.toUnsignedLong(count));
    }

    /**
     * {@return the status}
     *
     * @param at where the header is.
     */
    public static int status(final long at)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(at + KIND_OFFSET + 1));
    }

    /**
     * {@return bytes that follow, unsigned}
     *
     * @param at where the header is.
     */
    public static int payloadBytes(final long at)
    {
        return NativeMemory.getInt(at + LENGTH_OFFSET);
    }

    /**
     * {@return the requester's number}
     *
     * @param at where the header is.
     */
    public static long operation(final long at)
    {
        return NativeMemory.getLong(at + OPERATION_OFFSET);
    }

    /**
     * {@return the address in the region}
     *
     * @param at where the header is.
     */
    public static long address(final long at)
    {
        return NativeMemory.getLong(at + ADDRESS_OFFSET);
    }

    /**
     * {@return the key of the region}
     *
     * @param at where the header is.
     */
    public static long key(final long at)
    {
        return NativeMemory.getLong(at + KEY_OFFSET);
    }

    /**
     * {@return bytes to read, unsigned}
     *
     * @param at where the header is.
     */
    public static int count(final long at)
    {
        return NativeMemory.getInt(at + COUNT_OFFSET);
    }
}

package io.millrace.messaging.wire;

import io.millrace.bindings.NativeMemory;

/**
 * What each side says first: private data of the RDMA connection manager, or the first bytes of a TCP stream. All
 * fields of a later version may differ but magic and version.
 * <pre>
 *   0                   4         6         8
 *   +-------------------+---------+---------+
 *   | magic             | version | stream  |
 *   +-------------------+---------+---------+  8
 *   | slot bytes        | receive depth     |
 *   +-------------------+-------------------+ 16
 *   | largest message, in bytes             |
 *   +---------------------------------------+ 24
 *   | nonce, 16 bytes; of a further stream  |
 *   | the proof that it belongs to the      |
 *   | connection                            |
 *   +---------------------------------------+ 40
 *   | connection id, 0 when it asks for one |
 *   +---------------------------------------+ 48
 * </pre>
 */
public final class Hello
{
    /** Its length. */
    public static final int SIZE_BYTES = 48;
    /** "MRMG" in the order of the bytes. */
    public static final int MAGIC = 0x474D524D;
    /** Of this protocol. */
    public static final int VERSION = 1;
    /** Where the nonce is. */
    public static final int NONCE_OFFSET = 24;
    /** Length of the nonce. */
    public static final int NONCE_BYTES = 16;
    /** Least slot: a header and the descriptor of an offer fit. */
    public static final int SLOT_BYTES_MIN = 256;
    /** Largest slot. */
    public static final int SLOT_BYTES_MAX = 1 << 20;
    /** Least receive depth. */
    public static final int DEPTH_MIN = 32;
    /** Largest receive depth. */
    public static final int DEPTH_MAX = 16_384;
    /** Largest message of all. */
    public static final long MESSAGE_BYTES_MAX = 1L << 30;
    /** Streams of a connection. */
    public static final int STREAMS_MAX = 16;

    private static final int MAGIC_OFFSET = 0;
    private static final int VERSION_OFFSET = 4;
    private static final int STREAM_OFFSET = 6;
    private static final int SLOT_OFFSET = 8;
    private static final int DEPTH_OFFSET = 12;
    private static final int MESSAGE_OFFSET = 16;
    private static final int CONNECTION_OFFSET = 40;

    private Hello()
    {
    }

    /**
     * Writes all fields but the nonce.
     *
     * @param address         where to.
     * @param stream          0 for frames, 1 and above for bulk.
     * @param slotBytes       of a receive slot.
     * @param receiveDepth    receive slots.
     * @param messageBytesMax largest message that is received.
     * @param connectionId    0 to ask for one.
     */
    public static void write(
        final long address,
        final int stream,
        final int slotBytes,
        final int receiveDepth,
        final long messageBytesMax,
        final long connectionId)
    {
        NativeMemory.putInt(address + MAGIC_OFFSET, MAGIC);
        NativeMemory.putShort(address + VERSION_OFFSET, (short)VERSION);
        NativeMemory.putShort(address + STREAM_OFFSET, (short)stream);
        NativeMemory.putInt(address + SLOT_OFFSET, slotBytes);
        NativeMemory.putInt(address + DEPTH_OFFSET, receiveDepth);
        NativeMemory.putLong(address + MESSAGE_OFFSET, messageBytesMax);
        NativeMemory.putLong(address + CONNECTION_OFFSET, connectionId);
    }

    /**
     * {@return whether it begins as a hello of any version does}
     *
     * @param address of its bytes.
     */
    public static boolean hasMagic(final long address)
    {
        return MAGIC == NativeMemory.getInt(address + MAGIC_OFFSET);
    }

    /**
     * {@return why it cannot be taken, or null when it is valid}
     *
     * @param address of all its bytes.
     */
    public static String invalid(final long address)
    {
        if (!hasMagic(address))
        {
            return "the peer does not speak this protocol: check address and port";
        }
        final int version = Short.toUnsignedInt(NativeMemory.getShort(address + VERSION_OFFSET));
        if (VERSION != version)
        {
            return "the peer speaks version " + version + " of the protocol, this side " + VERSION +
                ": use the same release on both";
        }
        if (stream(address) >= STREAMS_MAX)
        {
            return "stream " + stream(address) + ": at most " + (STREAMS_MAX - 1);
        }
        if (slotBytes(address) < SLOT_BYTES_MIN || slotBytes(address) > SLOT_BYTES_MAX)
        {
            return "receive slots of the peer have " + Integer.toUnsignedString(slotBytes(address)) + " bytes: " +
                SLOT_BYTES_MIN + " to " + SLOT_BYTES_MAX + " are valid";
        }
        if (receiveDepth(address) < DEPTH_MIN || receiveDepth(address) > DEPTH_MAX)
        {
            return "the receive depth of the peer is " + Integer.toUnsignedString(receiveDepth(address)) + ": " +
                DEPTH_MIN + " to " + DEPTH_MAX + " are valid";
        }
        if (messageBytesMax(address) < 0 || messageBytesMax(address) > MESSAGE_BYTES_MAX)
        {
            return "messages of the peer have up to " + Long.toUnsignedString(messageBytesMax(address)) +
                " bytes: at most " + MESSAGE_BYTES_MAX + " are valid";
        }
        return null;
    }

    /**
     * {@return the number of the stream}
     *
     * @param address of the hello.
     */
    public static int stream(final long address)
    {
        return Short.toUnsignedInt(NativeMemory.getShort(address + STREAM_OFFSET));
    }

    /**
     * {@return bytes of a receive slot}
     *
     * @param address of the hello.
     */
    public static int slotBytes(final long address)
    {
        return NativeMemory.getInt(address + SLOT_OFFSET);
    }

    /**
     * {@return receive slots}
     *
     * @param address of the hello.
     */
    public static int receiveDepth(final long address)
    {
        return NativeMemory.getInt(address + DEPTH_OFFSET);
    }

    /**
     * {@return the largest message that is received, in bytes}
     *
     * @param address of the hello.
     */
    public static long messageBytesMax(final long address)
    {
        return NativeMemory.getLong(address + MESSAGE_OFFSET);
    }

    /**
     * {@return the connection, or 0}
     *
     * @param address of the hello.
     */
    public static long connectionId(final long address)
    {
        return NativeMemory.getLong(address + CONNECTION_OFFSET);
    }
}
